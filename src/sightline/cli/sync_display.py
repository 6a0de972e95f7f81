"""How `sightline sync` shows what it found: tables and coloured diffs on a terminal, plain text in a pipe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import click

from sightline.sync.applying import RolledBack
from sightline.sync.report_records import FileChange, SourceNote, TargetReport
from sightline.sync.report_text import note_line, way_back
from sightline.sync.reports import Names
from sightline.sync.tools.get_sync_status import SyncStatusOutput
from sightline.sync.tools.sync_answer import SyncOutput
from sightline.wording import counted

_DIFF_COLOURS = (("+++", None), ("---", None), ("+", "green"), ("-", "red"), ("@@", "cyan"))
_COLOURS = {
    "in_sync": "green",
    "success": "green",
    "planned": "cyan",
    "never": "cyan",
    "drifted": "yellow",
    "partial": "yellow",
    "not_understood": "yellow",
    "conflict": "red",
    "blocked": "red",
}
_WORDS = {"never": "not synced yet", "in_sync": "in sync", "not_understood": "not understood"}
_NAMED = re.compile(r"`[^`]*`")
_SPECIAL = re.compile(r"`[^`]*`|\(.*\)")
_ALIKE = 3
_MARKS = {"create": ("+", "green"), "update": ("~", "yellow"), "delete": ("-", "red")}


def show_sync(output: SyncOutput, *, is_full: bool, has_diff: bool) -> None:
    """The plan: changed files, diff, what needs a person, what is lost."""
    if has_diff:
        show_diff(output.diff)
    for name, report in output.targets.items():
        _show_target(name, report, is_full=is_full)
    _list("source", map(note_line, output.source) if is_full else folded_notes(output.source), "yellow")
    _notes("literal secrets; put the values into variables and write `${NAME}`", output.secrets, "red")
    click.echo()
    click.secho(output.summary, fg=_COLOURS.get(output.status), bold=True)


def show_done(output: SyncOutput) -> None:
    """What was written, what the targets said, and what is left to the user."""
    show_verdicts(output)
    click.secho(output.summary, fg=_COLOURS.get(output.status), bold=True)
    if output.backup_id:
        click.echo(f"`{way_back(output)}` takes it back")
    for name, report in output.targets.items():
        _list(f"left to you for {name}", report.steps)


def show_verdicts(output: SyncOutput) -> None:
    """What the targets' own commands said."""
    for name, report in output.targets.items():
        if report.verified:
            by = f"{name} {report.verified.version}" if report.verified.version else name
            _verdict(f"{by}: {report.verified.status.replace('_', ' ')}", report.verified.findings)


def show_check(output: SyncOutput) -> bool:
    """One line per target that is not in sync; true if all are."""
    is_whole = output.status == "in_sync"
    for name, report in output.targets.items():
        if report.status != "in_sync" or report.changes:
            files = f"{counted(len(report.changes), 'file')} would change" if report.changes else "see `sightline sync`"
            click.secho(f"{name}: {_WORDS.get(report.status, report.status)}: {files}", fg=_COLOURS.get(report.status))
    _notes("source", (note for note in output.source if note.blocks), "yellow")
    if not is_whole:
        click.secho(output.summary, bold=True)
    return is_whole


def show_status(output: SyncStatusOutput, only: Sequence[str]) -> None:
    """A table of the targets, then what is behind it."""
    shown = [each for each in output.targets if not only or each.target in only]
    rows = [
        (
            each.target,
            each.status,
            (each.last_sync or "never").replace("T", " ").removesuffix("+00:00"),
            str(each.items),
            str(len(each.pending)),
            str(len(each.conflicts)),
            str(sum(count for grade, count in each.carried.items() if grade in ("dropped", "refused"))),
        )
        for each in shown
    ]
    _table(("target", "status", "last sync", "items", "pending", "conflicts", "losses"), rows)
    if output.running_s is not None or output.interrupted:
        click.secho(output.summary, fg="yellow")
    for each in shown:
        _list(f"{each.target}: pending", each.pending)
        _list(f"{each.target}: conflicts", (f"{item.place}: {item.reason}" for item in each.conflicts))
        _list(f"{each.target}: left alone", (f"{item.path}: {item.message}" for item in each.problems))
        _list(f"{each.target}: notes", each.notes)
    _notes("source", output.source, "yellow")
    if output.backups:
        click.echo(f"\ncan be taken back, oldest first: {', '.join(output.backups)}")


