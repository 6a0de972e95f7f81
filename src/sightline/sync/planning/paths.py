"""The plan for one path: from what is remembered, wanted and there to the bytes that it shall have. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from sightline.frozen import frozen
from sightline.sync.formats.failures import DamagedMarks, FormatFailed, Malformed
from sightline.sync.formats.three_way import Choice
from sightline.sync.formats.values import KeyPath, Value, is_entry, shown_step, starts_with
from sightline.sync.planning.decisions import Blocked, Three, UnitPlan, settle
from sightline.sync.planning.editing import edited, present_digests, tables_in
from sightline.sync.planning.holders import HeldUnit, is_bound
from sightline.sync.planning.present import PresentFile
from sightline.sync.planning.records import PathKind, PathRecord, Unit, file_digest
from sightline.sync.planning.reverse import reversals
from sightline.sync.planning.wanted import WantedPath, WantedUnit
from sightline.sync.secrets import holds_secret

ProblemKind = Literal[
    "target_malformed", "disputed", "link", "not_a_file", "outside", "unreadable", "read_only", "uneditable", "secret"
]
EVERYTHING = "*"
_BARE = re.compile(r"[\w-]+")

_STANDING_REASONS: Mapping[str, tuple[ProblemKind, str]] = {
    "link": ("link", "it is, or lies behind, a symbolic link, and what that leads to may be the source itself"),
    "not_a_file": ("not_a_file", "something that is not a regular file has this name"),
    "outside": ("outside", "it lies outside the folders that may be written to"),
    "unreadable": ("unreadable", "it cannot be read"),
}


@frozen
class Problem:
    """A path that is left alone, with all that is wanted there; `line` is 0 where no line is to blame."""

    kind: ProblemKind
    path: Path
    message: str
    targets: frozenset[str] = frozenset()
    line: int = 0


@frozen
class PathInputs:
    """Everything that a path's plan depends on.

    `name` is how the path is shown; `running` are the targets of this run, while others only hold what they have.
    `is_of_many` for a file of the person's that other projects may have something in, too; `others` is what they have.
    """

    path: Path
    name: str
    wanted: WantedPath | None
    records: Mapping[str, PathRecord]
    present: PresentFile
    running: frozenset[str]
    choices: Mapping[str, Choice]
    blocked: Blocked
    allow_secrets: bool = False
    is_of_many: bool = False
    others: Mapping[KeyPath, tuple[HeldUnit, ...]] = field(default_factory=dict[KeyPath, tuple[HeldUnit, ...]])

    @property
    def kind(self) -> PathKind:
        return self.wanted.kind if self.wanted else next(iter(self.records.values())).kind

    @property
    def targets(self) -> frozenset[str]:
        return frozenset((*self.records, *(self.wanted.targets if self.wanted else ())))

    @property
    def wanted_units(self) -> Mapping[KeyPath, WantedUnit]:
        return self.wanted.units if self.wanted else dict[KeyPath, WantedUnit]()


@frozen
class PathPlan:
    """The bytes before and after, every unit that is not simply the same, and what each target remembers then."""

    path: Path
    name: str
    kind: PathKind
    targets: frozenset[str]
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)
    mode: int | None
    units: tuple[UnitPlan, ...]
    records: Mapping[str, PathRecord | None]

    @property
    def is_changed(self) -> bool:
        return self.before != self.after or self.mode is not None

    @property
    def conflicts(self) -> tuple[UnitPlan, ...]:
        return tuple(unit for unit in self.units if unit.action == "conflict")


def place_of(name: str, kind: PathKind, key: KeyPath) -> str:
    """How a unit is named in choices and answers: the file alone, or `file#key.key`."""
    return name if kind == "file" else f"{name}#{shown_key(key)}"


def shown_key(key: KeyPath) -> str:
    """The key as places have it."""
    steps = map(shown_step, key)
    return ".".join(step if _BARE.fullmatch(step) else json.dumps(step, ensure_ascii=False) for step in steps)


def plan_path(inputs: PathInputs) -> PathPlan | Problem:
    """Plan one path, or say why it is left alone."""
    if inputs.present.standing in _STANDING_REASONS:
        kind, reason = _STANDING_REASONS[inputs.present.standing]
        return Problem(kind, inputs.path, reason, inputs.targets)
    if any(record.kind != inputs.kind for record in inputs.records.values()):
        reason = "it was written in another way before: move it away, and plan again"
        return Problem("uneditable", inputs.path, reason, inputs.targets)
    try:
        planned = _planned(inputs)
    except (Malformed, DamagedMarks) as error:
        return Problem("target_malformed", inputs.path, error.message, inputs.targets, error.line)
    except FormatFailed as error:
        return Problem("uneditable", inputs.path, str(error), inputs.targets)
    return _objection(inputs, planned) or planned


def _objection(inputs: PathInputs, planned: PathPlan) -> Problem | None:
    """Why a change that could be made must not be."""
    if planned.is_changed and inputs.present.mode is not None and not inputs.present.mode & 0o222:
        return Problem("read_only", inputs.path, "it is read-only", inputs.targets)
    if not inputs.allow_secrets and _would_copy_secret(planned):
        reason = "what would be replaced holds a secret, which must not get into a backup: take it out by hand first"
        return Problem("secret", inputs.path, reason, inputs.targets)
    return None


def _would_copy_secret(plan: PathPlan) -> bool:
    if plan.before is None or not plan.is_changed:
        return False
    if plan.kind == "file" and not any(unit.is_taken for unit in plan.units):
        return False  # our own bytes, which were scanned at the source
    old = plan.before if plan.after is None else b"\n".join(each.old for each in reversals(plan.before, plan.after))
    return holds_secret(old.decode("utf-8", errors="replace"))


def _planned(inputs: PathInputs) -> PathPlan:
    applied = _applied_units(inputs)
    wanted = inputs.wanted_units
    present = _present_digests(inputs, {*applied, *wanted})
    applied, present = _with_split_keys(applied, wanted, present)
    units: list[UnitPlan] = []
    for key in (*wanted, *(key for key in applied if key not in wanted)):
        three = Three(key, applied.get(key), wanted.get(key), present.get(key))
        is_foreign = _is_of_somebody_else(inputs, three)
        unit = settle(three, _choice(inputs, key), inputs.blocked, _held_by(inputs, three), is_foreign=is_foreign)
        if unit is not None:
            units.append(unit)
    after, mode, made = _contents(inputs, units)
    is_made_now = inputs.present.content is None and after is not None
    is_created = is_made_now or any(record.is_created for record in inputs.records.values())
    if after is None:
        made, is_created = (), False
    records = {target: _record(inputs, target, units, made, is_created) for target in inputs.targets}
    shown = tuple(unit for unit in units if unit.action != "same")
    return PathPlan(
        inputs.path, inputs.name, inputs.kind, inputs.targets, inputs.present.content, after, mode, shown, records
    )


def _choice(inputs: PathInputs, key: KeyPath) -> Choice | None:
    place = place_of(inputs.name, inputs.kind, key)
    return inputs.choices.get(place, inputs.choices.get(EVERYTHING))


def _held_by(inputs: PathInputs, three: Three) -> str:
    """Who else wants it there: a target that is not of this run, another project; empty if nobody."""
    records = (record for target, record in inputs.records.items() if target not in inputs.running)
    if any(record.units[three.key].digest for record in records if three.key in record.units):
        return "another target"
    others = inputs.others.get(three.key, ())
    return next((f"the project `{each.project}`" for each in others if each.is_about(three.present)), "")


def _is_of_somebody_else(inputs: PathInputs, three: Three) -> bool:
    """Whether just this stood in a file of the person's before we wrote it: it must not go with our wish for it.

    Only what adds to a person's own list, or speaks for one project. Of the rest an equal entry is taken for ours, so
    that a person who has lost our memory is not asked about everything.
    """
    if not inputs.is_of_many or inputs.kind in ("file", "block") or three.wanted is None:
        return False
    if not is_entry(three.key[-1]) and not is_bound(three.wanted.sources):
        return False
    is_known = three.applied is not None and three.applied.digest is not None
    others = inputs.others.get(three.key, ())
    return not is_known and not any(each.unit.digest == three.present for each in others)


def _applied_units(inputs: PathInputs) -> dict[KeyPath, Unit]:
    """What all targets remember; the memory of a target that is not of this run may be older than the others'."""
    units: dict[KeyPath, Unit] = {}
    for target in sorted(inputs.records, key=lambda name: (name in inputs.running, name)):
        units.update(inputs.records[target].units)
    return units


