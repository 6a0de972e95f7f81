"""The values that files hold, whatever their format, and where in a file a value is."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Final, TypeAlias, TypeGuard

from sightline.frozen import frozen

Value: TypeAlias = "Mapping[str, Value] | Sequence[Value] | str | int | float | bool | datetime | date | time | None"
Step: TypeAlias = str | int
KeyPath: TypeAlias = tuple[Step, ...]

_FIRST_ENTRY = 1 << 64


@frozen
class Edited:
    """A file after an edit, and the tables or objects that were made for it, to be given to a later removal."""

    content: bytes
    made: tuple[KeyPath, ...]


class Missing:
    """The type of `MISSING`: no value at all, as opposed to a null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing()


def is_mapping(value: Value | Missing) -> TypeGuard[Mapping[str, Value]]:
    return isinstance(value, Mapping)


def is_list(value: Value | Missing) -> TypeGuard[Sequence[Value]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def entry_step(entry: Value) -> int:
    """The step to an entry of a list by what it says, not by where it stands; no list is as long as this number."""
    text = json.dumps(entry, sort_keys=True, default=str)
    return _FIRST_ENTRY + int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def is_entry(step: Step) -> bool:
    return isinstance(step, int) and step >= _FIRST_ENTRY


def index_of(entries: Sequence[Value], step: int) -> int | None:
    """Where in the list the step leads to."""
    if is_entry(step):
        return next((at for at, entry in enumerate(entries) if entry_step(entry) == step), None)
    return step if 0 <= step < len(entries) else None


def value_at(value: Value, path: KeyPath) -> Value | Missing:
    """What stands at the path, or `MISSING`."""
    found: Value | Missing = value
    for step in path:
        found = _value_of(found, step)
    return found


def _value_of(value: Value | Missing, step: Step) -> Value | Missing:
    if isinstance(step, str):
        return value[step] if is_mapping(value) and step in value else MISSING
    at = index_of(value, step) if is_list(value) else None
    return MISSING if at is None or not is_list(value) else value[at]


def same_value(one: Value | Missing, other: Value | Missing, *, ordered: bool = False) -> bool:
    """Whether two values are written alike: `1`, `1.0` and `true` differ, and so may the order of keys."""
    if is_mapping(one) and is_mapping(other):
        if (list(one) != list(other)) if ordered else (one.keys() != other.keys()):
            return False
        return all(same_value(item, other[key], ordered=ordered) for key, item in one.items())
    if is_list(one) and is_list(other):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same_value(left, right, ordered=ordered) for left, right in pairs)
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return one == other


def nested(path: KeyPath, value: Value) -> Value:
    """The value inside one mapping for each step of the path, or inside a list for the step to an entry."""
    for step in reversed(path):
        value = [value] if is_entry(step) else {str(step): value}
    return value


def leaves(value: Value, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Value]]:
    """Every value that is no mapping, and every empty mapping, with its path."""
    if is_mapping(value) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def starts_with(path: KeyPath, prefix: KeyPath) -> bool:
    return path[: len(prefix)] == prefix


def is_within(path: KeyPath, roots: Collection[KeyPath]) -> bool:
    """Whether the path is one of the roots or leads on from one."""
    return any(path[:length] in roots for length in range(len(path) + 1))


def overlapping(paths: Collection[KeyPath]) -> KeyPath | None:
    """A path that leads on from another of them."""
    return next((path for path in paths if path and is_within(path[:-1], paths)), None)


def shown_step(step: Step) -> str:
    return f"{step:x}"[-12:] if isinstance(step, int) and is_entry(step) else str(step)


def shown_path(path: KeyPath) -> str:
    return ".".join(map(shown_step, path)) or "the whole file"
