"""Any foreign TOML file under any owned edits keeps its bytes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats import toml_tables
from sightline.sync.formats.failures import NotEditable
from sightline.sync.formats.toml_scanner import scan
from sightline.sync.formats.values import KeyPath, Missing, leaves, same_value, starts_with, value_at
from tests.sync.formats.effort import thorough
from tests.sync.formats.foreign_toml import OWNED_VALUES, foreign_toml
from tests.sync.formats.owned_edits import Edit, Run, edits


@thorough
@given(foreign_toml(), edits(OWNED_VALUES), st.lists(st.integers(0, 9), max_size=8))
def test_owned_edits_leave_foreign_text_and_come_off_without_a_trace(
    foreign: tuple[bytes, dict[str, Any]], steps: list[Edit], order: list[int]
) -> None:
    content, value = foreign
    assert same_value(toml_tables.read_value(content), value)
    run = Run(toml_tables, content, value, ordered=False)
    run.play(steps)
    run.remove_all(order)


def _own_comments(content: bytes) -> list[str]:
    """Comments that are inside of no value."""
    document = scan(content.decode())
    return [document.text[each.start : each.end] for each in document.comments]


def _without(value: Any, path: tuple[str, ...]) -> dict[KeyPath, Any]:
    return {
        at: leaf
        for at, leaf in leaves(value)
        if not starts_with(at, path) and not (leaf == {} and starts_with(path, at))
    }


def _key_paths(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    paths = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            paths += _key_paths(item, (*path, str(key)))  # pyright: ignore[reportUnknownArgumentType]
    return paths


@thorough
@given(foreign_toml(), st.integers(0, 30))
def test_removing_any_key_or_table_keeps_all_other_values_and_every_comment(
    foreign: tuple[bytes, dict[str, Any]], number: int
) -> None:
    content, value = foreign
    paths = _key_paths(value)
    if not paths:
        return
    path = paths[number % len(paths)]
    after = toml_tables.remove_value(content, path)
    found = toml_tables.read_value(after)
    assert isinstance(value_at(found, path), Missing)
    assert sorted(map(repr, _without(found, path).items())) == sorted(map(repr, _without(value, path).items()))
    assert _own_comments(after) == _own_comments(content)


@thorough
@given(foreign_toml(), OWNED_VALUES, st.integers(0, 30))
def test_setting_any_key_keeps_all_other_values_and_every_comment(
    foreign: tuple[bytes, dict[str, Any]], wanted: Any, number: int
) -> None:
    content, value = foreign
    paths = _key_paths(value)
    if not paths:
        return
    path = paths[number % len(paths)]
    try:
        after = toml_tables.set_value(content, path, wanted)
    except NotEditable as error:
        refusal, after = error.reason, b""
    else:
        refusal = None
    if refusal is not None:
        assert refusal == "it is spread over dotted keys of an inline table"
        return
    found = toml_tables.read_value(after)
    assert same_value(value_at(found, path), wanted)
    assert sorted(map(repr, _without(found, path).items())) == sorted(map(repr, _without(value, path).items()))
    assert _own_comments(after) == _own_comments(content)
    assert toml_tables.set_value(after, path, wanted) == after


@thorough
@given(foreign_toml(), edits(OWNED_VALUES), st.lists(st.integers(0, 9), max_size=8))
def test_many_keys_set_at_once_come_off_one_by_one_without_a_trace(
    foreign: tuple[bytes, Any], steps: list[Edit], order: list[int]
) -> None:
    run = Run(toml_tables, *foreign, ordered=False)
    run.play_at_once(steps)
    run.remove_all(order)
    assert run.content == foreign[0]
