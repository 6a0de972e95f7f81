"""What proposed edits would break: by showing them to the server, or in a copy where files come or go."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sightline.code.diagnostic_delta import Delta, delta
from sightline.code.diagnostics import Diagnostic
from sightline.code.language_servers import LanguageServers
from sightline.code.other_projects import dependents_elsewhere, shown_files
from sightline.code.proposed_edits import ProposedFile, line_mappings, moves
from sightline.code.pulled_check import CheckBudget, pull_check
from sightline.code.pyright_command import PyrightCommand
from sightline.code.quick_fixes import QuickFixes
from sightline.code.served import Served
from sightline.code.shadow_check import check_in_shadow, why_no_shadow
from sightline.code.tried_edit import TriedEdit, try_edits
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.file_changes import FileChanges
from sightline.lsp.workspace import Workspace
from sightline.progress import telling_every_second
from sightline.projects import Project
from sightline.projects.outside import leads_back
from sightline.tool import Call
from sightline.wording import counted

Proposal = Sequence[ProposedFile]
_Compared = tuple[list[Diagnostic], list[Diagnostic], int]

_COMMAND_FOR = "pyright"


@dataclass(frozen=True, slots=True)
class EditCheck:
    """What an edit introduces and fixes, and how much of what it can reach was looked at.

    `unknown_because` if not everything was: then nothing is proved.
    """

    delta: Delta
    edited: int
    dependents_checked: int
    dependents: int
    method: str
    unreached: list[str] = field(default_factory=list[str])
    unknown_because: str | None = None


@dataclass(frozen=True, slots=True)
class EditChecker:
    """Checks edits before they are made."""

    servers: LanguageServers
    command: PyrightCommand
    budget_s: float
    ready_within_s: float

    async def check(
        self, served: Served, proposals: Sequence[Proposal], call: Call, *, fixes: bool = False
    ) -> list[EditCheck]:
        """One result for each proposal; raises `ToolFailure` where the server cannot be shown an edit.

        `fixes`: ask for quick fixes of what is new. In a copy of the project there is nobody to ask for them.
        """
        if served.spec.overlay != "all":
            raise _not_checkable(served)
        checks: list[EditCheck | None] = [None] * len(proposals)
        shown = [index for index, each in enumerate(proposals) if not _changes_the_list(each)]
        tried = await self._shown(served, [proposals[at] for at in shown], call, fixes=fixes)
        for index, check in zip(shown, tried, strict=True):
            checks[index] = check
        done = [check or await self._in_copy(served, proposals[at], call) for at, check in enumerate(checks)]
        return [await self._with_others(served, each, check, call) for each, check in zip(proposals, done, strict=True)]

    async def _with_others(self, served: Served, proposal: Proposal, check: EditCheck, call: Call) -> EditCheck:
        """What files of other projects import was not checked for them."""
        changed = [str(each.path) for each in proposal if each.is_changed]
        if check.unknown_because or not (others := await dependents_elsewhere(changed, served, call.root)):
            return check
        reason = f"{counted(len(others), 'file')} of other projects here import it: {shown_files(others, call)}"
        return replace(check, unknown_because=reason)

    async def _shown(
        self, served: Served, proposals: Sequence[Proposal], call: Call, *, fixes: bool
    ) -> list[EditCheck]:
        if not proposals:
            return []
        budget = CheckBudget(self.budget_s, self.ready_within_s)

        async def work(workspace: Workspace) -> list[EditCheck]:
            quick = QuickFixes(call.paths, self.ready_within_s)
            await workspace.sync(self.ready_within_s)
            whole = [[*each, *_by_other_paths(each, workspace.files)] for each in proposals]
            texts = [{str(each.path): each.after or "" for each in proposal if each.is_changed} for proposal in whole]

            async def inside(index: int, tried: TriedEdit) -> None:
                if fixes:
                    new = _check_of(whole[index], tried).delta.introduced
                    tried.replace(await quick.added_to(new, workspace, texts[index]))

            tried = await try_edits(workspace, texts, budget, inside)
            checks = [_check_of(proposal, each) for proposal, each in zip(whole, tried, strict=True)]
            return [replace(check, edited=len(each)) for check, each in zip(checks, proposals, strict=True)]

        def doing() -> str:
            return f"trying the edit: {budget.done} of {budget.total} files done"

        return await telling_every_second(
            call.progress, doing, lambda: self.servers.with_workspace(served, work, alone=True)
        )

    async def _in_copy(self, served: Served, proposal: Proposal, call: Call) -> EditCheck:
        """Files come, go or move: the whole project is checked, as it is and as it would be."""
        project = served.python
        if project is None or served.spec.id != _COMMAND_FOR:
            return _unknown(proposal, f"{served.spec.id} cannot be shown files that come or go")
        if reason := await self._why_not_copied(project):
            return _unknown(proposal, f"files come or go, and the project cannot be copied: {reason}")
        started = time.monotonic()
        budget = CheckBudget(self.budget_s, self.ready_within_s)

        async def work(workspace: Workspace) -> _Compared | str:
            return await self._compared(workspace, project, proposal, budget)

        def doing() -> str:
            return f"checking a copy with the edit: {time.monotonic() - started:.0f} s"

        try:
            result = await telling_every_second(call.progress, doing, lambda: self.servers.with_workspace(served, work))
        except ToolFailure as failure:
            if failure.kind is not ErrorKind.TIMEOUT:
                raise
            result = failure.message
        if isinstance(result, str):
            return _unknown(proposal, result)
        before, after, count = result
        others = count - sum(each.after is not None for each in proposal)
        return EditCheck(_delta(proposal, before, after), len(proposal), others, others, "shadow_copy")

    async def _compared(
        self, workspace: Workspace, project: Project, proposal: Proposal, budget: CheckBudget
    ) -> _Compared | str:
        """What is found before the edit, with it, and in how many files then; or why that is not known."""
        await workspace.sync(self.ready_within_s)
        if workspace.files.has_links:
            return "files come or go, and the project cannot be copied: it holds links"
        sources = sorted(path for path in workspace.files.files if path.endswith((".py", ".pyi")))
        before = await pull_check(workspace, sources, budget)
        if before.unreached:
            return f"{len(before.unreached)} files were not checked in time before the edit"
        generation = workspace.generation
        after, count = await check_in_shadow(self.command, project, workspace.files, proposal)
        await workspace.sync(self.ready_within_s)
        if workspace.generation != generation:
            return "files changed on disk meanwhile"
        return [found for report in before.reports.values() for found in report.diagnostics], after, count

    async def _why_not_copied(self, project: Project) -> str | None:
        if leads_back(project, await self.servers.search_paths.of(project.interpreter)):
            return "its environment leads back into it (an editable install)"
        return why_no_shadow(project)


def _changes_the_list(proposal: Proposal) -> bool:
    return any(each.before is None or each.after is None for each in proposal)


def _by_other_paths(proposal: Proposal, files: FileChanges) -> Iterator[ProposedFile]:
    """The edited files as links lead to them: to the server another path is another module."""
    if not files.has_links:
        return
    changed = {each.path: each for each in proposal if each.is_changed}
    for path in files.files:
        real = Path(os.path.realpath(path))
        if real in changed and str(real) != path:
            yield replace(changed[real], path=Path(path), origin=Path(path))


def _check_of(proposal: Proposal, tried: TriedEdit) -> EditCheck:
    edited = {str(each.path) for each in proposal if each.is_changed}
    known = {os.path.realpath(path) for path in edited.difference(tried.untracked)}
    checked, dependents = tried.dependents(edited)
    reason = None
    if tried.unreached:
        reason = f"{len(tried.unreached)} files were not reached in time"
    elif missed := [path for path in tried.untracked if path in edited and os.path.realpath(path) not in known]:
        reason = f"the server does not check {Path(missed[0]).name}"
    elif tried.trouble:
        reason = f"the server does not know the project as it should: {tried.trouble}"
    return EditCheck(
        delta=_delta(proposal, tried.found_before, tried.found_after),
        edited=len(proposal),
        dependents_checked=checked,
        dependents=dependents,
        method="lsp_overlay",
        unreached=tried.unreached,
        unknown_because=reason,
    )


def _delta(proposal: Proposal, before: list[Diagnostic], after: list[Diagnostic]) -> Delta:
    mappings = {str(path): mapping for path, mapping in line_mappings(proposal).items()}
    return delta(before, after, mappings, {str(old): str(new) for old, new in moves(proposal).items()})


def _unknown(proposal: Proposal, reason: str) -> EditCheck:
    return EditCheck(Delta([], [], 0), len(proposal), 0, 0, "none", unknown_because=reason)


def _not_checkable(served: Served) -> ToolFailure:
    return ToolFailure(
        ErrorKind.UNSUPPORTED,
        f"{served.spec.name or served.spec.id} cannot be shown an edit together with the files that depend on it",
        NextStep("tool", "write the edit, then check", tool="check_types", arguments={"path": "."}),
    )
