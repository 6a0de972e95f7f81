"""The plan over all targets: every path that would change, every conflict, every problem; nothing is written here.

Pure: source x last applied x target now. Shared paths are built from all targets together, even for one alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from sightline.frozen import frozen
from sightline.sync.formats.three_way import Choice
from sightline.sync.model_values import InputFile
from sightline.sync.outputs import OutputScope, Rendered
from sightline.sync.planning.decisions import Blocked, UnitPlan
from sightline.sync.planning.diffs import shown_diff
from sightline.sync.planning.holders import held_by_others, merged, split, state_roots
from sightline.sync.planning.paths import PathInputs, PathPlan, Problem, place_of, plan_path
from sightline.sync.planning.plan_id import plan_id_of
from sightline.sync.planning.present import Present, PresentFile, missing_folders
from sightline.sync.planning.records import PathRecord, StateKey, TargetState
from sightline.sync.planning.wanted import Dispute, WantedPath, unite
from sightline.sync.secrets import SecretValues

ChangeAction = Literal["create", "update", "delete", "keep", "conflict"]


@frozen
class PlanInputs:
    """All that a plan depends on.

    `roots` says which scopes are in play and whose state they have: the project, the home folder. `allowed` are the
    folders that may be written to, `project` is the one whose items may also stand in the user's files. `rendered`
    holds all enabled targets, even if the plan is for `only` some of them. `others` is what other projects have in the
    user's files.
    """

    rendered: Mapping[str, Rendered]
    roots: Mapping[OutputScope, Path]
    states: Mapping[StateKey, TargetState]
    present: Present
    allowed: tuple[Path, ...]
    source_inputs: tuple[InputFile, ...] = ()
    blocked: Blocked = Blocked()
    choices: Mapping[str, Choice] = field(default_factory=dict[str, Choice])
    only: frozenset[str] | None = None
    secrets: SecretValues = field(default_factory=SecretValues, repr=False)
    allow_secrets: bool = False
    project: Path | None = None
    others: Mapping[StateKey, TargetState] = field(default_factory=dict[StateKey, TargetState])


@frozen
class PathChange:
    """One path of a plan, `name` is how it is shown; `units` tells about single keys and blocks, by their places."""

    path: Path
    name: str
    scope: OutputScope
    action: ChangeAction
    targets: frozenset[str]
    units: Mapping[str, UnitPlan]
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)
    mode: int | None
    is_shared: bool
    secrets: SecretValues = field(repr=False, compare=False)

    @property
    def diff(self) -> str:
        """The change for a person's eyes: no foreign line of a shared file, no secret; empty if nothing is written."""
        if not self.is_written:
            return ""
        return shown_diff(self.name, self.before, self.after, self.secrets, is_shared=self.is_shared)

    @property
    def is_written(self) -> bool:
        return self.action in ("create", "update", "delete")

    @property
    def conflicts(self) -> tuple[str, ...]:
        return tuple(place for place, unit in self.units.items() if unit.action == "conflict")


@frozen
class Plan:
    """What would be done; `states` are those that would have to be written."""

    plan_id: str
    changes: tuple[PathChange, ...]
    problems: tuple[Problem, ...]
    states: Mapping[StateKey, TargetState]
    inputs: PlanInputs = field(repr=False, compare=False)

    @property
    def writes(self) -> tuple[PathChange, ...]:
        return tuple(change for change in self.changes if change.is_written)

    @property
    def is_empty(self) -> bool:
        """Whether applying it would write nothing at all."""
        return not self.writes and not self.states

    @property
    def conflicts(self) -> tuple[str, ...]:
        return tuple(place for change in self.changes for place in change.conflicts)

    @property
    def diff(self) -> str:
        return "".join(change.diff for change in self.changes)

    def for_target(self, target: str) -> tuple[PathChange, ...]:
        return tuple(change for change in self.changes if target in change.targets)


def paths_to_read(
    rendered: Mapping[str, Rendered], roots: Mapping[OutputScope, Path], states: Mapping[StateKey, TargetState]
) -> frozenset[Path]:
    """Every path that the plan has to know the present state of."""
    wanted = {output.path for each in rendered.values() for output in each.outputs if output.scope in roots}
    return frozenset(wanted.union(*(state.records for state in states.values())))


