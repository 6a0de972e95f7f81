"""The running language servers: one per server, root and environment; shared by all callers, bounded.

A workspace in use is never evicted. A crashed one is replaced at the next call; one that keeps crashing is left
alone for a while. Every session is a task of the pool's group and ends with it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import TaskGroup

from sightline.lsp.connection import ConnectionClosed, ConnectionFailed, ErrorResponse
from sightline.lsp.session import ServerNotStarted
from sightline.lsp.workspace import NotReady, Workspace, quick_lock

log = logging.getLogger(__name__)

_CHECK_S = 5.0
_BREAKER_FAILURES = 5
_BREAKER_WINDOW_S = 60.0
_FIRST_BACKOFF_S = 0.5
_MOST_TIMEOUTS = 2
_GOODBYE_S = 0.5


class PoolFull(ConnectionFailed):
    """Every place is taken by a server in use."""


class KeepsCrashing(ConnectionFailed):
    """The server failed so often that it is left alone for a while."""

    def __init__(self, reason: str, retry_after_s: float) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class WorkspaceKey:
    """What a session is bound to; `environment` changes when the interpreter or its packages do."""

    server_id: str
    root: Path
    environment: str

    def replaces(self, other: WorkspaceKey) -> bool:
        return (self.server_id, self.root) == (other.server_id, other.root) and self != other


@dataclass(frozen=True, slots=True)
class PoolLimits:
    size: int
    memory_mb: int
    idle_s: float
    start_wait_s: float = 15.0


@dataclass(slots=True)
class PoolCounts:
    """What the pool did since the start."""

    hits: int = 0
    starts: int = 0
    evictions: int = 0
    restarts: int = 0


@dataclass(slots=True)
class _Slot:
    """A key's place: its workspace if one runs, its starting lock, and its failures."""

    starting: anyio.Lock = field(default_factory=quick_lock)
    workspace: Workspace | None = None
    failures: list[float] = field(default_factory=list[float])
    last_error: str | None = None


WorkspaceMaker = Callable[[], Workspace]
BackgroundWork = Callable[[Workspace], Awaitable[None]]


