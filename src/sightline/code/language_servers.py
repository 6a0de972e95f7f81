"""From a project to its language server: which one, started how, and what its failures mean to a caller.

Here, and only here, the errors of `lsp/` become failures of a tool.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from fnmatch import filter as fnmatch_filter
from fnmatch import fnmatch
from os import DirEntry
from pathlib import Path
from typing import TypeVar

from sightline.children import Children
from sightline.code.launching import launch_of
from sightline.code.served import Served
from sightline.components import Component
from sightline.config.schema import CodeSettings
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.file_changes import FileChanges, TreeFilter
from sightline.lsp.connection import METHOD_NOT_FOUND, ConnectionFailed, ErrorResponse, RequestTimedOut
from sightline.lsp.outside import OutsideWatch
from sightline.lsp.pool import KeepsCrashing, Pool, PoolFull, WorkspaceKey
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.session import Launch, ServerNotStarted, Session
from sightline.lsp.turns import TurnNotGiven
from sightline.lsp.workspace import NeverReady, NotReady, Outdated, Workspace
from sightline.projects.environments import stamp_of
from sightline.projects.outside import outside_folders
from sightline.projects.search_paths import SearchPaths
from sightline.redaction import redacted

R = TypeVar("R")

_TRIES = 3
_RETRY_MS = 1_000
_SEARCHED = "src"
"""Pyright looks once, when it starts, whether the project has this folder, and then searches it for imports."""
_SKIPPED_FOLDERS = ("node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class LanguageServers:
    """The language servers of one application."""

    pool: Pool
    children: Children
    settings: CodeSettings
    search_paths: SearchPaths
    variables: Mapping[str, str]
    cache: Path

    async def with_workspace(
        self, served: Served, work: Callable[[Workspace], Awaitable[R]], *, alone: bool = False
    ) -> R:
        """Do read-only work with the project's workspace; it is done again, on a new session, if one is lost.

        `alone` for work that shows the server other texts than the disk's: nobody else may see them.
        """
        key = _key(served)
        for left in reversed(range(_TRIES)):
            try:
                async with self._leased(key, served) as workspace, self._turn(workspace, alone=alone):
                    return await work(workspace)
            except Outdated:
                continue
            except ConnectionFailed as error:
                if not left or not _is_worth_another_try(error):
                    raise self._failure(error, key, served) from None
            except ErrorResponse as error:
                raise _refusal(error, served.root) from None
        raise self._failure(NotReady("the project changes faster than it can be read"), key, served)

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
    async def _leased(self, key: WorkspaceKey, served: Served) -> AsyncGenerator[Workspace]:
        outside: list[Path] = []
        if served.python and key not in self.pool.workspaces():
            outside = outside_folders(served.python, await self.search_paths.of(served.python.interpreter))
        async with self.pool.lease(key, lambda: self._workspace(served, outside)) as workspace:
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

    def launch(self, served: Served) -> Launch:
        """What a server is started with; raises `ToolFailure`."""
        return launch_of(served, self.settings, self.variables, self.cache)

    def _workspace(self, served: Served, outside: list[Path]) -> Workspace:
        """The files are looked at before the server is, so that no change falls between."""
        launch = self.launch(served)
        which = _tree_filter(served.spec)
        files = FileChanges(served.watched, which)
        watch = OutsideWatch(outside, which)
        return Workspace(Session(launch, self.children), files, watch, is_listed=served.is_listed)

    def _failure(self, error: ConnectionFailed, key: WorkspaceKey, served: Served) -> ToolFailure:
        said = redacted(str(error), served.root)
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
                install = NextStep("command", f"install it again: `{served.spec.install}`")
                message = f"{key.server_id} did not start: {said}"
                return ToolFailure(ErrorKind.SERVER_NOT_INSTALLED, message, install, status)
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


def _key(served: Served) -> WorkspaceKey:
    """What the session is bound to: it ends when one of these changes."""
    parts = [stamp_of(place) for place in _stamped(served)]
    if served.python:
        environment = served.python.interpreter.environment
        files = map(stamp_of, served.python.settings.files)
        parts += [environment.fingerprint() if environment else "PATH", *files]
        parts.append("src" if (served.root / _SEARCHED).is_dir() else "")
    return WorkspaceKey(served.spec.id, served.root, "|".join(parts))


def _stamped(served: Served) -> Iterator[str]:
    """What the session is bound to, in the root and above it: packages may be installed for a whole repository."""
    names = served.spec.stamps
    for folder in (served.root, *served.root.parents) if names else ():
        if folder.is_relative_to(served.watched):
            yield from (path for name in names for path in _matching(str(folder), name))


def _matching(folder: str, name: str) -> list[str]:
    """The places of a name, which may hold `*` in its last part; in every call, so by the quickest way."""
    if "*" not in name:
        return [f"{folder}/{name}"]
    inner, _, last = name.rpartition("/")
    try:
        return [f"{folder}/{inner}/{each}" for each in sorted(fnmatch_filter(os.listdir(f"{folder}/{inner}"), last))]  # noqa: PTH208 - in every call
    except OSError:
        return []


def _tree_filter(spec: ServerSpec) -> TreeFilter:
    others = (*spec.config_files, *spec.watched)
    return TreeFilter(
        is_source=lambda name: spec.is_source(name) or any(fnmatch(name, each) for each in others),
        is_skipped=_is_skipped_folder,
    )


def _is_skipped_folder(entry: DirEntry[str]) -> bool:
    return entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS or Path(entry.path, "pyvenv.cfg").exists()
