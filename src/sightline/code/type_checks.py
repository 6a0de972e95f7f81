"""A type check, whichever way it is done: by the running server, or by the command where the server cannot serve.

Both ways end in the same `CheckResult`; it says which it was, and why the command was needed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sightline.code.catalogue import is_python
from sightline.code.diagnostics import Diagnostic, in_reading_order
from sightline.code.engine_diagnostics import from_command
from sightline.code.language_servers import LanguageServers
from sightline.code.launching import require_programs
from sightline.code.pulled_check import CheckBudget, PulledCheck, pull_check
from sightline.code.pyright_command import CheckRequest, PyrightCommand
from sightline.code.quick_fixes import QuickFixes
from sightline.code.served import Served
from sightline.code.source_lines import SourceLines
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.lsp.reports import mode_of
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.workspace import Workspace
from sightline.paths import PathPolicy
from sightline.progress import telling_every_second
from sightline.projects import Project
from sightline.projects.python_versions import PythonVersion
from sightline.tool import Call

_SERVER_TROUBLE = (ErrorKind.SERVER_CRASHED, ErrorKind.SERVER_NOT_INSTALLED, ErrorKind.BUSY)
_SOURCES = (".py", ".pyi")
_HAS_COMMAND = "pyright"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was found, over how many files, by what means; `unreached` files make the whole unknown.

    `left_out` are files that the server does not check. `linters` added their findings; `silent` ones should have, so
    that nothing is proved clean.
    Nor is it if the server is in `trouble`.
    """

    diagnostics: list[Diagnostic]
    files_analyzed: int
    seconds: float
    method: str
    engine_version: str | None
    server_id: str | None = None
    unreached: int = 0
    linters: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    trouble: str | None = None
    left_out: tuple[str, ...] = ()
    fallback_reason: str | None = None


@dataclass(frozen=True, slots=True)
class TypeChecker:
    """Checks a path of a project as it is on disk now."""

    servers: LanguageServers
    command: PyrightCommand
    budget_s: float
    ready_within_s: float

    async def check(
        self, path: Path, served: Served, version: PythonVersion | None, call: Call, *, fixes: bool = False
    ) -> CheckResult:
        """By the server if it can, by the command if it cannot and there is one; raises `ToolFailure`.

        `fixes`: ask the server for quick fixes of what it found.
        """
        project = served.python
        if project is None or version is None or served.spec.id != _HAS_COMMAND:
            return await self._by_server_alone(path, served, call, fixes=fixes)
        if reason := _why_the_command(project, version):
            return await self._by_command(path, project, version, call, reason)
        try:
            result = await self._by_server(path, served, call, fixes=fixes)
        except ToolFailure as failure:
            if failure.kind not in _SERVER_TROUBLE:
                raise
            result = failure.message
        if isinstance(result, str):
            return await self._by_command(path, project, version, call, result)
        return result

    async def _by_server_alone(self, path: Path, served: Served, call: Call, *, fixes: bool) -> CheckResult:
        require_programs(served, self.servers.variables)
        result = await self._by_server(path, served, call, fixes=fixes)
        if isinstance(result, str):
            step = NextStep("doc", "ask again, or for a smaller path")
            raise ToolFailure(ErrorKind.TIMEOUT, result, step, retryable=True)
        return result

    async def _by_server(self, path: Path, served: Served, call: Call, *, fixes: bool) -> CheckResult | str:
        """The result, or why the command has to be asked."""
        started = time.monotonic()
        budget = CheckBudget(self.budget_s, self.ready_within_s)

        async def work(workspace: Workspace) -> CheckResult | str:
            await workspace.sync(self.ready_within_s)
            check = await pull_check(workspace, _files_at(path, workspace, served.spec), budget)
            if check.timed_out and self.servers.pool.note_timeout(workspace, "a check ran out of time"):
                return "the language server does not answer"
            if served.python and (reason := _why_not_enough(check, path, served.python)):
                return reason
            found = [each for report in check.reports.values() for each in report.diagnostics]
            if fixes:
                found = await QuickFixes(call.paths, self.ready_within_s).added_to(found, workspace)
            return _result(check, found, workspace, call.paths, time.monotonic() - started)

        def doing() -> str:
            return f"checking {call.paths.display(path)}: {budget.done} of {budget.total} files done"

        return await telling_every_second(call.progress, doing, lambda: self.servers.with_workspace(served, work))

    async def _by_command(
        self, path: Path, project: Project, version: PythonVersion, call: Call, reason: str
    ) -> CheckResult:
        request = CheckRequest(
            root=project.root.path,
            paths=() if path == project.root.path else (path,),
            interpreter=project.interpreter.path,
            python_version=version.version if version.is_given else None,
        )
        doing = f"pyright is checking {call.paths.display(path)}"
        report = await telling_every_second(call.progress, lambda: doing, lambda: self.command.check(request))
        found = from_command(report.diagnostics, SourceLines())
        return CheckResult(
            diagnostics=_shown((each for _, each in found), call.paths),
            files_analyzed=report.files_analyzed,
            seconds=report.seconds,
            method="command",
            engine_version=report.version,
            fallback_reason=reason,
        )


def _why_the_command(project: Project, version: PythonVersion) -> str | None:
    """The server cannot be told a version, and ignores a configuration that it cannot read."""
    if version.is_given:
        return f"Python {version.version} is checked for"
    return f"{project.settings.file} cannot be parsed" if project.settings.is_broken else None


def _files_at(path: Path, workspace: Workspace, spec: ServerSpec) -> list[str]:
    """The source files to ask about, in a fixed order."""
    if not path.is_dir():
        return [str(path)]
    inside = str(path) + os.sep
    return sorted(
        file for file in workspace.files.files if file.startswith(inside) and _is_checked(Path(file).name, spec)
    )


def _is_checked(name: str, spec: ServerSpec) -> bool:
    """The command leaves `.pyw` files out of a folder."""
    return spec.is_source(name) and not (is_python(spec) and not name.endswith(_SOURCES))


def _why_not_enough(check: PulledCheck, path: Path, project: Project) -> str | None:
    """The command takes a named path even where the configuration includes only others; for the root it is asked."""
    if check.untracked and not check.reports and not check.unreached:
        return "the language server does not list this path"
    if check.untracked and not project.settings.scope.is_everything and path != project.root.path:
        return "the project's configuration leaves out files at this path"
    return None


def _result(
    check: PulledCheck, found: list[Diagnostic], workspace: Workspace, paths: PathPolicy, seconds: float
) -> CheckResult:
    session = workspace.session
    return CheckResult(
        diagnostics=_shown(found, paths),
        files_analyzed=len(check.reports),
        seconds=seconds,
        method="lsp_push" if mode_of(workspace) == "push" else "lsp_pull",
        engine_version=session.version,
        server_id=session.launch.spec.id,
        unreached=len(check.unreached),
        trouble=session.readiness.trouble,
        left_out=tuple(paths.display(Path(path)) for path in check.untracked if not is_python(session.launch.spec)),
    )


def _shown(diagnostics: Iterable[Diagnostic], paths: PathPolicy) -> list[Diagnostic]:
    """In reading order, with paths as an answer may show them."""
    names: dict[str, str] = {}
    root = f"{paths.root}{os.sep}"

    def shown(file: str) -> str:
        if file not in names:
            names[file] = paths.display(Path(file))
        return names[file]

    return in_reading_order(
        replace(each, file=shown(each.file), message=each.message.replace(root, "")) for each in diagnostics
    )