class Pool:
    """All workspaces of one application; use `open_pool`."""

    def __init__(self, tasks: TaskGroup, limits: PoolLimits, after_start: BackgroundWork) -> None:
        self._tasks = tasks
        self._limits = limits
        self._after_start = after_start
        self._slots: dict[WorkspaceKey, _Slot] = {}
        self.counts = PoolCounts()

    @asynccontextmanager
    async def lease(self, key: WorkspaceKey, make: WorkspaceMaker) -> AsyncGenerator[Workspace]:
        """The workspace of a key, started if need be, and kept while the block runs."""
        workspace = await self._taken(key, make)
        try:
            yield workspace
        finally:
            workspace.release()

    def discard(self, workspace: Workspace, reason: str) -> None:
        """Stop a workspace now; the next lease starts another."""
        log.info("workspace discarded", extra={"root": str(workspace.session.launch.root), "reason": reason})
        workspace.session.stop()
        workspace.close()
        for slot in self._slots.values():
            if slot.workspace is workspace:
                slot.workspace = None
                slot.last_error = reason

    def note_timeout(self, workspace: Workspace, reason: str) -> bool:
        """A server that twice in a row did not answer is taken for dead; True if it was."""
        workspace.timeouts += 1
        if workspace.timeouts >= _MOST_TIMEOUTS:
            self.discard(workspace, f"it does not answer: {reason}")
        return workspace.timeouts >= _MOST_TIMEOUTS

    def note_failure(self, key: WorkspaceKey, reason: str) -> None:
        slot = self._slots.setdefault(key, _Slot())
        slot.failures = [at for at in slot.failures if at > time.monotonic() - _BREAKER_WINDOW_S]
        slot.failures.append(time.monotonic())
        slot.last_error = reason
        self.counts.restarts += 1

    def workspaces(self) -> dict[WorkspaceKey, Workspace]:
        return {key: slot.workspace for key, slot in self._slots.items() if slot.workspace}

    def last_error(self, key: WorkspaceKey) -> str | None:
        slot = self._slots.get(key)
        return slot.last_error if slot else None

    async def tend(self) -> None:
        """Stop what nobody used for a while; runs as long as the pool."""
        while True:
            await anyio.sleep(min(_CHECK_S, self._limits.idle_s))
            for workspace in self.workspaces().values():
                limit_s = workspace.spec.idle_timeout_s or self._limits.idle_s
                if not workspace.users and workspace.last_used < time.monotonic() - limit_s:
                    self.discard(workspace, "idle")
            self._make_room(0)

    async def _taken(self, key: WorkspaceKey, make: WorkspaceMaker) -> Workspace:
        """The key's workspace, counted as in use before it is waited for: nobody evicts it, a caller may give up."""
        slot = self._slots.setdefault(key, _Slot())
        async with slot.starting:
            if slot.workspace and slot.workspace.session.state == "ended":
                self.note_failure(key, slot.workspace.session.ended_because or "it ended")
                self.discard(slot.workspace, "it ended")
            if slot.workspace is None:
                await self._respect_failures(slot)
                self._drop_replaced(key)
                self._make_room(1)
                slot.workspace = self._started(make)
            else:
                self.counts.hits += 1
            workspace = slot.workspace
            workspace.take()
        try:
            if not workspace.session.started.is_set():
                await self._wait_for_start(workspace)
            if workspace.session.state != "running":
                raise self._not_started(key, workspace)
        except BaseException:
            workspace.release()
            raise
        return workspace

    async def _wait_for_start(self, workspace: Workspace) -> None:
        with anyio.move_on_after(self._limits.start_wait_s) as waiting:
            await workspace.session.started.wait()
        if waiting.cancelled_caught:
            raise NotReady("the server is still starting")

    def _not_started(self, key: WorkspaceKey, workspace: Workspace) -> ConnectionFailed:
        """A program that cannot be run or is too old stays so; one that died in its start may not the next time."""
        reason = workspace.session.ended_because or "it did not start"
        if self._slots[key].workspace is workspace:
            self.note_failure(key, reason)
            self.discard(workspace, reason)
        is_hopeless = workspace.session.pid is None or workspace.session.is_unusable
        return ServerNotStarted(reason) if is_hopeless else ConnectionClosed(reason)

    def _started(self, make: WorkspaceMaker) -> Workspace:
        workspace = make()
        self.counts.starts += 1
        self._tasks.start_soon(_to_its_end, workspace.session.run)
        self._tasks.start_soon(_to_its_end, workspace.outside.open)
        self._tasks.start_soon(_to_its_end, self._after_start, workspace)
        return workspace

    def do_meanwhile(self, work: Callable[[], Awaitable[None]]) -> None:
        """Begin work that nobody waits for; it ends with the pool."""
        self._tasks.start_soon(_to_its_end, work)

    async def _respect_failures(self, slot: _Slot) -> None:
        recent = [at for at in slot.failures if at > time.monotonic() - _BREAKER_WINDOW_S]
        if len(recent) >= _BREAKER_FAILURES:
            wait = recent[0] + _BREAKER_WINDOW_S - time.monotonic()
            raise KeepsCrashing(f"it failed {len(recent)} times: {slot.last_error}", max(wait, 1.0))
        if recent:
            pause = _FIRST_BACKOFF_S * 2 ** (len(recent) - 1) - (time.monotonic() - recent[-1])
            await anyio.sleep(max(0.0, pause))

    def _drop_replaced(self, key: WorkspaceKey) -> None:
        for other, workspace in self.workspaces().items():
            if key.replaces(other) and not workspace.users:
                self.discard(workspace, "its environment changed")
                del self._slots[other]

    def _make_room(self, needed: int) -> None:
        """Evict the longest unused until size and memory are within their limits."""
        running = self.workspaces()
        while len(running) + needed > self._limits.size or self._memory_mb(running) > self._limits.memory_mb:
            idle = [key for key, workspace in running.items() if not workspace.users]
            if not idle:
                if needed and len(running) + needed > self._limits.size:
                    raise PoolFull(f"{len(running)} language servers are in use")
                return
            oldest = min(idle, key=lambda key: running[key].last_used)
            self.discard(running.pop(oldest), "evicted to make room")
            self.counts.evictions += 1

    def _memory_mb(self, running: dict[WorkspaceKey, Workspace]) -> float:
        return sum(memory_mb(workspace.session.pid) for workspace in running.values())


async def _to_its_end(work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    """The owner of background tasks: a defect in one session must not end the others."""
    try:
        await work(*arguments)
    except (ConnectionFailed, ErrorResponse) as error:
        log.info("background work ended", extra={"reason": str(error)})
    except Exception:  # one of the three places that catch all
        log.exception("background work failed")


def memory_mb(pid: int | None) -> float:
    """Resident memory of a process and its children; none of one that has not started."""
    import psutil

    if pid is None:
        return 0.0
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        return round(sum(each.memory_info().rss for each in family) / 1e6, 1)
    except psutil.Error:
        return 0.0


@asynccontextmanager
async def open_pool(limits: PoolLimits, after_start: BackgroundWork) -> AsyncGenerator[Pool]:
    """A pool whose servers all end with the block; `after_start` is done in the background for each of them."""
    async with anyio.create_task_group() as tasks:
        pool = Pool(tasks, limits, after_start)
        tasks.start_soon(pool.tend)
        try:
            yield pool
        finally:
            running = pool.workspaces().values()
            for workspace in running:
                pool.discard(workspace, "the application ends")
            with anyio.CancelScope(shield=True), anyio.move_on_after(_GOODBYE_S):
                for workspace in running:
                    await workspace.session.finished.wait()
            tasks.cancel_scope.cancel()
