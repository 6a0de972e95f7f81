"""What happens to one unit, and what is remembered of it afterwards.

The three-way comparison is done on digests. What is blocked at the source is neither written nor removed, and what
another target or project still holds is not removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sightline.frozen import frozen
from sightline.sync.formats.three_way import Action, Choice, Standing, classify, decide
from sightline.sync.formats.values import MISSING, KeyPath
from sightline.sync.planning.records import Unit
from sightline.sync.planning.wanted import WantedUnit

UnitAction = Literal["create", "update", "delete", "keep", "conflict", "same"]


@frozen
class Blocked:
    """Kinds and items that the source could not say for sure; their outputs stay as they are."""

    kinds: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()

    def covers(self, sources: tuple[str, ...]) -> bool:
        """Whether an output of these items must stay; one of unknown origin must, if a whole kind is blocked."""
        if not sources:
            return bool(self.kinds)
        return any(self._covers_item(source) for source in sources)

    def _covers_item(self, source: str) -> bool:
        kind, scope = source.partition(":")[0], source.rpartition("@")[2]
        return source in self.items or kind in self.kinds or ("plugin" in self.kinds and scope == "plugin")


@frozen
class UnitPlan:
    """One unit of a path: what is done and why. `after` is what to remember; none for what is ours no more.

    `is_frozen` leaves every target's memory of it as it is.
    """

    key: KeyPath
    action: UnitAction
    standing: Standing | None
    reason: str
    after: Unit | None
    is_taken: bool = False
    is_frozen: bool = False


@frozen
class Three:
    """A unit between what we applied, what is wanted and what is there."""

    key: KeyPath
    applied: Unit | None
    wanted: WantedUnit | None
    present: str | None


_REASONS: Mapping[Standing, str] = {
    Standing.FOREIGN_COLLISION: "something that is not ours stands there",
    Standing.DRIFT: "it was changed at the target",
    Standing.CONFLICT: "it was changed at the source and at the target",
    Standing.ORPHAN_DRIFTED: "it is gone from the source and was changed at the target",
}


def settle(
    three: Three, choice: Choice | None, blocked: Blocked, held_by: str, *, is_foreign: bool = False
) -> UnitPlan | None:
    """Decide about a unit; none if it is nobody's business any more.

    `held_by` is who else still wants it there; with `is_foreign` it is not ours even if it is just what is wanted.
    """
    key, applied, wanted = three.key, three.applied, three.wanted
    old_sources = applied.sources if applied else None
    if any(blocked.covers(sources) for sources in (old_sources, wanted and wanted.sources) if sources is not None):
        return UnitPlan(key, "keep", None, "the source could not be read in full", applied, is_frozen=True)
    if wanted is None and (applied is None or applied.digest is None):
        return None
    if wanted is None and held_by:
        return UnitPlan(key, "keep", None, f"{held_by} still uses it", None)
    ours = applied.digest if applied else None
    standing = classify(ours or MISSING, wanted.digest if wanted else MISSING, three.present or MISSING)
    action = decide(standing, choice, is_wanted=wanted is not None)
    if is_foreign and standing is Standing.CONVERGED and wanted is not None:
        return UnitPlan(key, "same", standing, "", Unit(None, wanted.sources))
    return _planned(three, standing, action, choice)


def _planned(three: Three, standing: Standing, action: Action, choice: Choice | None) -> UnitPlan:
    key, wanted = three.key, three.wanted
    reason = _REASONS.get(standing, "")
    after = Unit(wanted.digest, wanted.sources) if wanted else None
    match action:
        case Action.WRITE:
            done = "create" if three.present is None else "update"
            return UnitPlan(key, done, standing, reason, after, is_taken=not standing.is_automatic)
        case Action.DELETE:
            done = "delete" if three.present is not None else "same"
            return UnitPlan(key, done, standing, reason, None, is_taken=not standing.is_automatic)
        case Action.ASK if not _was_kept(three):
            return UnitPlan(key, "conflict", standing, reason, three.applied)
        case Action.ASK:
            return UnitPlan(key, "keep", standing, "kept as it is", three.applied)
        case Action.NOTHING if standing.is_automatic:
            return UnitPlan(key, "same", standing, "", after)
        case Action.NOTHING:
            return UnitPlan(key, "keep", standing, f"{reason}; {choice}", _kept(three))


def _was_kept(three: Three) -> bool:
    return three.applied is not None and three.applied.kept == _pair(three)


def _kept(three: Three) -> Unit | None:
    """Remember the answer; a unit that is not wanted any more is let go."""
    if three.wanted is None:
        return None
    digest = three.applied.digest if three.applied else None
    return Unit(digest, three.wanted.sources, _pair(three))


def _pair(three: Three) -> tuple[str, str]:
    return three.wanted.digest if three.wanted else "", three.present or ""
