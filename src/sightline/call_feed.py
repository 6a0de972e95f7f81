"""Calls as they happen: those that run, the last ones that ended, and whoever wants to hear of the next.

Kept in bounded memory. A listener that does not keep up misses calls and can tell by their numbers.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

_KEPT = 500
_BACKLOG = 256

Ending = Literal["ok", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningCall:
    """A call that has not ended; `started_at` is the time of day in seconds, `client_name` as the client says."""

    number: int
    request_id: str
    tool: str
    arguments: Mapping[str, Any]
    client: str
    client_name: str = ""
    started_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCall:
    """A call that ended; `error_kind` tells why it failed."""

    number: int
    request_id: str
    tool: str
    arguments: Mapping[str, Any]
    client: str
    client_name: str = ""
    started_at: float
    ending: Ending
    root: str = ""
    error_kind: str | None = None
    seconds: float
    chars: int = 0


@dataclass(slots=True)
class CallOutcome:
    """What is known of a call when it ends; a call that says nothing was cancelled."""

    ending: Ending = "cancelled"
    root: str = ""
    error_kind: str | None = None
    chars: int = 0


@dataclass(slots=True)
class CallFeed:
    """The calls of one application."""

    clock: Callable[[], float] = time.time
    _count: int = 0
    _running: dict[int, RunningCall] = field(default_factory=dict[int, RunningCall])
    _finished: deque[FinishedCall] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _listeners: set[MemoryObjectSendStream[FinishedCall]] = field(
        default_factory=set[MemoryObjectSendStream[FinishedCall]]
    )
    _idle: anyio.Event = field(default_factory=anyio.Event)

    @contextmanager
    def following(
        self, request_id: str, tool: str, arguments: Mapping[str, Any], client: str, client_name: str = ""
    ) -> Generator[CallOutcome]:
        """Follow a call to its end; the block tells the outcome."""
        self._count += 1
        number, started = self._count, time.monotonic()
        running = RunningCall(
            number=number,
            request_id=request_id,
            tool=tool,
            arguments=arguments,
            client=client,
            client_name=client_name,
            started_at=self.clock(),
        )
        self._running[number] = running
        outcome = CallOutcome()
        try:
            yield outcome
        finally:
            del self._running[number]
            self._tell(_finished(running, outcome, time.monotonic() - started))
            if not self._running:
                self._idle.set()
                self._idle = anyio.Event()

    def running(self) -> list[RunningCall]:
        return list(self._running.values())

    def latest(self) -> list[FinishedCall]:
        """The last calls that ended, oldest first."""
        return list(self._finished)

    @contextmanager
    def subscribe(self) -> Generator[MemoryObjectReceiveStream[FinishedCall]]:
        """The calls that end from now on."""
        sender, receiver = anyio.create_memory_object_stream[FinishedCall](_BACKLOG)
        self._listeners.add(sender)
        try:
            with sender, receiver:
                yield receiver
        finally:
            self._listeners.discard(sender)

    async def until_idle(self) -> None:
        """Wait until no call runs."""
        while self._running:
            await self._idle.wait()

    def _tell(self, call: FinishedCall) -> None:
        self._finished.append(call)
        for listener in self._listeners:
            try:
                listener.send_nowait(call)
            except anyio.WouldBlock:  # it does not keep up: it misses this one
                continue
            except anyio.BrokenResourceError:
                continue


def _finished(running: RunningCall, outcome: CallOutcome, seconds: float) -> FinishedCall:
    return FinishedCall(
        number=running.number,
        request_id=running.request_id,
        tool=running.tool,
        arguments=running.arguments,
        client=running.client,
        client_name=running.client_name,
        started_at=running.started_at,
        ending=outcome.ending,
        root=outcome.root,
        error_kind=outcome.error_kind,
        seconds=seconds,
        chars=outcome.chars,
    )