def _present_digests(inputs: PathInputs, keys: set[KeyPath]) -> dict[KeyPath, str]:
    content = inputs.present.content
    if inputs.kind != "file":
        return present_digests(inputs.kind, content, keys)
    return {} if content is None else {(): file_digest(content, inputs.present.mode)}


def _with_split_keys(
    applied: dict[KeyPath, Unit], wanted: Mapping[KeyPath, WantedUnit], present: dict[KeyPath, str]
) -> tuple[dict[KeyPath, Unit], dict[KeyPath, str]]:
    """What we wrote as a whole and want in parts now: if nobody changed it, it goes and the parts are written anew.

    Otherwise it is let go, and each part is looked at by itself.
    """
    tables = {key[:length] for key in wanted for length in range(len(key))}
    for whole in [key for key in applied if key in tables and key not in wanted]:
        if applied[whole].digest is None or present.get(whole) != applied[whole].digest:
            del applied[whole]
        else:
            present = {key: each for key, each in present.items() if key == whole or not starts_with(key, whole)}
    return applied, present


def _contents(inputs: PathInputs, units: list[UnitPlan]) -> tuple[bytes | None, int | None, tuple[KeyPath, ...]]:
    """The new bytes, the mode to set, and the tables that are there for us."""
    if inputs.kind == "file":
        return (*_file_contents(inputs, units), ())
    wanted = inputs.wanted_units
    writes: dict[KeyPath, Value] = {}
    for unit in units:
        content = wanted[unit.key].content if unit.action in ("create", "update") else None
        if unit.action in ("create", "update") and not isinstance(content, bytes):
            writes[unit.key] = content
    removals = [unit.key for unit in units if unit.action == "delete"]
    made = {table for record in inputs.records.values() for table in record.made}
    before = inputs.present.content
    if not writes and not removals:
        return before, None, tuple(sorted(made, key=str))
    after, new_tables = edited(inputs.kind, before or b"", writes, removals, made)
    made.update(new_tables)
    if inputs.is_of_many:
        made = tables_in(inputs.kind, after, made)
    is_ours = any(record.is_created for record in inputs.records.values())
    is_gone = is_ours and not after.strip(b" \t\r\n\xef\xbb\xbf")
    return (None if is_gone else after), None, tuple(sorted(made, key=str))


