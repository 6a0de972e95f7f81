"""From plan, ledger and verdicts to what a caller is told. Pure."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sightline.frozen import frozen
from sightline.sync.outputs import LedgerLine, Rendered
from sightline.sync.planning import PathChange, Problem, StateKey, TargetState, status_of
from sightline.sync.reading import SourceReading
from sightline.sync.report_records import (
    Conflict,
    FileChange,
    KeyChange,
    Loss,
    Obstacle,
    SourceNote,
    TargetReport,
    Verdict,
)
from sightline.sync.service import DoneSync, PlannedSync, SyncStanding

if TYPE_CHECKING:
    from sightline.sync.verifying import Verification

SyncStatus = Literal["in_sync", "planned", "blocked", "success", "partial"]
_LOSSES = ("refused", "dropped", "approximated")
_RULES = re.compile(
    r"#permissions?\b|#agent\..*\.permission\b|\.rules$|/policies/|#hooks\b|default_permissions|#mcp\.excluded\b"
)


@frozen
class Names:
    """How paths are shown: relative to the project, or to the home folder as `~/…`."""

    root: Path
    home: Path

    def of(self, path: Path) -> str:
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return f"~/{path.relative_to(self.home).as_posix()}" if path.is_relative_to(self.home) else path.as_posix()


def target_reports(
    planned: PlannedSync, verified: Mapping[str, Verification], names: Names, *, is_applied: bool
) -> dict[str, TargetReport]:
    """Every target that was asked for."""
    return {
        name: _target_report(name, planned, names, verified.get(name), is_applied=is_applied)
        for name in planned.targets
    }


def _target_report(
    name: str, planned: PlannedSync, names: Names, verification: Verification | None, *, is_applied: bool
) -> TargetReport:
    plan, rendered = planned.plan, planned.reading.view.rendered[name]
    changes = plan.for_target(name)
    problems = [each for each in plan.problems if name in each.targets]
    is_touched = any(change.is_written for change in changes)
    status = _status(name, planned, is_applied=is_applied and is_touched, is_whole=not problems)
    return TargetReport(
        status="not_understood" if status == "in_sync" and _is_failed(name, planned, verification) else status,
        changes=[_file_change(change, name) for change in changes if change.is_written],
        conflicts=conflicts_of(changes),
        problems=[obstacle(each, names) for each in problems],
        carried=carried(rendered),
        losses=losses_of(rendered.ledger),
        security=sorted((*rendered.deltas, *_unheld(conflicts_of(changes))), key=_is_not_laxer),
        steps=list(rendered.steps) if is_touched else [],
        notes=[*unverified_notes(name, planned, verification), *rendered.warnings, *_kept_notes(changes)],
        verified=None if verification is None else _verdict(verification),
    )


def _status(name: str, planned: PlannedSync, *, is_applied: bool, is_whole: bool) -> str:
    before = status_of(name, planned.plan, planned.states)
    if before == "in_sync" and (planned.reading.tree.blocked_kinds or planned.reading.secrets):
        return "unknown"
    if not is_applied:
        return before
    return "in_sync" if is_whole and before != "conflict" else "conflict"


def _file_change(change: PathChange, target: str) -> FileChange:
    keys = [
        _key_change(place, unit.action, unit.reason) for place, unit in change.units.items() if place != change.name
    ]
    others = sorted(change.targets - {target})
    return FileChange(
        path=change.name, action=change.action, scope=change.scope, keys=keys or None, also_for=others or None
    )


def _key_change(place: str, action: str, reason: str) -> KeyChange:
    return KeyChange(place=place.partition("#")[2] or place, action=action, reason=reason or None)


def conflicts_of(changes: Iterable[PathChange]) -> list[Conflict]:
    return [
        Conflict(place=place, reason=change.units[place].reason) for change in changes for place in change.conflicts
    ]


def _is_not_laxer(delta: str) -> bool:
    """What lets more through comes first."""
    return not delta.startswith("laxer")


def _unheld(conflicts: Iterable[Conflict]) -> Iterable[str]:
    """Rules that stand in a conflict are not in force, which no ledger knows."""
    for each in conflicts:
        if _RULES.search(each.place):
            yield f"laxer: while the conflict at `{each.place}` stands, the rules of Claude Code do not hold there"


def _kept_notes(changes: Iterable[PathChange]) -> Iterable[str]:
    for change in changes:
        for place, unit in change.units.items():
            if unit.action == "keep":
                yield f"`{place}` is left as it is: {unit.reason}"


def unverified_notes(name: str, planned: PlannedSync, verification: Verification | None) -> Iterable[str]:
    """What the target's command said when it was asked last, if it has not said since that all is well."""
    said = planned.open_verdicts.get(name)
    if said is None or verification is not None:
        return
    by = f"{name} {said.version}" if said.version else name
    what = "had not understood all of it" if said.is_failed else "could not be asked whether it understands it"
    yield f"{by} {what}; `sightline sync --yes` asks again: {'; '.join(said.findings)}"


