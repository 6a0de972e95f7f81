"""What the check of one target has to say: where its CLI looks, what to make harmless, what to ask and compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from sightline.sync.formats.values import Value, is_list, is_mapping
from sightline.sync.outputs import TargetPlaces
from sightline.sync.verifying.asking import Cli
from sightline.sync.verifying.neutral import Neutral
from sightline.sync.verifying.results import Finding
from sightline.sync.verifying.trial import Trial, TrialRoot
from sightline.sync.verifying.wanted import Wanted

_HIDDEN = ("<redacted>", "***")


class Checker(Protocol):
    """One target; `versions` are the starts of the versions whose answers are known."""

    @property
    def versions(self) -> tuple[str, ...]: ...

    def roots(self, places: TargetPlaces) -> tuple[TrialRoot, ...]:
        """The folders that the CLI reads, with the files in them that count."""
        ...

    def harmless(self, wanted: Wanted, trial: Trial, neutral: Neutral) -> dict[Path, bytes]:
        """The files with no server to start, none to reach, and no secret; raises `FormatFailed`."""
        ...

    def environment(self, wanted: Wanted) -> Mapping[str, str]:
        """Variables for the CLI, beside those that every trial has."""
        ...

    async def check(self, cli: Cli, wanted: Wanted) -> list[Finding]:
        """Ask and compare; raises `DoesNotStart` and `CannotAsk`."""
        ...


def missing(kind: str, wanted: Mapping[str, str], found: Iterable[str]) -> list[Finding]:
    """A finding for each name that the CLI does not have; `wanted` gives the item of each name."""
    there = set(found)
    return [
        Finding(f"{kind} {name}", "the CLI does not list it", item_id)
        for name, item_id in wanted.items()
        if name not in there
    ]


def differences(place: str, item_id: str, wanted: Mapping[str, Value], found: Mapping[str, Value]) -> list[Finding]:
    """A finding for each field that the CLI has in another way."""
    return [
        Finding(f"{place}.{name}", "the CLI has understood another value", item_id)
        for name in dict.fromkeys((*wanted, *found))
        if not is_same(wanted.get(name), found.get(name))
    ]


def is_same(wanted: Value, found: Value) -> bool:
    """Whether both say the same; nothing and an empty list do, and what the CLI hides counts as the same."""
    if found in _HIDDEN:
        return wanted is not None
    if is_mapping(wanted) and is_mapping(found):
        return set(wanted) == set(found) and all(is_same(wanted[name], found[name]) for name in wanted)
    if is_list(wanted) and is_list(found):
        return len(wanted) == len(found) and all(map(is_same, wanted, found))
    return wanted == found or not (_is_something(wanted) or _is_something(found))


def is_same_order(wanted: Value, found: Value) -> bool:
    """Whether the keys of both stand in the same order, on all levels."""
    one, other = table_in(wanted), table_in(found)
    return list(one) == list(other) and all(is_same_order(one[name], other[name]) for name in one)


def _is_something(value: Value) -> bool:
    return value is not None and value not in ([], {}, ())


def table_in(value: Value) -> Mapping[str, Value]:
    """The value, if it is a table; an empty one if not."""
    return value if is_mapping(value) else dict[str, Value]()


def list_in(value: Value) -> Sequence[Value]:
    return value if is_list(value) else list[Value]()


def strings(value: Value) -> Iterable[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif is_mapping(value):
        for each in value.values():
            yield from strings(each)
    elif is_list(value):
        for each in value:
            yield from strings(each)