def make_plan(inputs: PlanInputs) -> Plan:
    """Plan every path on its own; one that has a problem is left alone and the others go on."""
    wanted, disputes = unite(inputs.rendered, inputs.roots)
    problems = [_problem(dispute) for dispute in disputes.values() if _is_asked(inputs, dispute.targets)]
    changes: list[PathChange] = []
    records: dict[StateKey, dict[Path, PathRecord | None]] = {}
    folders: dict[StateKey, set[Path]] = {}
    for scope, each in _path_inputs(inputs, wanted, disputes):
        planned = plan_path(each)
        if isinstance(planned, Problem):
            problems.append(planned)
            continue
        if change := _change(planned, scope, inputs.secrets):
            changes.append(change)
        made = missing_folders(each.path, inputs.present, inputs.allowed) if _is_created(planned) else ()
        for target, whole in planned.records.items():
            for key, record in split(whole, target, scope, inputs.roots, inputs.project).items():
                records.setdefault(key, {})[each.path] = record
            if whole is not None:
                folders.setdefault(StateKey(inputs.roots[scope], scope, target), set()).update(made)
    states = _new_states(inputs.states, records, folders)
    return Plan(plan_id_of(inputs), tuple(changes), tuple(problems), states, inputs)


def _is_created(planned: PathPlan) -> bool:
    return planned.before is None and planned.after is not None


def _is_asked(inputs: PlanInputs, targets: frozenset[str]) -> bool:
    return inputs.only is None or not inputs.only.isdisjoint(targets)


def _problem(dispute: Dispute) -> Problem:
    return Problem("disputed", dispute.path, dispute.reason, dispute.targets)


def _path_inputs(
    inputs: PlanInputs, wanted: Mapping[Path, WantedPath], disputes: Mapping[Path, Dispute]
) -> Iterator[tuple[OutputScope, PathInputs]]:
    records: dict[Path, dict[str, list[PathRecord]]] = {}
    known_roots = state_roots(inputs.roots, inputs.project)
    held = held_by_others(inputs.others)
    scopes: dict[Path, OutputScope] = {path: each.scope for path, each in wanted.items()}
    for key, state in sorted(inputs.states.items(), key=lambda item: str(item[0])):
        if (key.scope, key.root) in known_roots:
            for path, record in state.records.items():
                if scopes.setdefault(path, key.scope) == key.scope:
                    records.setdefault(path, {}).setdefault(key.target, []).append(record)
    for path in sorted(scopes):
        each = PathInputs(
            path,
            _shown_name(path, scopes[path], inputs.roots),
            wanted.get(path),
            {target: merged(each) for target, each in records.get(path, {}).items()},
            inputs.present.files.get(path, PresentFile("unreadable")),
            frozenset(inputs.rendered),
            inputs.choices,
            inputs.blocked,
            inputs.allow_secrets,
            is_of_many=scopes[path] == "user" and inputs.project is not None,
            others=held.get(path, {}) if scopes[path] == "user" else {},
        )
        if path not in disputes and _is_asked(inputs, each.targets) and not _is_only_remembered(each):
            yield scopes[path], each


def _is_only_remembered(each: PathInputs) -> bool:
    """Whether nothing of this project is, or shall be, in a file of the person's that another one has a part in."""
    has_units = any(record.units for record in each.records.values())
    return each.wanted is None and not has_units and each.present.standing != "missing"


def _shown_name(path: Path, scope: OutputScope, roots: Mapping[OutputScope, Path]) -> str:
    """Relative to the project, or to the home folder as `~/…`."""
    root = roots[scope]
    if not path.is_relative_to(root):
        return path.as_posix()
    name = path.relative_to(root).as_posix()
    return f"~/{name}" if scope == "user" else name


def _change(planned: PathPlan, scope: OutputScope, secrets: SecretValues) -> PathChange | None:
    action = _action(planned)
    if action is None:
        return None
    units = {place_of(planned.name, planned.kind, unit.key): unit for unit in planned.units}
    is_shared = planned.kind != "file" or any(unit.is_taken for unit in planned.units)
    return PathChange(
        path=planned.path,
        name=planned.name,
        scope=scope,
        action=action,
        targets=planned.targets,
        units=units,
        before=planned.before,
        after=planned.after,
        mode=planned.mode,
        is_shared=is_shared,
        secrets=secrets,
    )


def _action(planned: PathPlan) -> ChangeAction | None:
    if planned.is_changed:
        if planned.before is None:
            return "create"
        return "delete" if planned.after is None else "update"
    if planned.conflicts:
        return "conflict"
    return "keep" if planned.units else None


def _new_states(
    old: Mapping[StateKey, TargetState],
    records: Mapping[StateKey, Mapping[Path, PathRecord | None]],
    folders: Mapping[StateKey, set[Path]],
) -> dict[StateKey, TargetState]:
    """The states that differ from those of now; a target that has nothing yet gets no state."""
    states: dict[StateKey, TargetState] = {}
    for key, changed in records.items():
        before = old.get(key, TargetState())
        both: dict[Path, PathRecord | None] = {**before.records, **changed}
        kept = {path: record for path, record in sorted(both.items()) if record is not None}
        after = replace(before, records=kept, folders=before.folders | folders.get(key, set()))
        if after != before:
            states[key] = after
    return states
