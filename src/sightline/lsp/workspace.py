"""A project as one language server sees it, kept equal to the disk.

Before each question the changes on disk since the last one are told to the server; where files came or went, its
next announcement is awaited. A question about a state that the server may not know yet is never sent.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from sightline.file_changes import Changes, FileChanges
from sightline.lsp.connection import ConnectionFailed
from sightline.lsp.documents import Documents
from sightline.lsp.session import Session
from sightline.lsp.uris import uri_of

_CREATED, _CHANGED, _DELETED = 1, 2, 3
_ANNOUNCED_WITHIN_S = 1.0
_LONGEST_NOTICE = 500
_MOST_PROBES = 20


class NotReady(ConnectionFailed):
    """The server does not know the whole project yet."""


class Outdated(ConnectionFailed):
    """What the session was started with has changed; a new one is needed."""


@dataclass(slots=True)
class Workspace:
    """A session and the files it answers for. One synchronisation at a time; requests may overlap.

    `has_own_scope`: the project's configuration chooses files, so a source file may be unknown to the server.
    `tracked` remembers which files it turned out to know, and `reports` is for whoever keeps its reports.
    """

    session: Session
    files: FileChanges
    has_own_scope: bool = False
    tracked: dict[str, bool] = field(default_factory=dict[str, bool])
    reports: dict[str, Any] = field(default_factory=dict[str, Any])
    documents: Documents = field(init=False)
    last_used: float = field(default_factory=time.monotonic)
    users: int = 0
    timeouts: int = 0
    generation: int = 0
    _sync: anyio.Lock = field(default_factory=anyio.Lock)
    _awaited: int = 0
    _interactive: int = 0
    _quiet: anyio.Event = field(default_factory=anyio.Event)
    _released: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        self.documents = Documents(self.session)

    def take(self) -> None:
        """Count a caller that uses the workspace."""
        self.users += 1

    def release(self) -> None:
        self.users -= 1
        self.last_used = time.monotonic()
        if not self.users:
            self._released.set()
            self._released = anyio.Event()

    async def until_unused(self) -> None:
        """Wait until no caller uses the workspace."""
        while self.users:
            await self._released.wait()

    async def ask(self, method: str, params: Any, *, ready_within_s: float, about: str | None = None) -> Any:
        """An interactive request about the project as it is on disk now; `about` is the file it asks about."""
        self._interactive += 1
        try:
            await self.sync(ready_within_s)
            if about is not None and not self._reads_by_itself(about):
                await self.documents.open(about)
            result = await self.session.request(method, params)
            self.timeouts = 0
            return result
        finally:
            self._interactive -= 1
            if not self._interactive:
                self._quiet.set()
                self._quiet = anyio.Event()

    async def pull(self, path: str, previous: str | None, timeout_s: float) -> Mapping[str, Any]:
        """A diagnostic report of one file; lets interactive requests go first. The caller has synchronised."""
        while self._interactive:
            await self._quiet.wait()
        params: dict[str, Any] = {"textDocument": document(path)}
        if previous is not None:
            params["previousResultId"] = previous
        report = await self.session.request("textDocument/diagnostic", params, timeout_s)
        self.tracked[path] = report.get("kind") == "full" or report.get("resultId") is not None
        return report

    async def sync(self, ready_within_s: float) -> None:
        """Make the server's view equal to the disk; raises `NotReady` or `Outdated` where it cannot."""
        async with self._sync:
            changes = self.files.look()
            if changes:
                self.generation += 1
                self._refuse_new_configuration(changes)
                await self._tell(changes)
                if changes.created or changes.deleted:
                    await self._settle(changes)
            await self._wait_for_announcement(ready_within_s)
            await self.documents.refresh()

    def _reads_by_itself(self, path: str) -> bool:
        """Whether the file is surely one of those that the server lists."""
        return path in self.files.files and (not self.has_own_scope or self.tracked.get(path, False))

    async def _tell(self, changes: Changes) -> None:
        if changes.created or changes.deleted:
            self._awaited = self.session.readiness.count
        events = [{"uri": uri_of(path), "type": kind} for path, kind in _kinds(changes).items()]
        for start in range(0, len(events), _LONGEST_NOTICE):
            part = events[start : start + _LONGEST_NOTICE]
            await self.session.notify("workspace/didChangeWatchedFiles", {"changes": part})

    async def _settle(self, changes: Changes) -> None:
        """See to it that files which came or went are known to have, also those outside the server's own list.

        Pyright announces nothing for a file that it does not list, and keeps what importers knew about it.
        """
        was_announced = await self.session.readiness.wait_past(self._awaited, _ANNOUNCED_WITHIN_S)
        if self._awaited and not (was_announced and await self._are_all_tracked(changes)):
            self._awaited = self.session.readiness.count
            await self.session.notify("workspace/didChangeConfiguration", {"settings": None})
        for path in changes.deleted:
            self.tracked.pop(path, None)
            self.reports.pop(path, None)

    async def _are_all_tracked(self, changes: Changes) -> bool:
        if not self.has_own_scope:
            return True
        unknown = [path for path in changes.created if path not in self.tracked]
        if len(unknown) > _MOST_PROBES:
            return False
        for path in unknown:
            await self.pull(path, None, self.session.launch.request_timeout_s)
        return all(self.tracked.get(path, False) for path in changes.created | changes.deleted)

    async def _wait_for_announcement(self, ready_within_s: float) -> None:
        if not await self.session.readiness.wait_past(self._awaited, ready_within_s):
            raise NotReady("the server is still reading the project")

    def _refuse_new_configuration(self, changes: Changes) -> None:
        names = {str(self.session.launch.root / name) for name in self.session.launch.spec.config_files}
        if names & (changes.created | changes.changed | changes.deleted):
            raise Outdated("the project's configuration changed")


def document(path: str | Path) -> dict[str, str]:
    """A document identifier."""
    return {"uri": uri_of(path)}


def _kinds(changes: Changes) -> Mapping[str, int]:
    return {
        **dict.fromkeys(sorted(changes.deleted), _DELETED),
        **dict.fromkeys(sorted(changes.created), _CREATED),
        **dict.fromkeys(sorted(changes.changed), _CHANGED),
    }
