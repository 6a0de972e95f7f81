"""What the targets' own commands said last, kept with what we remember of them until they say that all is well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sightline.sync.planning.records import OpenVerdict, StateKey, TargetState

Verdicts = Mapping[str, OpenVerdict | None]
"""By target, none for one that says that all is well; a target that was not asked is not in it."""


def with_verdicts(
    changed: Mapping[StateKey, TargetState], known: Mapping[StateKey, TargetState], verdicts: Verdicts
) -> dict[StateKey, TargetState]:
    """The states to be written: those that change anyway, and those of which something else is said now."""
    told = {
        key: replace(state, verdict=verdicts.get(key.target, state.verdict))
        for key, state in {**known, **changed}.items()
    }
    return {key: state for key, state in told.items() if key in changed or state != known.get(key)}


def open_verdicts(states: Mapping[StateKey, TargetState]) -> dict[str, OpenVerdict]:
    """The targets that were not verified when they were asked last; what failed counts more."""
    found: dict[str, OpenVerdict] = {}
    for key, state in states.items():
        if state.verdict is not None and (key.target not in found or state.verdict.is_failed):
            found[key.target] = state.verdict
    return found
