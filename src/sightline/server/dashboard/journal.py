"""What happened, in order and numbered: the last events are kept, so that a reader can go on where it was.

Bounded in every direction: events kept by kind, events that wait for one reader. A reader that does not keep up is
let go and can tell.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio

EventKind = Literal["call", "log"]
_KEPT: Mapping[EventKind, int] = {"call": 300, "log": 500}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `what` is made into JSON when a reader gets it, and not before."""

    number: int
    kind: EventKind
    what: Any


@dataclass(frozen=True, slots=True)
class Replay:
    """What a reader is told first; not `is_continued` if it has to forget what it knew."""

    is_continued: bool
    events: Sequence[Event]


@dataclass(slots=True, eq=False)
class Mailbox:
    """What waits for one reader; of the states only the newest."""

    most: int
    is_overflown: bool = False
    _events: deque[Event] = field(default_factory=deque[Event])
    _state: str | None = None
    _news: anyio.Event = field(default_factory=anyio.Event)

    def put(self, event: Event) -> None:
        self.is_overflown = self.is_overflown or len(self._events) >= self.most
        if not self.is_overflown:  # nothing after a gap: the reader comes back for what is behind its last event
            self._events.append(event)
        self._news.set()

    def put_state(self, state: str) -> None:
        self._state = state
        self._news.set()

    async def take(self, timeout_s: float) -> tuple[list[Event], str | None]:
        """All that waits, after at most `timeout_s`; nothing if nothing happened."""
        with anyio.move_on_after(timeout_s):
            await self._news.wait()
        self._news = anyio.Event()
        events, state = list(self._events), self._state
        self._events.clear()
        self._state = None
        return events, state


@dataclass(slots=True)
class Journal:
    """The events of one run of the service, which `run` names."""

    most_waiting: int
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    _count: int = 0
    _kept: dict[EventKind, deque[Event]] = field(default_factory=lambda: {kind: deque[Event]() for kind in _KEPT})
    _forgotten: int = 0
    _readers: set[Mailbox] = field(default_factory=set[Mailbox])
    _somebody: anyio.Event = field(default_factory=anyio.Event)

    def add(self, kind: EventKind, what: Any) -> None:
        self._count += 1
        event = Event(self._count, kind, what)
        kept = self._kept[kind]
        kept.append(event)
        if len(kept) > _KEPT[kind]:
            self._forgotten = max(self._forgotten, kept.popleft().number)
        for reader in self._readers:
            reader.put(event)

    def tell_state(self, state: str) -> None:
        for reader in self._readers:
            reader.put_state(state)

    async def until_read(self) -> None:
        """Wait until somebody reads."""
        while not self._readers:
            self._somebody = anyio.Event()
            await self._somebody.wait()

    @property
    def reader_count(self) -> int:
        return len(self._readers)

    @contextmanager
    def reading(self, last_id: str = "") -> Generator[tuple[Replay, Mailbox]]:
        """What happened after the event with this id, or all that is kept; and what happens from now on."""
        mailbox = Mailbox(self.most_waiting)
        replay = self._replay(last_id)
        self._readers.add(mailbox)
        self._somebody.set()
        try:
            yield replay, mailbox
        finally:
            self._readers.discard(mailbox)

    def id_of(self, event: Event) -> str:
        return f"{self.run}-{event.number}"

    def _replay(self, last_id: str) -> Replay:
        run, _, number = last_id.partition("-")
        last = int(number) if run == self.run and number.isdecimal() and len(number) < 20 else -1
        is_continued = self._forgotten <= last <= self._count
        after = last if is_continued else 0
        events = [event for kept in self._kept.values() for event in kept if event.number > after]
        return Replay(is_continued, sorted(events, key=lambda event: event.number))
