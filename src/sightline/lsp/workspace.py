"""A project as one language server sees it, kept equal to the disk.

Before each question the changes on disk since the last one are told to the server; where files came or went, its
next announcement is awaited. A question about a state that the server may not know yet is never sent.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any, TypeVar

import anyio

from sightline.file_changes import Changes, FileChanges
from sightline.lsp.connection import (
    METHOD_NOT_FOUND,
    ConnectionClosed,
    ConnectionFailed,
    ErrorResponse,
    RequestTimedOut,
)
from sightline.lsp.documents import MOST_OPEN, Documents
from sightline.lsp.outside import OutsideWatch
from sightline.lsp.readiness import SILENT
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.session import Session
from sightline.lsp.turns import Turns
from sightline.lsp.uris import uri_of

T = TypeVar("T")

_CREATED, _CHANGED, _DELETED = 1, 2, 3
_ANNOUNCED_WITHIN_S = 1.0
_LONGEST_NOTICE = 500
_TAKEN_BACK_WITHIN_S = 5.0
_PROVIDERS = {
    "textDocument/hover": "hoverProvider",
    "textDocument/definition": "definitionProvider",
    "textDocument/declaration": "declarationProvider",
    "textDocument/typeDefinition": "typeDefinitionProvider",
    "textDocument/implementation": "implementationProvider",
    "textDocument/references": "referencesProvider",
    "textDocument/documentSymbol": "documentSymbolProvider",
    "textDocument/completion": "completionProvider",
    "textDocument/signatureHelp": "signatureHelpProvider",
    "textDocument/prepareCallHierarchy": "callHierarchyProvider",
    "workspace/symbol": "workspaceSymbolProvider",
}
_ASK_AGAIN = (-32801, -32802)  # content modified, server cancelled
_PAUSES_S = (0.1, 0.3, 1.0)
_EMPTY_PAUSES_S = (0.1, 0.2, 0.4, 0.8, 1.6)
_NEW_FOR_S = 10.0
_NO_METHOD = "$/sightline/areYouThere"


def _always(_path: str) -> bool:
    return True


def quick_lock() -> anyio.Lock:
    """A lock that is taken without a turn of the event loop if it is free."""
    return anyio.Lock(fast_acquire=True)


class NotReady(ConnectionFailed):
    """The server does not know the whole project yet."""


class NeverReady(NotReady):
    """The server did not get to know the project in all the time that a start may take."""


class Outdated(ConnectionFailed):
    """What the session was started with has changed; a new one is needed."""


@dataclass(slots=True)
class Workspace:
    """A session and the files it answers for. One synchronisation at a time; requests may overlap.

    `is_listed` tells which source files the project's configuration lets the server list; `is_partly_known` if the
    project has more parts than can be open at once.
    """

    session: Session
    files: FileChanges
    outside: OutsideWatch
    is_listed: Callable[[str], bool] = _always
    documents: Documents = field(init=False)
    turns: Turns = field(default_factory=Turns)
    last_used: float = field(default_factory=time.monotonic)
    users: int = 0
    timeouts: int = 0
    generation: int = 0
    is_partly_known: bool = False
    _sync: anyio.Lock = field(default_factory=quick_lock)
    _awaited: int = 0
    _is_doubtful: bool = False
    _news: Changes = field(default_factory=Changes)
    _kept: dict[type, Any] = field(default_factory=dict[type, Any])
    _interactive: int = 0
    _quiet: anyio.Event = field(default_factory=anyio.Event)
    _released: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        self.documents = Documents(self.session)

    def kept(self, kind: type[T]) -> T:
        """What others keep beside the session, as long as it lives: one object of each kind."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        return self._kept[kind]

    def news(self) -> Changes:
        """What the server was told since the last time somebody asked for this."""
        news, self._news = self._news, Changes()
        return news

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
            await self.make_known(about, ready_within_s)
            self._require_offered(method)
            result = await self.request(method, params)
            if not result and self.spec.ready.kind == "unknown":
                result = await self._asked_again(method, params)
            self.timeouts = 0
            return result
        finally:
            self._interactive -= 1
            if not self._interactive:
                self._quiet.set()
                self._quiet = anyio.Event()

    async def _asked_again(self, method: str, params: Any) -> Any:
        """An empty answer of a server that may not know the project yet; raises `NotReady` if it is still at work."""
        result: Any = None
        for pause_s in _EMPTY_PAUSES_S:
            is_new = time.monotonic() - self.session.born < _NEW_FOR_S
            if not is_new and not self.session.readiness.is_working:
                return result
            await anyio.sleep(pause_s)
            if result := await self.request(method, params):
                return result
        if self.session.readiness.is_working:
            raise NotReady(f"{self.spec.id} has found nothing yet, and is still at work")
        return result

    @asynccontextmanager
    async def trying(self, texts: Mapping[str, str]) -> AsyncGenerator[None]:
        """Let the server see files with other texts while the block runs; the caller has the workspace alone."""
        self._is_doubtful = True  # until the server has surely been shown the disk again
        try:
            for path, text in texts.items():
                await self.documents.pretend(path, text)
            yield
        finally:
            self.generation += 1
            with anyio.CancelScope(shield=True), anyio.move_on_after(_TAKEN_BACK_WITHIN_S):
                for path in texts:
                    await self.documents.back_to_disk(path)
                self._is_doubtful = False

    def offers(self, method: str) -> bool:
        """Whether the server says that it answers a method; of methods that it need not tell, it is believed."""
        provider = _PROVIDERS.get(method)
        return provider is None or self.session.supports(method, provider)

    async def let_others_first(self) -> None:
        """Wait until nobody asks interactively: bulk work is for the pauses."""
        while self._interactive:
            await self._quiet.wait()

    async def make_known(self, path: str | None, ready_within_s: float) -> None:
        """Open what the server would not read by itself, and wait until it knows the project."""
        await self._open(path)
        await self._wait_for_announcement(ready_within_s)

    async def request(self, method: str, params: Any, timeout_s: float | None = None) -> Any:
        """A request; one that the server gave up because something changed is asked again."""
        for pause_s in _PAUSES_S:
            try:
                return await self.session.request(method, params, timeout_s)
            except ErrorResponse as error:
                if error.code not in _ASK_AGAIN:
                    raise
                await anyio.sleep(pause_s)
        return await self.session.request(method, params, timeout_s)

    async def sync(self, ready_within_s: float) -> None:
        """Make the server's view equal to the disk; raises `NotReady` or `Outdated` where it cannot.

        A caller who gives up while the server takes changes in leaves it in an unknown state: it is not used again.
        """
        async with self._sync:
            if not self.session.readiness.count and not self.spec.ready.after_open:
                await self._wait_for_announcement(ready_within_s)
            if self._is_doubtful:
                raise Outdated("a call was given up while the server took changes in, or saw an edit")
            if await self.outside.has_changed():
                raise Outdated("a dependency outside the project changed")
            if changes := self.files.look():
                self.generation += 1
                self._is_doubtful = True  # an announcement that comes after we gave up would pass for a later one
                self._refuse_unseen(changes)
                await self._tell(changes)
                await self._settle(changes, ready_within_s)
                self._is_doubtful = False
                self._news = self._news.and_then(changes)
            await self.documents.refresh()

    def close(self) -> None:
        """Stop watching; the session is ended by its owner."""
        self.files.close()
        self.outside.close()

    @property
    def is_ready(self) -> bool:
        """Whether the server has told that it knows the project, if it ever tells."""
        return self.spec.ready.kind in SILENT or self.session.readiness.count > 0

    @property
    def sources(self) -> list[str]:
        """The server's own files below its root; more are watched, for what they import from elsewhere."""
        inside = str(self.session.launch.root) + os.sep
        return sorted(
            path
            for path in self.files.files
            if path.startswith(inside) and self.spec.is_source(path.rpartition(os.sep)[2])
        )

    @property
    def spec(self) -> ServerSpec:
        return self.session.launch.spec

    async def _open(self, about: str | None) -> None:
        """Open what the server would not read by itself; with no file in question, any one that wakes it."""
        if about is not None:
            if self.spec.needs_open or not (about in self.files.files and self.is_listed(about)):
                await self.documents.open(about)
        elif self.spec.needs_open:
            parts = self._first_of_each()
            self.is_partly_known = len(parts) > MOST_OPEN
            for first in parts[:MOST_OPEN]:
                await self.documents.open(first)

    def _first_of_each(self) -> list[str]:
        """A file of every part that has a configuration of its own: the server knows only those that it has opened."""
        names = tuple(os.sep + name for name in self.spec.ready.only_with)
        roots = {path.rpartition(os.sep)[0] for path in self.files.files if names and path.endswith(names)}
        parts: dict[str, str] = {}
        for path in self.sources:
            folder = path.rpartition(os.sep)[0]
            while folder and folder not in roots:
                folder = folder.rpartition(os.sep)[0]
            parts.setdefault(folder, path)
        return list(parts.values())

    def _require_offered(self, method: str) -> None:
        """Some servers answer a method that they do not have with nothing: that must not read as nothing found."""
        if not self.offers(method):
            raise ErrorResponse(METHOD_NOT_FOUND, f"{self.spec.id} does not offer {method}")

    async def _tell(self, changes: Changes) -> None:
        if self.spec.ready.repeats and (changes.created or changes.deleted):
            self._awaited = self.session.readiness.count
        events = [{"uri": uri_of(path), "type": kind} for path, kind in _kinds(changes).items()]
        for start in range(0, len(events), _LONGEST_NOTICE):
            part = events[start : start + _LONGEST_NOTICE]
            await self.session.notify("workspace/didChangeWatchedFiles", {"changes": part})

    async def _settle(self, changes: Changes, ready_within_s: float) -> None:
        """See to it that changes are taken in, also those to files outside the server's own list.

        Pyright announces nothing for such a file, and keeps what importers knew about it. A folder that came or went
        without any source in it is a package all the same.
        """
        if not self.spec.ready.repeats:
            return
        is_awaited = bool(changes.created or changes.deleted)
        was_announced = not is_awaited or await self._is_announced(ready_within_s)
        is_all_listed = all(map(self.is_listed, changes.created | changes.changed | changes.deleted))
        if not (was_announced and is_all_listed) or _has_bare_folder(changes):
            self._awaited = self.session.readiness.count
            await self.session.notify("workspace/didChangeConfiguration", {"settings": None})
        await self._wait_for_announcement(ready_within_s)

    async def _is_announced(self, ready_within_s: float) -> bool:
        """Whether the server announces what it was told last; False only if it surely will not.

        A late announcement must not be taken for that of the next event. So a server that is silent is asked
        something, before and after another pause: what it had to say before its second answer, it has said.
        """
        readiness = self.session.readiness
        for _ in range(2):
            if await readiness.wait_past(self._awaited, _ANNOUNCED_WITHIN_S):
                return True
            await self._hear_from_server(ready_within_s)
        return readiness.count > self._awaited

    async def _hear_from_server(self, timeout_s: float) -> None:
        """Wait until the server answers anything at all."""
        try:
            await self.session.request(_NO_METHOD, {}, timeout_s)
        except ErrorResponse:
            return
        except RequestTimedOut:
            raise NotReady("the server is busy with changes to the project") from None

    async def _wait_for_announcement(self, ready_within_s: float) -> None:
        if await self.session.readiness.wait_past(self._awaited, ready_within_s):
            return
        if self.session.state == "ended":
            raise ConnectionClosed(self.session.ended_because or "it ended")
        is_late = time.monotonic() - self.session.born > self.session.launch.start_timeout_s
        kind = NeverReady if is_late and not self.session.readiness.count else NotReady
        raise kind("the server is still reading the project")

    def _refuse_unseen(self, changes: Changes) -> None:
        """What the server does not take in while it runs needs a new session."""
        touched = changes.created | changes.changed | changes.deleted
        root = glob.escape(str(self.session.launch.root))
        if any(fnmatch(path, f"{root}{os.sep}{name}") for name in self.spec.config_files for path in touched):
            raise Outdated("the project's configuration changed")
        is_new_list = bool(changes.created or changes.deleted)
        is_unseen = self.spec.sees_disk == "never" or (self.spec.sees_disk == "changes" and is_new_list)
        if is_unseen and not self.spec.is_single_file:
            raise Outdated("files changed that the server does not read again")


def _has_bare_folder(changes: Changes) -> bool:
    """Whether a folder came or went that could be imported, and no source with it that the server is told of."""
    told = changes.created | changes.deleted
    return any(
        folder.rpartition(os.sep)[2].isidentifier() and not any(path.startswith(folder + os.sep) for path in told)
        for folder in changes.folders
    )


def _kinds(changes: Changes) -> Mapping[str, int]:
    return {
        **dict.fromkeys(sorted(changes.deleted), _DELETED),
        **dict.fromkeys(sorted(changes.created), _CREATED),
        **dict.fromkeys(sorted(changes.changed), _CHANGED),
    }
