"""From a project to its language server: which one, started how, and what its failures mean to a caller.

Here, and only here, the errors of `lsp/` become failures of a tool.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from os import DirEntry
from pathlib import Path
from typing import Any, TypeVar

from sightline.children import Children
from sightline.code.pyright_command import find_entry_file, find_node
from sightline.components import Component
from sightline.config.schema import CodeSettings
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.file_changes import FileChanges, TreeFilter
from sightline.lsp.connection import METHOD_NOT_FOUND, ConnectionFailed, ErrorResponse, RequestTimedOut
from sightline.lsp.outside import OutsideWatch
from sightline.lsp.pool import KeepsCrashing, Pool, PoolFull, WorkspaceKey
from sightline.lsp.server_spec import ServerSpec, builtin_spec
from sightline.lsp.session import Launch, ServerNotStarted, Session
from sightline.lsp.turns import TurnNotGiven
from sightline.lsp.workspace import NeverReady, NotReady, Outdated, Workspace
from sightline.projects import Project
from sightline.projects.environments import stamp_of
from sightline.projects.outside import outside_folders
from sightline.projects.search_paths import SearchPaths
from sightline.redaction import redacted

R = TypeVar("R")

_TRIES = 3
_RETRY_MS = 1_000
_SKIPPED_FOLDERS = ("node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class LanguageServers:
    """The language servers of one application."""

    pool: Pool
    children: Children
    settings: CodeSettings
    search_paths: SearchPaths

    async def with_workspace(
        self, project: Project, work: Callable[[Workspace], Awaitable[R]], *, alone: bool = False
    ) -> R:
        """Do read-only work with the project's workspace; it is done again, on a new session, if one is lost.

        `alone` for work that shows the server other texts than the disk's: nobody else may see them.
        """
        spec = builtin_spec("pyright")
        key = _key(spec, project)
        for left in reversed(range(_TRIES)):
            try:
                async with self._leased(spec, key, project) as workspace, self._turn(workspace, alone=alone):
                    return await work(workspace)
            except Outdated:
                continue
            except ConnectionFailed as error:
                if not left or not _is_worth_another_try(error):
                    raise self._failure(error, key, project) from None
            except ErrorResponse as error:
                raise _refusal(error, project.root.path) from None
        raise self._failure(NotReady("the project changes faster than it can be read"), key, project)

    async def probe(self) -> Component:
        """What the pool did: a component that works unless every server it started has failed."""
        counts, running = self.pool.counts, len(self.pool.workspaces())
        summary = (
            f"{running} running, {counts.starts} started, {counts.hits} hits, {counts.evictions} evictions, "
            f"{counts.restarts} failures"
        )
        return Component(name="language_servers", works=running > 0 or not counts.restarts, detail=summary)

    def _turn(self, workspace: Workspace, *, alone: bool) -> AbstractAsyncContextManager[None]:
        kind = workspace.turns.alone if alone else workspace.turns.shared
        return kind(self.settings.request_timeout_s)

    @asynccontextmanager
    async def _leased(self, spec: ServerSpec, key: WorkspaceKey, project: Project) -> AsyncGenerator[Workspace]:
        outside: list[Path] = []
        if key not in self.pool.workspaces():
            outside = outside_folders(project, await self.search_paths.of(project.interpreter))
        async with self.pool.lease(key, lambda: self._workspace(spec, project, outside)) as workspace:
            try:
                yield workspace
            except Outdated as error:
                self.pool.discard(workspace, str(error))
                raise
            except NeverReady as error:
                self.pool.note_failure(key, str(error))
                self.pool.discard(workspace, str(error))
                raise
            except RequestTimedOut as error:
                self.pool.note_timeout(workspace, str(error))
                raise

    def _workspace(self, spec: ServerSpec, project: Project, outside: list[Path]) -> Workspace:
        """The files are looked at before the server is, so that no change falls between."""
        which = _tree_filter(spec)
        files = FileChanges(project.root.path, which)
        session = Session(self._launch(spec, project), self.children)
        watch = OutsideWatch(outside, which)
        return Workspace(session, files, watch, is_listed=project.settings.scope.lists)

    def _launch(self, spec: ServerSpec, project: Project) -> Launch:
        places = {
            "node": str(find_node()),
            "pyright": str(find_entry_file().parent),
            "heap_mb": str(self.settings.memory_budget_mb),
        }
        return Launch(
            spec=spec,
            root=project.root.path,
            command=[part.format(**places) for part in (spec.command, *spec.args)],
            settings=_with_interpreter(spec.settings, project.interpreter.path),
            start_timeout_s=self.settings.start_timeout_s,
            request_timeout_s=self.settings.request_timeout_s,
            request_timeouts={**spec.request_timeouts, **self.settings.request_timeouts},
            max_message_mb=self.settings.max_message_mb,
        )

    def _failure(self, error: ConnectionFailed, key: WorkspaceKey, project: Project) -> ToolFailure:
        said = redacted(str(error), project.root.path)
        status = NextStep("tool", "see what the server said", tool="get_server_status", arguments={})
        match error:
            case NotReady():
                step = NextStep("doc", "ask the same again after `retry_after_ms`")
                return _starting(said, step)
            case RequestTimedOut():
                step = NextStep("config", "a person can raise `code.request_timeout_s`")
                return ToolFailure(ErrorKind.TIMEOUT, said, NextStep("doc", "ask again"), step, retryable=True)
            case PoolFull() | TurnNotGiven():
                more = NextStep("config", "a person can raise `code.pool_size`")
                step = more if isinstance(error, PoolFull) else NextStep("doc", "ask again after `retry_after_ms`")
                return ToolFailure(ErrorKind.BUSY, said, step, retryable=True, retry_after_ms=_RETRY_MS)
            case KeepsCrashing():
                wait = round(error.retry_after_s * 1000)
                return ToolFailure(ErrorKind.SERVER_CRASHED, said, status, retryable=True, retry_after_ms=wait)
            case ServerNotStarted():
                return ToolFailure(ErrorKind.SERVER_NOT_INSTALLED, f"{key.server_id} did not start: {said}", status)
            case _:
                message = f"{key.server_id} ended unexpectedly: {said}"
                return ToolFailure(ErrorKind.SERVER_CRASHED, message, status, retryable=True, retry_after_ms=_RETRY_MS)


def _starting(said: str, step: NextStep) -> ToolFailure:
    return ToolFailure(ErrorKind.SERVER_STARTING, said, step, retryable=True, retry_after_ms=_RETRY_MS)


def _is_worth_another_try(error: ConnectionFailed) -> bool:
    """A lost server is; one that is slow, full, missing or not ready is not."""
    hopeless = NotReady | RequestTimedOut | PoolFull | TurnNotGiven | KeepsCrashing | ServerNotStarted
    return not isinstance(error, hopeless)


def _refusal(error: ErrorResponse, root: Path) -> ToolFailure:
    if error.code == METHOD_NOT_FOUND:
        step = NextStep("doc", "use another tool for this")
        return ToolFailure(ErrorKind.UNSUPPORTED, "the language server does not offer this", step, code=error.code)
    step = NextStep("doc", "ask again; if it happens again, restart the server")
    message = f"the language server answered with an error: {redacted(error.message[:300], root)}"
    return ToolFailure(ErrorKind.SERVER_CRASHED, message, step, retryable=True, code=error.code)


def _key(spec: ServerSpec, project: Project) -> WorkspaceKey:
    environment = project.interpreter.environment
    parts = [environment.fingerprint() if environment else "PATH", *map(stamp_of, project.settings.files)]
    return WorkspaceKey(spec.id, project.root.path, "|".join(parts))


def _tree_filter(spec: ServerSpec) -> TreeFilter:
    names = frozenset(spec.config_files)
    return TreeFilter(
        is_source=lambda name: name.endswith(spec.extensions) or name in names,
        is_skipped=_is_skipped_folder,
    )


def _is_skipped_folder(entry: DirEntry[str]) -> bool:
    return entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS or Path(entry.path, "pyvenv.cfg").exists()


def _with_interpreter(settings: Mapping[str, Any], interpreter: Path | None) -> Mapping[str, Any]:
    if interpreter is None:
        return settings
    return {**settings, "python": {**settings.get("python", {}), "pythonPath": str(interpreter)}}