def gone_notes(name: str, gone: Mapping[StateKey, TargetState], names: Names) -> Iterable[str]:
    """What projects that are not there any more left in the person's files, and how it goes."""
    for key, state in gone.items():
        if key.target == name:
            left = ", ".join(map(names.of, state.records))
            yield (
                f"`{key.root}` is not there any more, but a sync of it left something in {left}; "
                f"`sightline sync --scope user --project {shlex.quote(str(key.root))}` takes it away"
            )


def obstacle(problem: Problem, names: Names) -> Obstacle:
    return Obstacle(kind=problem.kind, path=names.of(problem.path), line=problem.line or None, message=problem.message)


def carried(rendered: Rendered) -> dict[str, int]:
    counts = Counter(line.grade for line in rendered.ledger)
    return {grade: counts[grade] for grade in ("exact", "equivalent", *reversed(_LOSSES)) if counts[grade]}


def losses_of(ledger: Iterable[LedgerLine]) -> list[Loss]:
    """The worst first."""
    lost = [line for line in ledger if line.grade in _LOSSES]
    lost.sort(key=lambda line: (_LOSSES.index(line.grade), line.item_id, line.field))
    return [Loss(item=line.item_id, field=line.field or None, grade=line.grade, reason=line.reason) for line in lost]


def _verdict(verification: Verification) -> Verdict:
    return Verdict(
        status=verification.status,
        version=verification.version or None,
        findings=[f"{each.place}: {each.message}" if each.place else each.message for each in verification.findings],
        asked=list(verification.asked),
    )


def source_notes(reading: SourceReading, names: Names) -> list[SourceNote]:
    """Problems first, then keys that this version does not know."""
    notes = [
        SourceNote(
            file=names.of(each.file),
            line=each.line,
            message=each.message,
            blocks=sorted((*each.is_fatal_for, *each.fatal_items)) or None,
        )
        for each in reading.tree.problems
    ]
    for unknown in reading.tree.unknown_keys:
        where = f" in {unknown.place}" if unknown.place else ""
        message = f"`{unknown.key}`{where} is not known to this version and not carried over"
        notes.append(SourceNote(file=names.of(unknown.provenance.file), line=unknown.provenance.line, message=message))
    return notes


def unread_notes(reading: SourceReading, names: Names) -> list[SourceNote]:
    """What could not be read, so that items are left as they are."""
    return [note for note in source_notes(reading, names) if note.blocks]


def secret_notes(reading: SourceReading, names: Names) -> list[SourceNote]:
    """Every literal secret by its place, never by its value."""
    return [
        SourceNote(
            file=names.of(each.provenance.file),
            line=each.provenance.line,
            message=f"{each.item_id} {each.place}: {each.reason}",
        )
        for each in reading.secrets
    ]


def overall_status(planned: PlannedSync, done: DoneSync | None, *, is_blocked: bool) -> SyncStatus:
    """In one word, for all targets that were asked for."""
    plan = planned.plan
    is_whole = not plan.conflicts and not plan.problems and planned.reading.tree.is_read_whole
    if is_blocked:
        return "blocked"
    if done is None and plan.writes:
        return "planned"
    if not is_whole or not_understood(planned, done):
        return "partial"
    return "success" if done is not None and plan.writes else "in_sync"


def not_understood(planned: PlannedSync, done: DoneSync | None) -> tuple[str, ...]:
    """The targets whose own command starts, but has not taken the files as they are meant: now, or when asked last."""
    return tuple(
        name for name in planned.targets if _is_failed(name, planned, done.verified.get(name) if done else None)
    )


def _is_failed(name: str, planned: PlannedSync, verification: Verification | None) -> bool:
    if verification is not None and verification.status != "not_installed":
        return verification.status == "failed"
    said = planned.open_verdicts.get(name)
    return said is not None and said.is_failed


def items_of(states: Iterable[TargetState]) -> int:
    return sum(state.item_count for state in states)


def last_sync(standing: SyncStanding, target: str) -> str | None:
    times = [state.applied_at for key, state in standing.states.items() if key.target == target and state.applied_at]
    return max(times, default=None)
