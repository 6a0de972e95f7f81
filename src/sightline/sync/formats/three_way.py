"""Where each owned key stands between what we applied last, what the source wants and what the target says now.

Pure, over values of any format. A key that we never applied and do not want is nobody's business here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sightline.frozen import frozen
from sightline.sync.formats.values import MISSING, KeyPath, Missing, Value, same_value


class Standing(StrEnum):
    """The nine cases; `new` to `orphan` need nobody's decision."""

    NEW = "new"
    CLEAN = "clean"
    PENDING = "pending"
    CONVERGED = "converged"
    ORPHAN = "orphan"
    ORPHAN_DRIFTED = "orphan_drifted"
    FOREIGN_COLLISION = "foreign_collision"
    DRIFT = "drift"
    CONFLICT = "conflict"

    @property
    def is_automatic(self) -> bool:
        return self in _AUTOMATIC


class Choice(StrEnum):
    """What a person says about a key that needs a decision."""

    KEEP = "keep"
    TAKE = "take"


class Action(StrEnum):
    """What happens to the key at the target."""

    NOTHING = "nothing"
    WRITE = "write"
    DELETE = "delete"
    ASK = "ask"


_AUTOMATIC = frozenset((Standing.NEW, Standing.CLEAN, Standing.PENDING, Standing.CONVERGED, Standing.ORPHAN))
_UNASKED = {
    Standing.NEW: Action.WRITE,
    Standing.CLEAN: Action.NOTHING,
    Standing.PENDING: Action.WRITE,
    Standing.CONVERGED: Action.NOTHING,
    Standing.ORPHAN: Action.DELETE,
}


@frozen
class Key:
    """One key with its three values, and how they stand to one another."""

    path: KeyPath
    applied: Value | Missing
    wanted: Value | Missing
    present: Value | Missing
    standing: Standing


def classify(
    applied: Value | Missing, wanted: Value | Missing, present: Value | Missing, *, ordered: bool = False
) -> Standing:
    """Compare the three values of a key that was applied or is wanted; `ordered` if the order of keys has a meaning."""

    def is_same(one: Value | Missing, other: Value | Missing) -> bool:
        return same_value(one, other, ordered=ordered)

    if applied is MISSING and wanted is MISSING:
        raise ValueError("the key is not ours: neither applied nor wanted")
    if is_same(wanted, present):
        return Standing.CLEAN if is_same(applied, present) else Standing.CONVERGED
    if applied is MISSING:
        return Standing.NEW if present is MISSING else Standing.FOREIGN_COLLISION
    if is_same(applied, present):
        return Standing.ORPHAN if wanted is MISSING else Standing.PENDING
    if wanted is MISSING:
        return Standing.ORPHAN_DRIFTED
    return Standing.DRIFT if is_same(applied, wanted) else Standing.CONFLICT


def decide(standing: Standing, choice: Choice | None = None, *, is_wanted: bool = True) -> Action:
    """What to do; `take` follows the source, which for a key that is wanted no more means to delete it."""
    if (unasked := _UNASKED.get(standing)) is not None:
        return unasked
    if choice is None:
        return Action.ASK
    if choice is Choice.KEEP:
        return Action.NOTHING
    return Action.DELETE if standing is Standing.ORPHAN_DRIFTED or not is_wanted else Action.WRITE


def classify_all(
    applied: Mapping[KeyPath, Value],
    wanted: Mapping[KeyPath, Value],
    present: Mapping[KeyPath, Value],
    *,
    ordered: bool = False,
) -> tuple[Key, ...]:
    """Every key that was applied or is wanted: the wanted ones in their order, then those that go."""
    keys: list[Key] = []
    for path in (*wanted, *(path for path in applied if path not in wanted)):
        three = (applied.get(path, MISSING), wanted.get(path, MISSING), present.get(path, MISSING))
        keys.append(Key(path, *three, classify(*three, ordered=ordered)))
    return tuple(keys)