def _file_contents(inputs: PathInputs, units: list[UnitPlan]) -> tuple[bytes | None, int | None]:
    before = inputs.present.content
    if not units or units[0].action not in ("create", "update", "delete"):
        return before, None
    if units[0].action == "delete" or inputs.wanted is None:
        return None, None
    content = inputs.wanted.units[()].content
    after = content if isinstance(content, bytes) else before
    mode, now = inputs.wanted.mode, inputs.present.mode
    if mode is not None and now is not None:
        mode = None if (mode ^ now) & 0o100 == 0 else _with_run_bits(now, mode)
    return after, mode


def _with_run_bits(now: int, wanted: int) -> int:
    """An existing file keeps who may read it; only whether it may be run is ours."""
    return now | (now & 0o444) >> 2 if wanted & 0o100 else now & ~0o111


def _record(
    inputs: PathInputs, target: str, units: list[UnitPlan], made: tuple[KeyPath, ...], is_created: bool
) -> PathRecord | None:
    """What a target remembers of the path afterwards; none if it has no part in it.

    What is there for our sake in a file of many projects is remembered beyond the units of this one.
    """
    old = inputs.records.get(target)
    after: dict[KeyPath, Unit] = {}
    for unit in units:
        remembered = _remembered(inputs, target, unit, old.units.get(unit.key) if old else None)
        if remembered is not None:
            after[unit.key] = remembered
    is_ours = is_created and inputs.kind != "file"
    if not after and not (inputs.is_of_many and (made or is_ours)):
        return None
    tables = (table for table in made if inputs.is_of_many or any(starts_with(key, table) for key in after))
    return PathRecord(inputs.path, inputs.kind, after, tuple(tables), is_ours)


def _remembered(inputs: PathInputs, target: str, unit: UnitPlan, had: Unit | None) -> Unit | None:
    wanted = inputs.wanted_units.get(unit.key)
    if unit.is_frozen:
        return had
    if target not in inputs.running:  # it forgets nothing, and learns what was written in its name
        return had if had is None or unit.action in ("keep", "conflict") else unit.after
    if wanted is not None:
        return unit.after if target in wanted.targets else None
    return unit.after if had is not None else None
