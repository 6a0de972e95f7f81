"""What a sync would do: source, last applied and present compared, path by path. Pure but for `read_present`."""

from __future__ import annotations

from sightline.sync.planning.decisions import Blocked, UnitPlan
from sightline.sync.planning.paths import EVERYTHING, Problem
from sightline.sync.planning.plan import PathChange, Plan, PlanInputs, make_plan, paths_to_read
from sightline.sync.planning.present import Present, PresentFile, read_present
from sightline.sync.planning.records import PathRecord, StateKey, TargetState, Unit
from sightline.sync.planning.status import TargetStatus, status_of

__all__ = [
    "EVERYTHING",
    "Blocked",
    "PathChange",
    "PathRecord",
    "Plan",
    "PlanInputs",
    "Present",
    "PresentFile",
    "Problem",
    "StateKey",
    "TargetState",
    "TargetStatus",
    "Unit",
    "UnitPlan",
    "make_plan",
    "paths_to_read",
    "read_present",
    "status_of",
]
