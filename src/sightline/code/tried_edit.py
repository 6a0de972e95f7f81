"""What an edit would change, found without writing it: the server is shown the new texts, then the disk again.

Files that the edit cannot reach are not asked. Those it can reach are the edited ones and all that import them,
directly or through others; the nearest are asked first, and those not reached in time are told.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sightline.code.diagnostics import Diagnostic
from sightline.code.engine_diagnostics import from_server
from sightline.code.pulled_check import CheckBudget, KnownReports, PulledCheck, pull_all
from sightline.code.source_lines import SourceLines
from sightline.lsp.connection import RequestTimedOut
from sightline.lsp.reports import report_of
from sightline.lsp.workspace import Workspace

_ROUNDS = 3

Findings = dict[str, list[Diagnostic]]
Inside = Callable[[int, "TriedEdit"], Awaitable[None]]


async def _nothing(_index: int, _tried: TriedEdit) -> None:
    return None


@dataclass(slots=True)
class TriedEdit:
    """What was found in each file before and with the edit; `untracked` files are not checked by the server at all.

    `trouble` if the server says that it does not know the project as it should.
    """

    before: Findings = field(default_factory=dict[str, list[Diagnostic]])
    after: Findings = field(default_factory=dict[str, list[Diagnostic]])
    untracked: list[str] = field(default_factory=list[str])
    unreached: list[str] = field(default_factory=list[str])
    trouble: str | None = None

    @property
    def found_before(self) -> list[Diagnostic]:
        """Of the files that were looked at with the edit too."""
        return [found for path, each in self.before.items() if path in self.after for found in each]

    @property
    def found_after(self) -> list[Diagnostic]:
        return [found for each in self.after.values() for found in each]

    def replace(self, found: Iterable[Diagnostic]) -> None:
        """Put findings with more to tell in the place of those that they are equal to otherwise."""
        better = {replace(each, fixes=None): each for each in found}
        for path, each in self.after.items():
            self.after[path] = [better.get(known, known) for known in each]

    def dependents(self, edited: Collection[str]) -> tuple[int, int]:
        """How many files besides the edited ones were looked at, and how many should have been."""
        reach = [path for path in (*self.after, *self.unreached) if path not in edited]
        return sum(path in self.after for path in reach), len(reach)


async def try_edits(
    workspace: Workspace, edits: Sequence[Mapping[str, str]], budget: CheckBudget, inside: Inside = _nothing
) -> list[TriedEdit]:
    """Try each edit (new texts by path) by itself, on one state of the disk; the caller has the workspace alone.

    `inside` is done while the server sees an edit, with the number of the edit and what was found.
    """
    deadline = time.monotonic() + budget.seconds
    known = workspace.kept(KnownReports)
    for _ in range(_ROUNDS):
        await workspace.sync(budget.ready_within_s)
        known.take(workspace.news())
        at_first = workspace.generation
        touched = [known.touched_by(workspace, texts) for texts in edits]
        files = list(dict.fromkeys(path for each in touched for path in each))
        before = await pull_all(workspace, files, deadline, budget)
        tried = [
            await _tried(workspace, before, texts, reach, deadline, partial(inside, index))
            for index, (texts, reach) in enumerate(zip(edits, touched, strict=True))
        ]
        for path in files:
            known.reports.pop(path, None)  # the server has seen other texts since
        generation = workspace.generation
        await workspace.sync(budget.ready_within_s)
        if workspace.generation == generation:
            known.keep(before, at_first, generation)
            for each in tried:
                each.trouble = workspace.session.readiness.trouble
            return tried
    return [TriedEdit(unreached=sorted(texts)) for texts in edits]


async def _tried(
    workspace: Workspace,
    before: PulledCheck,
    texts: Mapping[str, str],
    reach: Sequence[str],
    deadline: float,
    inside: Callable[[TriedEdit], Awaitable[None]],
) -> TriedEdit:
    tried = TriedEdit(untracked=[path for path in reach if path in before.untracked])
    async with workspace.trying(texts):
        for path in reach:
            if report := before.reports.get(path):
                found = await _with_edit(workspace, path, texts, deadline)
                tried.before[path] = report.diagnostics
                if found is not None:
                    tried.after[path] = found
        await inside(tried)
    tried.unreached = [path for path in reach if path not in tried.after and path not in tried.untracked]
    return tried


async def _with_edit(
    workspace: Workspace, path: str, texts: Mapping[str, str], deadline: float
) -> list[Diagnostic] | None:
    """What the server finds in a file now; None if it was not told, or in time."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        answer = await report_of(workspace, path, None, left)
    except RequestTimedOut:
        return None
    if answer.get("kind") != "full":  # the server does not know the file any more
        return None
    lines = _lines(path, texts, counts_marks=not workspace.spec.needs_open)
    return from_server(Path(path), answer.get("items", []), lines)


def _lines(path: str, texts: Mapping[str, str], *, counts_marks: bool) -> SourceLines:
    """The lines that the server saw."""
    lines = SourceLines(counts_marks=counts_marks)
    if path in texts:
        lines.keep(path, texts[path], is_marked=False)
    return lines
