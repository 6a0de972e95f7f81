"""Random owned edits for any editor, and what must hold after each of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hypothesis import strategies as st

from sightline.sync.formats.values import Edited, KeyPath, Missing, Value, same_value


class Editor(Protocol):
    """What `jsonc` and `toml_tables` both offer."""

    def read_value(self, content: bytes, /) -> Value | Missing: ...
    def get_value(self, content: bytes, path: KeyPath, /) -> Value | Missing: ...
    def parents_to_make(self, content: bytes, path: KeyPath, value: Value, /) -> tuple[KeyPath, ...]: ...
    def set_value(self, content: bytes, path: KeyPath, value: Value, /) -> bytes: ...
    def set_values(self, content: bytes, values: Mapping[KeyPath, Value], /) -> Edited: ...
    def remove_value(self, content: bytes, path: KeyPath, made: Collection[KeyPath], /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Edit:
    """Set an owned key below the nth foreign table, or remove it if there is no value."""

    table: int
    inner: tuple[str, ...]
    value: Any
    is_removal: bool


def edits(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Edit]]:
    """No owned path leads through another: tables of ours are named `m…`, keys `o…`."""
    tables = st.lists(st.sampled_from(["m1", "m2 .x"]), max_size=2)
    keys = st.sampled_from(["o1", "o2", "o 3", 'o"4', "oé"])
    inner = st.tuples(tables, keys).map(lambda parts: (*parts[0], parts[1]))
    edit = st.builds(Edit, st.integers(0, 3), inner, values, st.sampled_from([False, False, False, True]))
    return st.lists(edit, min_size=1, max_size=8)


def table_paths(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every table that keys alone lead to."""
    if not isinstance(value, dict):
        return []
    paths = [path]
    for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
        paths += table_paths(item, (*path, str(key)))  # pyright: ignore[reportUnknownArgumentType]
    return paths


def is_subsequence(part: str, whole: str) -> bool:
    """Whether cutting characters out of the whole can give the part."""
    rest = iter(whole)
    return all(character in rest for character in part)


@dataclass(slots=True)
class Run:
    """One file under a sequence of edits, beside a plain model of what it should say."""

    editor: Editor
    original: bytes
    model: Any
    ordered: bool
    is_foreign_kept: Callable[[str, str], bool] = is_subsequence
    content: bytes = b""
    made: list[KeyPath] = field(default_factory=list[KeyPath])
    owned: dict[KeyPath, Any] = field(default_factory=dict[KeyPath, Any])

    def play(self, steps: Sequence[Edit]) -> None:
        self.content = self.original
        tables = table_paths(self.model) or [()]
        for step in steps:
            path = (*tables[step.table % len(tables)], *step.inner)
            if step.is_removal:
                self._remove(path)
            else:
                self._set(path, step.value)

    def play_at_once(self, steps: Sequence[Edit]) -> None:
        """All that is set, in one edit."""
        tables = table_paths(self.model) or [()]
        wanted: dict[KeyPath, Any] = {(*tables[step.table % len(tables)], *step.inner): step.value for step in steps}
        edited = self.editor.set_values(self.original, wanted)
        self.content, self.made, self.owned = edited.content, list(edited.made), dict(wanted)
        assert self.editor.set_values(self.content, wanted) == Edited(self.content, ())
        self._check()

    def _set(self, path: KeyPath, value: Any) -> None:
        self.made += self.editor.parents_to_make(self.content, path, value)
        self.content = self.editor.set_value(self.content, path, value)
        self.owned[path] = value
        assert same_value(self.editor.get_value(self.content, path), value, ordered=self.ordered)
        assert self.editor.set_value(self.content, path, value) == self.content
        self._check()

    def _remove(self, path: KeyPath) -> None:
        self.content = self.editor.remove_value(self.content, path, self.made)
        self.owned.pop(path, None)
        assert isinstance(self.editor.get_value(self.content, path), Missing)
        assert self.editor.remove_value(self.content, path, self.made) == self.content
        self._check()

    def _check(self) -> None:
        expected = copy.deepcopy(self.model)
        for path, value in self.owned.items():
            table = expected
            for step in path[:-1]:
                table = table.setdefault(step, {})
            table[path[-1]] = value
        found = self.editor.read_value(self.content)
        assert same_value({} if isinstance(found, Missing) else found, expected)
        assert self.is_foreign_kept(self.original.decode(), self.content.decode())

    def remove_all(self, order: Sequence[int]) -> None:
        """Take everything owned out, in any order; the file must be what it was."""
        paths = list(self.owned)
        for number in order:
            if paths:
                self._remove(paths.pop(number % len(paths)))
        for path in paths:
            self._remove(path)
        assert self.content == self.original
