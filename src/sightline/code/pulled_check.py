"""Type checks by the running language server: one report per file, asked again only where something changed.

A report is kept with its result id. While nothing on disk changed, reports are valid as they are and nothing is
asked; after a change every file is asked, and the server answers `unchanged` for those that it did not touch.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sightline.code.catalogue import is_python
from sightline.code.diagnostics import Diagnostic
from sightline.code.engine_diagnostics import from_server
from sightline.code.import_order import ImportIndex
from sightline.code.quoted_names import QuotedNames
from sightline.code.source_lines import SourceLines
from sightline.file_changes import Changes
from sightline.lsp.connection import RequestTimedOut
from sightline.lsp.reports import report_of
from sightline.lsp.workspace import Workspace

_ROUNDS = 3
_WARMED_UP = "pyright"
_WARM_UP_S = 5.0
_SHORT_FILE = 30_000
_QUOTES_S = 10.0
_MANY_FILES = 20


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnostics of one file, and the state of the disk (`generation`) that they hold for."""

    result_id: str | None
    diagnostics: list[Diagnostic]
    generation: int


@dataclass(slots=True)
class KnownReports:
    """What is known of a workspace's files: reports, imports, and what changed since many files were last checked."""

    reports: dict[str, Report] = field(default_factory=dict[str, Report])
    imports: ImportIndex = field(default_factory=ImportIndex)
    quoted: QuotedNames = field(default_factory=QuotedNames)
    unsettled: set[str] = field(default_factory=set[str])

    def take(self, news: Changes) -> None:
        """A report of a file that went is worthless, also if another one comes in its place."""
        for path in news.created | news.deleted:
            self.reports.pop(path, None)
        touched = news.created | news.changed | news.deleted
        self.quoted.forget(touched)
        self.unsettled |= touched

    def in_order(self, workspace: Workspace, files: Sequence[str]) -> Sequence[str]:
        """What changed first, then what imports it, the nearest first."""
        if len(files) < _MANY_FILES or not self.unsettled or not is_python(workspace.spec):
            return files
        self.imports.learn(workspace.sources, self.unsettled, workspace.session.launch.root)
        return self.imports.nearest_first(files, self.unsettled)

    def touched_by(self, workspace: Workspace, edited: Collection[str]) -> list[str]:
        """The edited files, and every file that depends on them, the nearest first.

        Only Python's imports can be read here: in other languages any file may depend on any other.
        """
        if not is_python(workspace.spec):
            return [*sorted(edited), *(path for path in workspace.sources if path not in edited)]
        self.imports.learn(workspace.sources, self.unsettled.union(edited), workspace.session.launch.root)
        return [*sorted(edited), *self.imports.dependents(edited)]

    def keep(self, check: PulledCheck, before: int, now: int) -> None:
        """What was known before an edit was tried still holds for a disk that has not changed since.

        Of the files that the edit could reach the server has seen other texts: their result ids mean nothing any more.
        """
        for path, report in self.reports.items():
            if report.generation == before:
                self.reports[path] = replace(report, generation=now)
        for path, report in check.reports.items():
            self.reports[path] = Report(None, report.diagnostics, now)

    def settle(self, check: PulledCheck) -> None:
        if len(check.reports) >= _MANY_FILES and not check.unreached:
            self.unsettled.clear()


@dataclass(slots=True)
class PulledCheck:
    """What a check found: the reports, the files that the server does not check, and those not reached in time.

    `timed_out` if not even one file was checked within the whole budget.
    """

    reports: dict[str, Report] = field(default_factory=dict[str, Report])
    untracked: list[str] = field(default_factory=list[str])
    unreached: list[str] = field(default_factory=list[str])
    timed_out: bool = False


@dataclass(slots=True)
class CheckBudget:
    """How long a check may take, how long to wait for a cold server, and how far the check is."""

    seconds: float
    ready_within_s: float
    done: int = 0
    total: int = 0


