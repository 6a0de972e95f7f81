"""Whole files: the same value gives the same bytes, and any text survives."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.values import same_value
from sightline.sync.formats.whole_files import render_json, render_toml
from tests.sync.formats import foreign_jsonc, foreign_toml
from tests.sync.formats.effort import thorough

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PROSE = st.lists(st.sampled_from(["a", '"', '""', '"""', "\\", "\n", "\r\n", "\t", "'''", "é", "\x00", " "])).map(
    "".join
)


@thorough
@given(foreign_jsonc.OWNED_VALUES)
def test_json_is_read_back_by_the_standard_library(value: Any) -> None:
    content = render_json(value)
    assert same_value(json.loads(content), value, ordered=True)
    assert render_json(json.loads(content)) == content


@thorough
@given(st.dictionaries(TEXTS, foreign_toml.OWNED_VALUES | PROSE, max_size=4))
def test_toml_is_read_back_by_the_standard_library(value: dict[str, Any]) -> None:
    content = render_toml(value)
    assert same_value(tomllib.loads(content.decode()), value)
    assert render_toml(value) == content


def test_keys_keep_their_order_unless_sorted() -> None:
    assert render_json({"b": 1, "a": {"d": 1, "c": 2}}) == b'{\n  "b": 1,\n  "a": {\n    "d": 1,\n    "c": 2\n  }\n}\n'
    assert render_json({"b": 1, "a": []}, sort_keys=True) == b'{\n  "a": [],\n  "b": 1\n}\n'
    assert render_toml({"b": 1, "a": 2}, sort_keys=True) == b"a = 2\nb = 1\n"


def test_text_over_several_lines_is_readable_in_toml() -> None:
    content = render_toml({"name": "x", "prompt": 'Say "hi".\n\\d\n', "t": {"k": True}})
    assert content == b'name = "x"\nprompt = """\nSay "hi".\n\\\\d\n"""\n\n[t]\nk = true\n'


def test_what_a_format_cannot_say_is_refused() -> None:
    with pytest.raises(Unrenderable):
        render_toml({"a": None})
    with pytest.raises(Unrenderable):
        render_json(float("inf"))
