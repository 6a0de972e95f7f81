"""Any foreign JSON file under any owned edits keeps its bytes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats import jsonc
from sightline.sync.formats.jsonc_scanner import Node, scan
from sightline.sync.formats.values import KeyPath, Missing, entry_step, same_value
from tests.sync.formats.effort import thorough
from tests.sync.formats.foreign_jsonc import OWNED_VALUES, foreign_jsonc
from tests.sync.formats.owned_edits import Edit, Run, edits


@thorough
@given(foreign_jsonc(), edits(OWNED_VALUES), st.lists(st.integers(0, 9), max_size=8))
def test_owned_edits_leave_foreign_text_and_come_off_without_a_trace(
    foreign: tuple[bytes, Any], steps: list[Edit], order: list[int]
) -> None:
    content, value = foreign
    found = jsonc.read_value(content)
    assert same_value({} if isinstance(found, Missing) else found, value, ordered=True)
    run = Run(jsonc, content, value, ordered=True)
    run.play(steps)
    run.remove_all(order)


def _places(node: Node, path: KeyPath = ()) -> list[tuple[KeyPath, Node]]:
    keys = range(len(node.items)) if node.keys is None else node.keys
    places = [(path, node)]
    for key, item in zip(keys, node.items, strict=True):
        places += _places(item, (*path, key))
    return places


@thorough
@given(foreign_jsonc(), OWNED_VALUES, st.integers(0, 20))
def test_replacing_any_value_changes_its_span_and_no_other_byte(
    foreign: tuple[bytes, Any], value: Any, number: int
) -> None:
    text = foreign[0].decode()
    root = scan(text).root
    if root is None:
        return
    places = _places(root)
    path, node = places[number % len(places)]
    after = jsonc.set_value(foreign[0], path, value).decode()
    assert after.startswith(text[: node.start])
    assert after.endswith(text[node.end :])
    assert same_value(jsonc.get_value(after.encode(), path), value, ordered=True)
    assert jsonc.set_value(after.encode(), path, value) == after.encode()


@thorough
@given(foreign_jsonc(), st.integers(0, 20))
def test_removing_any_value_keeps_every_comment_beside_it(foreign: tuple[bytes, Any], number: int) -> None:
    text = foreign[0].decode()
    root = scan(text).root
    places = _places(root)[1:] if root else []
    if root is None or not places:
        return
    path, _node = places[number % len(places)]
    after = scan(jsonc.remove_value(foreign[0], path).decode())
    parent = next(node for at, node in _places(root) if at == path[:-1])
    assert parent.box is not None
    assert after.root is not None
    changed = next(node for at, node in _places(after.root) if at == path[:-1])
    assert changed.box is not None
    assert len(changed.items) == len(parent.items) - 1
    beside = [text[each.start : each.end] for each in parent.box.comments]
    assert [after.text[each.start : each.end] for each in changed.box.comments] == beside


@thorough
@given(foreign_jsonc(), st.lists(st.sampled_from(["own 1", "own 2", "own 3"]), max_size=5), st.integers(0, 9))
def test_items_added_to_any_list_come_off_without_a_trace(
    foreign: tuple[bytes, Any], items: list[str], number: int
) -> None:
    root = scan(foreign[0].decode()).root
    lists = [path for path, node in _places(root) if node.box and node.keys is None] if root else []
    if not lists:
        return
    path, content = lists[number % len(lists)], foreign[0]
    for item in items:
        content = jsonc.set_value(content, (*path, entry_step(item)), item)
        assert jsonc.set_value(content, (*path, entry_step(item)), item) == content
    for item in items:
        content = jsonc.remove_value(content, (*path, entry_step(item)))
    assert content == foreign[0]


@thorough
@given(foreign_jsonc(), edits(OWNED_VALUES), st.lists(st.integers(0, 9), max_size=8))
def test_many_keys_set_at_once_come_off_one_by_one_without_a_trace(
    foreign: tuple[bytes, Any], steps: list[Edit], order: list[int]
) -> None:
    run = Run(jsonc, *foreign, ordered=True)
    run.play_at_once(steps)
    run.remove_all(order)
    assert run.content == foreign[0]
