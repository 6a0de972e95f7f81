"""Whose memory a unit belongs to.

Some things of a project can only stand in the user's own files. They are remembered under that project, so that a sync
of another one, which does not know them, leaves them alone. What was made around them (tables, the file, folders) is
remembered for the home folder: it may go with the last of several projects. What several projects want in the same
place is there for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath
from sightline.sync.outputs import OutputScope
from sightline.sync.planning.records import PathRecord, StateKey, TargetState, Unit

StateRoot = tuple[OutputScope, Path]


def state_roots(roots: Mapping[OutputScope, Path], project: Path | None) -> tuple[StateRoot, ...]:
    """Every root that has states of these scopes."""
    bound: tuple[StateRoot, ...] = (("user", project),) if "user" in roots and project is not None else ()
    return tuple(dict.fromkeys((*roots.items(), *bound)))


def merged(records: Iterable[PathRecord]) -> PathRecord:
    """What one target remembers of a path, under all roots."""
    first, *others = records
    for other in others:
        made = tuple(dict.fromkeys((*first.made, *other.made)))
        is_created = first.is_created or other.is_created
        first = replace(first, units={**first.units, **other.units}, made=made, is_created=is_created)
    return first


def split(
    record: PathRecord | None, target: str, scope: OutputScope, roots: Mapping[OutputScope, Path], project: Path | None
) -> dict[StateKey, PathRecord | None]:
    """The record by the root that it is remembered under; none where there is nothing to remember."""
    own = StateKey(roots[scope], scope, target)
    if scope != "user" or project is None or project == own.root:
        return {own: record}
    bound = StateKey(project, scope, target)
    if record is None:
        return {own: None, bound: None}
    mine, theirs = _part(record, is_of_project=False), _part(record, is_of_project=True)
    return {
        own: mine if mine.units or mine.made or mine.is_created else None,
        bound: replace(theirs, made=(), is_created=False) if theirs.units else None,
    }


@frozen
class HeldUnit:
    """What another project has somewhere, by its own memory."""

    project: Path
    unit: Unit

    def is_about(self, digest: str | None) -> bool:
        """Whether it is this content: written by us, or kept as it is because a person said so."""
        return digest is not None and digest in (self.unit.digest, self.unit.kept and self.unit.kept[1])


def held_by_others(states: Mapping[StateKey, TargetState]) -> dict[Path, dict[KeyPath, tuple[HeldUnit, ...]]]:
    """What other projects have at each path."""
    held: dict[Path, dict[KeyPath, tuple[HeldUnit, ...]]] = {}
    for state_key, state in states.items():
        for path, record in state.records.items():
            units = held.setdefault(path, {})
            for key, unit in record.units.items():
                units[key] = (*units.get(key, ()), HeldUnit(state_key.root, unit))
    return held


def _part(record: PathRecord, *, is_of_project: bool) -> PathRecord:
    units = {key: unit for key, unit in record.units.items() if is_bound(unit.sources) is is_of_project}
    return replace(record, units=units)


def is_bound(sources: tuple[str, ...]) -> bool:
    """Whether something comes from one project, and not from the person's own configuration."""
    return any(source.rpartition("@")[2] in ("project", "local") for source in sources)
