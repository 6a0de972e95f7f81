"""The records of sync answers as text: everything that the JSON says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from sightline.sync.tools.get_sync_status import SyncStatusOutput, TargetStanding
    from sightline.sync.tools.sync_answer import SyncOutput


def sync_text(output: SyncOutput) -> str:
    """A plan, or what became of it."""
    lines = [f"{output.status}: {output.summary}", f"scope: {output.scope}"]
    if output.plan_id and not output.applied:
        lines.append(f"plan_id: {output.plan_id} (nothing is written yet; apply with `apply=true` and this id)")
    elif output.plan_id:
        lines.append(f"plan_id: {output.plan_id} (applied)")
    if output.backup_id:
        lines.append(f"backup_id: {output.backup_id} (`{way_back(output)}` takes it back)")
    if output.blocked_reason:
        lines.append(f"blocked_reason: {output.blocked_reason}")
    lines += _section("literal secrets, to be replaced by `${NAME}`:", map(note_line, output.secrets))
    for name, report in output.targets.items():
        lines += ["", *_target_lines(name, report)]
    lines += _section("source:", map(note_line, output.source))
    return "\n".join([*lines, "", output.diff]) if output.diff else "\n".join(lines)


def way_back(output: SyncOutput) -> str:
    """The command that takes back what was applied; syncs of the user alone are kept apart from those of projects."""
    return f"sightline sync rollback {output.backup_id}{' --scope user' if output.scope == 'user' else ''}"


def _target_lines(name: str, report: TargetReport) -> list[str]:
    lines = [f"{name}: {report.status}; carried over: {_counts(report.carried)}"]
    if report.verified:
        lines += _verdict_lines(name, report.verified)
    for change in report.changes:
        lines += _change_lines(change)
    lines += _indented("conflicts (say `keep` or `take`):", map(_conflict_line, report.conflicts))
    lines += _indented("left alone:", map(_obstacle_line, report.problems))
    lines += _indented("security:", report.security)
    lines += _indented("left to do:", report.steps)
    lines += _indented("notes:", report.notes)
    lines += _indented("not carried over as it is:", map(_loss_line, report.losses))
    return lines


def _verdict_lines(name: str, verdict: Verdict) -> Iterable[str]:
    by = f" {verdict.version}" if verdict.version else ""
    asked = f" (asked: {', '.join(verdict.asked)})" if verdict.asked else ""
    yield f"  {name}{by} says: {verdict.status}{asked}"
    yield from (f"    {finding}" for finding in verdict.findings)


def _change_lines(change: FileChange) -> Iterable[str]:
    also = f" (also for {', '.join(change.also_for)})" if change.also_for else ""
    yield f"  {change.action} {change.path} [{change.scope}]{also}"
    for key in change.keys or ():
        yield f"    {_key_line(key)}"


def _key_line(key: KeyChange) -> str:
    return f"{key.action} {key.place}: {key.reason}" if key.reason else f"{key.action} {key.place}"


def _conflict_line(conflict: Conflict) -> str:
    return f"{conflict.place}: {conflict.reason}"


def _obstacle_line(problem: Obstacle) -> str:
    where = f"{problem.path}:{problem.line}" if problem.line else problem.path
    return f"{where} ({problem.kind}): {problem.message}"


def _loss_line(loss: Loss) -> str:
    what = f"{loss.item} {loss.field}" if loss.field else loss.item
    return f"{loss.grade}: {what}: {loss.reason}"


def note_line(note: SourceNote) -> str:
    """A remark on the source, and what stays as it is because of it."""
    blocks = f" (left as it is: {', '.join(note.blocks)})" if note.blocks else ""
    return f"{note.file}:{note.line}: {note.message}{blocks}"


def _counts(carried: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {grade}" for grade, count in carried.items()) or "nothing"


def _section(title: str, entries: Iterable[str]) -> list[str]:
    shown = [f"  {entry}" for entry in entries]
    return ["", title, *shown] if shown else []


def _indented(title: str, entries: Iterable[str]) -> list[str]:
    shown = [f"    {entry}" for entry in entries]
    return [f"  {title}", *shown] if shown else []


def status_text(output: SyncStatusOutput) -> str:
    """How everything stands."""
    lines = [output.summary, f"scope: {output.scope}"]
    if output.running_s is not None:
        lines.append(f"running_s: {output.running_s}")
    if output.interrupted:
        lines.append("interrupted: true")
    for standing in output.targets:
        lines += ["", *_standing_lines(standing)]
    lines += _section("source:", map(note_line, output.source))
    if output.backups:
        lines += ["", f"can be taken back, oldest first: {', '.join(output.backups)}"]
    return "\n".join(lines)


def _standing_lines(standing: TargetStanding) -> list[str]:
    last = f"last sync {standing.last_sync}" if standing.last_sync else "never synced"
    carried = _counts(standing.carried)
    lines = [f"{standing.target}: {standing.status}; {last}; {standing.items} items; carried over: {carried}"]
    lines += _indented("pending:", standing.pending)
    lines += _indented("conflicts:", map(_conflict_line, standing.conflicts))
    lines += _indented("left alone:", map(_obstacle_line, standing.problems))
    lines += _indented("left to do:", standing.steps)
    return [*lines, *_indented("notes:", standing.notes)]
