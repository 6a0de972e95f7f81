"""Fields above a Markdown body."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.sync.model_values import JsonValue
from sightline.sync.source import frontmatter
from sightline.sync.source.frontmatter import (
    MalformedFrontmatter,
    as_flag,
    as_globs,
    as_text,
    as_words,
    split_document,
)


def test_fields_body_and_lines_are_told_apart() -> None:
    document = split_document("---\nname: a\n\ndescription: Two words\n---\nBody\n---\n")
    assert document.frontmatter.fields == {"name": "a", "description": "Two words"}
    assert document.frontmatter.lines == {"name": 2, "description": 4}
    assert (document.body, document.body_line, document.remark) == ("Body\n---\n", 6, "")


def test_windows_line_endings_are_understood() -> None:
    document = split_document("---\r\nname: a\r\n---\r\nBody\r\n")
    assert document.frontmatter.fields == {"name": "a"}
    assert document.body == "Body\r\n"


def test_text_without_fields_is_all_body() -> None:
    assert split_document("Body\n---\nx: 1\n---\n").body == "Body\n---\nx: 1\n---\n"


def test_fields_that_are_not_closed_count_as_text_and_that_is_said() -> None:
    document = split_document("---\nname: a\n")
    assert document.body == "---\nname: a\n"
    assert "not closed" in document.remark


def test_yaml_of_all_kinds_becomes_plain_values() -> None:
    document = split_document("---\na: [x, 1]\nb:\n  c: 2.5\n  d: null\ne: |\n  one\n  two\nf: yes\n---\n")
    assert document.frontmatter.fields == {"a": ["x", 1], "b": {"c": 2.5, "d": None}, "e": "one\ntwo\n", "f": "yes"}
    assert document.frontmatter.lines["e"] == 6


def test_a_value_with_a_colon_is_taken_line_by_line_and_that_is_said() -> None:
    document = split_document("---\nname: a\ndescription: Use this: it's good\ntools:\n  - Read\n---\n")
    assert document.frontmatter.fields == {"name": "a", "description": "Use this: it's good", "tools": ["Read"]}
    assert "line 3" in document.remark


@pytest.mark.parametrize("value", ["[env] [version]", "**/*.ts", "*.py", "{a} {b}", '"one" two', "> one: two"])
def test_a_value_that_only_looks_like_yaml_is_taken_as_text(value: str) -> None:
    document = split_document(f"---\nname: a\nhint: {value}\ntools: [Read, Grep]\n---\nbody\n")
    assert document.frontmatter.fields == {"name": "a", "hint": value, "tools": ["Read", "Grep"]}
    assert document.remark


@pytest.mark.parametrize(("text", "line"), [("a: [1\nb: {", 3), ("- 1\n- 2\n", 2), ("a: 1\na: 2\n", 3)])
def test_what_is_no_yaml_either_way_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(MalformedFrontmatter) as caught:
        split_document(f"---\n{text}\n---\n")
    assert abs(caught.value.line - line) <= 1


def test_aliases_cannot_blow_up() -> None:
    levels = "\n".join(f"k{n}: &k{n} [*k{n - 1}, *k{n - 1}, *k{n - 1}, *k{n - 1}]" for n in range(1, 12))
    with pytest.raises(MalformedFrontmatter, match="too large"):
        split_document(f"---\nk0: &k0 [1, 1]\n{levels}\n---\n")


@settings(deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True), st.text(max_size=30), max_size=4))
def test_the_short_way_through_simple_fields_agrees_with_the_yaml_reader(fields: dict[str, str]) -> None:
    text = "".join(f"{key}: {value}\n" for key, value in fields.items())
    simple = frontmatter._read_simple(text)  # pyright: ignore[reportPrivateUsage]
    if simple is not None:
        full = frontmatter._read_yaml(text)  # pyright: ignore[reportPrivateUsage]
        assert simple.fields == full.fields
        assert simple.lines == full.lines


@pytest.mark.parametrize("value", [True, "yes", "On", "1", 1, "TRUE"])
def test_words_for_true(value: JsonValue) -> None:
    assert as_flag(value, False)


@pytest.mark.parametrize("value", [False, "no", "Off", "0", 0, "False"])
def test_words_for_false(value: JsonValue) -> None:
    assert not as_flag(value, True)


def test_a_flag_that_is_neither_is_the_default() -> None:
    assert (as_flag(None, True), as_flag("maybe", False)) == (True, False)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("Read, Grep", ("Read", "Grep")),
        ("Read Grep", ("Read", "Grep")),
        ("Bash(git diff *), Read", ("Bash(git diff *)", "Read")),
        (["Read", " Bash(a, b) "], ("Read", "Bash(a, b)")),
        (None, ()),
        ("", ()),
    ],
)
def test_lists_may_be_strings(value: JsonValue, words: tuple[str, ...]) -> None:
    assert as_words(value) == words


def test_globs_are_split_at_commas_outside_of_braces_only() -> None:
    assert as_globs("src/**/*.{ts,tsx}, my docs/*.md") == ("src/**/*.{ts,tsx}", "my docs/*.md")


def test_values_as_text() -> None:
    values: list[JsonValue] = [None, True, 1, "x", ["a", 2], {"a": 1}]
    assert [as_text(value) for value in values] == ["", "true", "1", "x", "a, 2", ""]