async def pull_check(workspace: Workspace, files: Sequence[str], budget: CheckBudget) -> PulledCheck:
    """Check files as they are on disk at the end of the check; what changed meanwhile is asked again."""
    deadline = time.monotonic() + budget.seconds
    known = workspace.kept(KnownReports)
    for _ in range(_ROUNDS):
        await workspace.sync(budget.ready_within_s)
        known.take(workspace.news())
        generation = workspace.generation
        check = await pull_all(workspace, known.in_order(workspace, files), deadline, budget)
        await workspace.sync(budget.ready_within_s)
        if workspace.generation == generation:
            known.settle(check)
            return check
    return PulledCheck(unreached=list(files))


async def pull_all(workspace: Workspace, files: Sequence[str], deadline: float, budget: CheckBudget) -> PulledCheck:
    """The reports of files, as the server sees them now; the caller has synchronised."""
    check = PulledCheck()
    budget.total = len(files)
    for index, path in enumerate(files):
        budget.done = index
        try:
            report = await _report(workspace, path, deadline)
        except RequestTimedOut:
            check.unreached.extend(files[index:])
            check.timed_out = not index
            break
        if report is None:
            check.untracked.append(path)
        else:
            check.reports[path] = report
    return check


async def _report(workspace: Workspace, path: str, deadline: float) -> Report | None:
    """The report of one file; None if the server does not check it. Raises `RequestTimedOut`."""
    reports = workspace.kept(KnownReports).reports
    known = reports.get(path)
    if known and known.generation == workspace.generation:
        return known
    left = deadline - time.monotonic()
    if left <= 0:
        raise RequestTimedOut("out of time")
    generation = workspace.generation
    answer = await report_of(workspace, path, known.result_id if known else None, left)
    if answer.get("kind") == "full":
        lines = SourceLines(counts_marks=not workspace.spec.needs_open)
        found = from_server(Path(path), answer.get("items", []), lines)
        report = Report(answer.get("resultId"), found, generation)
    elif known and answer.get("resultId") is not None:
        report = Report(answer["resultId"], known.diagnostics, generation)
    else:
        reports.pop(path, None)
        return None
    reports[path] = report
    return report


async def evaluate_quotes(workspace: Workspace, name: str, about: str, ready_within_s: float) -> list[str]:
    """Have every file evaluated that holds the name in quotes; those for which there was no time.

    To Pyright a name in quotes is a use only once it has evaluated the file, and no longer once it was shown another
    text of it: a report from before that is not enough. `about` is the file in question, which need not be one that
    the server lists.
    """
    await workspace.sync(ready_within_s)
    await workspace.make_known(about, ready_within_s)
    known = workspace.kept(KnownReports)
    known.take(workspace.news())
    files = known.quoted.files_with(name, workspace.sources)
    for path in files:
        report = known.reports.get(path)
        if report and (report.result_id is None or report.generation != workspace.generation):
            del known.reports[path]
    deadline = time.monotonic() + _QUOTES_S
    return (await pull_all(workspace, files, deadline, CheckBudget(_QUOTES_S, ready_within_s))).unreached


async def warm_up(workspace: Workspace) -> None:
    """Check some files of a new session while nobody waits: the next checks find the server's code compiled.

    A few seconds, once; each file is short, so that a caller who comes meanwhile hardly waits.
    """
    if workspace.spec.id != _WARMED_UP:
        return
    if not await workspace.session.readiness.wait_past(0, workspace.session.launch.start_timeout_s):
        return
    spent = 0.0
    for path in _warm_up_files(workspace):
        await workspace.until_unused()
        started = time.monotonic()
        async with workspace.turns.shared(_WARM_UP_S):
            await workspace.sync(_WARM_UP_S)
            workspace.kept(KnownReports).take(workspace.news())
            await _report(workspace, path, started + _WARM_UP_S)
        spent += time.monotonic() - started
        if spent > _WARM_UP_S:
            return


def _warm_up_files(workspace: Workspace) -> list[str]:
    """The longest files that are still short."""
    sizes = {path: workspace.files.size_of(path) for path in workspace.files.files if path.endswith(".py")}
    return sorted((path for path, size in sizes.items() if size <= _SHORT_FILE), key=lambda path: -sizes[path])
