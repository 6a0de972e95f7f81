"""Frontmatter: split without loss, read strictly, written so that every reader agrees."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats import frontmatter
from sightline.sync.formats.failures import Malformed, Unrenderable
from sightline.sync.formats.values import same_value
from tests.sync.formats.effort import thorough

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ODD_WORDS = st.sampled_from(
    ["yes", "No", "on", "null", "~", "@x", "!x", "*x", "&x", "a: b", "a #b", "- x", "2024-01-01", "1e3", "0x1f",
     "1_000", "012", "12:30:00", "'", '"', "---", "...", " x", "x ", "\n", "a\nb\n", "😀", "%x", "`x`", "{a}", "[a]",
     "<<", "=", "\u2028", "\ufeff", "\x85", "\x7f", "?", ": ", "|", ">", "y", "N", ".inf", "NaN", "true"]
)  # fmt: skip
TEXTS = ANY_TEXT | ODD_WORDS
VALUES = st.recursive(
    TEXTS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.dates(min_value=date(1000, 1, 1)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@thorough
@given(st.dictionaries(TEXTS, VALUES, max_size=4), ANY_TEXT)
def test_whatever_is_written_is_read_back(values: dict[str, Any], body: str) -> None:
    content = frontmatter.render(values, "\n" + body)
    assert same_value(frontmatter.read(content), values, ordered=True)
    assert frontmatter.split(content).body == ("\n" + body).encode()
    assert frontmatter.render(values, "\n" + body) == content


@thorough
@given(
    st.lists(st.sampled_from(["---", "--- ", "a: 1", "", "----", " ---", "text", "\ufeff", "..."]), max_size=6),
    st.sampled_from(["\n", "\r\n"]),
)
def test_split_and_join_give_back_every_byte(lines: list[str], eol: str) -> None:
    content = eol.join(lines).encode()
    try:
        parts = frontmatter.split(content)
    except Malformed:
        assert content.removeprefix(b"\xef\xbb\xbf").startswith(b"---")
        return
    assert frontmatter.join(parts) == content


def test_the_parts_of_a_file_are_told_apart() -> None:
    parts = frontmatter.split(b"\xef\xbb\xbf---\r\na: 1\r\n---\r\nbody\r\n---\r\n")
    assert (parts.yaml, parts.body, parts.body_line) == (b"a: 1\r\n", b"body\r\n---\r\n", 4)
    assert not frontmatter.split(b"text\n---\n").is_present
    assert frontmatter.read(b"text") == {}
    assert frontmatter.read(b"---\n---\n") == {}


def test_yaml_is_read_as_version_1_2() -> None:
    content = b"---\nyes: no\nday: 2024-01-02\ntime: 12:30:00\n1: one\nlist: [a, b]\n---\n"
    expected = {"yes": "no", "day": date(2024, 1, 2), "time": "12:30:00", "1": "one", "list": ["a", "b"]}
    assert frontmatter.read(content) == expected


@pytest.mark.parametrize(
    ("yaml", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3", 4, "twice"),
        ("x: 1\na: b: c", 3, "mapping values"),
        ("- a", 2, "not a mapping"),
        ("x: 1\na: !!python/object:os.x y", 3, "tag"),
        ("a: @x", 2, "cannot start"),
        ("x: 1\na: \x00", 3, "does not allow"),
        ("a: &a [*a]", 2, "too deep"),
        ("a: 2024-99-99", 2, "does not fit"),
        ("? [a]\n: 1", 2, "not text"),
        ("a: !!binary aGk=", 2, "bytes"),
    ],
)
def test_malformed_frontmatter_is_refused_with_its_line_in_the_file(yaml: str, line: int, words: str) -> None:
    with pytest.raises(Malformed, match=words) as caught:
        frontmatter.read(f"---\n{yaml}\n---\n".encode())
    assert caught.value.line == line


def test_a_small_text_that_stands_for_a_large_one_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(Malformed, match="too many"):
        frontmatter.read("\n".join(["---", *lines, "---"]).encode())


def test_a_key_that_is_there_twice_is_named_by_place_and_not_by_value() -> None:
    value = "va" + "lue"
    with pytest.raises(Malformed) as caught:
        frontmatter.read(f"---\na: {value}\na: {value}\n---\n".encode())
    assert value not in str(caught.value)


def test_frontmatter_that_is_not_closed_is_refused() -> None:
    with pytest.raises(Malformed, match="not closed"):
        frontmatter.read(b"---\na: 1\n")


def test_plain_words_stay_plain_and_no_values_give_no_frontmatter() -> None:
    assert frontmatter.render({"name": "my-skill", "description": "Use it: often", "on": "on"}, "body\n") == (
        b'---\nname: my-skill\ndescription: "Use it: often"\n"on": "on"\n---\nbody\n'
    )
    assert frontmatter.render({}, "body\n") == b"body\n"


def test_what_frontmatter_cannot_say_is_refused() -> None:
    for value in (float("inf"), "\ud800"):
        with pytest.raises(Unrenderable):
            frontmatter.render({"a": value}, "")
