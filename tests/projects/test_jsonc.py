"""JSON as people write it into `pyrightconfig.json`."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.projects.jsonc import parse_jsonc

_LEAVES = st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["//", "/*", "*/", ",}", ',]"', "\\"])
_VALUES = st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
_GAPS = st.sampled_from(["", " ", "\n", "// note\n", "/* note */", "// ]\n", "/* , } ] */", '// "\n', "/* // */"])


def test_comments_of_both_kinds_are_left_out() -> None:
    text = '{ // one\n "a": 1, /* two\n lines */ "b": 2 }'

    assert parse_jsonc(text) == {"a": 1, "b": 2}


def test_trailing_commas_are_left_out_also_before_a_comment() -> None:
    assert parse_jsonc('{"a": [1, 2, ], // last\n}') == {"a": [1, 2]}
    assert parse_jsonc('{"a": 1, /* last */ // really\n }') == {"a": 1}


@pytest.mark.parametrize("text", ["// no", "/* no */", "/*", ",}", ",]", 'a \\" // "', "http://x/**/y", "a,\n}"])
def test_strings_keep_what_only_looks_like_a_comment_or_a_trailing_comma(text: str) -> None:
    assert parse_jsonc(json.dumps({"key": [text]})) == {"key": [text]}


def test_a_bracket_in_a_line_comment_does_not_make_the_comma_before_it_trailing() -> None:
    assert parse_jsonc('{"a": 1, // see {x}\n "b": 2}') == {"a": 1, "b": 2}


def test_two_block_comments_are_not_read_as_one() -> None:
    assert parse_jsonc("[0, /* first */ 1 /* second */]") == [0, 1]


def test_a_byte_order_mark_is_ignored() -> None:
    assert parse_jsonc('\ufeff{"a": 1}') == {"a": 1}


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', "{a: 1}", "/* never closed", '"never closed', "[1 2]", "nul"])
def test_what_is_not_json_even_without_comments_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+ column \d+"):
        parse_jsonc(text)


def test_nesting_that_no_configuration_has_is_refused_like_other_nonsense() -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_jsonc("[" * 100_000)


@given(_VALUES, st.data())
def test_any_value_survives_comments_and_trailing_commas_between_its_tokens(value: Any, data: st.DataObject) -> None:
    def gap() -> str:
        return data.draw(_GAPS)

    def written(node: Any) -> str:
        if isinstance(node, list):
            items = cast("list[Any]", node)
            return "[" + gap() + _joined([written(each) for each in items], gap) + gap() + "]"
        if isinstance(node, dict):
            pairs = cast("dict[str, Any]", node)
            entries = [f"{json.dumps(name)}{gap()}:{gap()}{written(each)}" for name, each in pairs.items()]
            return "{" + gap() + _joined(entries, gap) + gap() + "}"
        return json.dumps(node, ensure_ascii=False)

    assert parse_jsonc(gap() + written(value) + gap()) == value


def _joined(items: list[str], gap: Any) -> str:
    """The items with a comma after each, the last one too."""
    return "".join(f"{each}{gap()},{gap()}" for each in items)
