"""JSON with the line of everything in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.sync.model_values import JsonValue
from sightline.sync.source.json_text import MalformedJson, Pointer, parse_json

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _pointers(value: JsonValue, at: Pointer = ()) -> set[Pointer]:
    found: set[Pointer] = set()
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found |= {(*at, key)} | _pointers(item, (*at, key))
    return found


@settings(deadline=None)
@given(_values, st.sampled_from([None, 2]))
def test_every_key_and_element_has_a_line_and_the_value_is_the_decoders(value: Any, indent: int | None) -> None:
    parsed = parse_json(json.dumps(value, indent=indent))
    assert parsed.value == value
    assert set(parsed.lines) == _pointers(value)
    assert parsed.duplicates == ()


def test_lines_are_those_of_the_keys() -> None:
    parsed = parse_json('{\n "a": {\n  "b": [1,\n   "x\\n\\"]"],\n  "c": 2}\n}')
    assert parsed.lines == {("a",): 2, ("a", "b"): 3, ("a", "b", 0): 3, ("a", "b", 1): 4, ("a", "c"): 5}
    assert parsed.line_of("a", "b", 7) == 3
    assert parsed.line_of("nowhere") == 1


def test_a_key_given_twice_is_reported_and_the_last_one_counts() -> None:
    parsed = parse_json('{"deny": ["a"],\n"deny": []}')
    assert parsed.value == {"deny": []}
    assert parsed.duplicates == (("deny",),)


def test_unwanted_values_are_skipped_but_their_lines_are_counted() -> None:
    parsed = parse_json('{"big": {\n"x": [\n1]\n},\n"mine": {"y": 1}}', lambda pointer: pointer in {(), ("mine",)})
    assert parsed.lines == {("big",): 1, ("mine",): 5, ("mine", "y"): 5}


@pytest.mark.parametrize(
    ("text", "line"),
    [('{\n"a": 1,\n}', 3), ("", 1), ('{"a": NaN}', 1), ("[" * 100_000, 1), ('["\\ud83d\\ude00",\n"\\ud800"]', 1)],
)
def test_malformed_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(MalformedJson) as caught:
        parse_json(text)
    assert caught.value.line == line