def show_diff(diff: str) -> None:
    for line in diff.splitlines():
        colour = next((colour for start, colour in _DIFF_COLOURS if line.startswith(start)), None)
        click.secho(line, fg=colour, bold=line.startswith(("+++", "---")) or None)


def show_rollback(back: RolledBack, names: Names) -> None:
    for path in back.restored:
        click.echo(f"{'restored' if path.exists() else 'removed'} {names.of(path)}")
    for conflict in back.conflicts:
        click.secho(f"left alone {names.of(conflict.path)}: {conflict.reason}", fg="yellow")
    if back.conflicts and not back.restored:
        click.secho("nothing is taken back; `--skip-changed` restores the other files", bold=True, err=True)
    else:
        click.secho(f"sync {back.backup_id} is taken back", bold=True)


def _show_target(name: str, report: TargetReport, *, is_full: bool) -> None:
    click.echo()
    click.secho(f"{name}: {_WORDS.get(report.status, report.status)}", fg=_COLOURS.get(report.status), bold=True)
    for change in report.changes:
        _show_change(change)
    _list("conflicts (`--keep PLACE` or `--take PLACE`)", (f"{x.place}: {x.reason}" for x in report.conflicts), "red")
    problems = (f"{x.path}{f':{x.line}' if x.line else ''}: {x.message}" for x in report.problems)
    _list("left alone", problems, "red")
    is_laxer = any(each.startswith("laxer") for each in report.security)
    _list("security", report.security if is_full else folded(report.security), "red" if is_laxer else "yellow")
    _list("notes", report.notes if is_full else folded(report.notes))
    if is_full:
        _list("not carried over", (f"{x.grade} {x.item} {x.field or ''}: {x.reason}" for x in report.losses))
    elif report.losses:
        counts = ", ".join(f"{count} {grade}" for grade, count in report.carried.items())
        click.echo(f"  fields: {counts} (`--full` lists the losses, `sightline sync explain ITEM` one item)")


def folded(texts: Sequence[str]) -> list[str]:
    """Texts that differ in one name alone as one, with the first of the names; of what is laxer with all of them."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(_NAMED.sub("`…`", text), []).append(text)
    return [line for group in groups.values() for line in _as_one(group)]


def folded_notes(notes: Sequence[SourceNote]) -> list[str]:
    """Remarks of one kind as one, with the place of the first; those that leave something as it is stay as they are."""
    groups: dict[str, list[SourceNote]] = {}
    for note in notes:
        kind = note_line(note) if note.blocks else _SPECIAL.sub("…", note.message)
        groups.setdefault(kind, []).append(note)
    return [line for group in groups.values() for line in _notes_as_one(group)]


def _notes_as_one(notes: Sequence[SourceNote]) -> list[str]:
    if len(notes) <= _ALIKE:
        return [note_line(note) for note in notes]
    return [f"{note_line(notes[0])} (and {len(notes) - 1} more of this kind; `--full` lists them)"]


def _as_one(texts: Sequence[str]) -> Sequence[str]:
    """The first text, and who else it is true of."""
    columns = zip(*(_NAMED.findall(text) for text in texts), strict=True)
    differing = [column for column in columns if len({*column}) > 1]
    if len(texts) <= _ALIKE or len(differing) != 1:
        return texts
    names = differing[0][1:]
    if texts[0].startswith("laxer"):
        return [f"{texts[0]} (the same of {len(names)} more: {', '.join(names)})"]
    more = ", …" if len(names) > _ALIKE else ""
    return [f"{texts[0]} (the same of {len(names)} more: {', '.join(names[:_ALIKE])}{more}; `--full` lists them)"]


def _show_change(change: FileChange) -> None:
    mark, colour = _MARKS.get(change.action, ("?", None))
    also = f"  (also for {', '.join(change.also_for)})" if change.also_for else ""
    click.secho(f"  {mark} {change.path}{also}", fg=colour)


def _notes(title: str, notes: Iterable[SourceNote], colour: str) -> None:
    _list(title, map(note_line, notes), colour)


def _verdict(title: str, findings: Sequence[str]) -> None:
    if findings:
        _list(title, findings)
    else:
        click.echo(f"  {title}")


def _list(title: str, entries: Iterable[str], colour: str | None = None) -> None:
    shown = list(entries)
    if shown:
        click.secho(f"  {title}:", fg=colour)
        for entry in shown:
            click.echo(f"    {entry}")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    click.secho("  ".join(text.ljust(width) for text, width in zip(header, widths, strict=True)).rstrip(), bold=True)
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        cells[1] = click.style(cells[1], fg=_COLOURS.get(row[1]))
        click.echo("  ".join(cells).rstrip())
