"""In one word, how a target stands to the source."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sightline.sync.planning.plan import Plan
from sightline.sync.planning.records import StateKey, TargetState


class TargetStatus(StrEnum):
    """`conflict` needs a person, `drifted` needs a sync; `unknown` is what cannot be said with the source unread."""

    NEVER = "never"
    IN_SYNC = "in_sync"
    DRIFTED = "drifted"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"


def status_of(target: str, plan: Plan, states: Mapping[StateKey, TargetState]) -> TargetStatus:
    """By a plan of now that was made for all targets."""
    changes = plan.for_target(target)
    if any(target in problem.targets for problem in plan.problems) or any(change.conflicts for change in changes):
        return TargetStatus.CONFLICT
    is_known = any(key.target == target for key in states)
    if any(change.is_written for change in changes):
        return TargetStatus.DRIFTED if is_known else TargetStatus.NEVER
    return TargetStatus.IN_SYNC
