"""The stream of events to one page: what it missed, then what happens, and a sign of life in between."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from sightline.server.dashboard.call_records import finished_call
from sightline.server.dashboard.discretion import Discretion
from sightline.server.dashboard.journal import Event, Journal
from sightline.server.dashboard.page import SAFE_HEADERS
from sightline.server.dashboard.replies import refused, to_text


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """`most` streams at once, `waiting` events for a reader that does not keep up."""

    most: int = 16
    waiting: int = 256
    heartbeat_s: float = 15.0


@dataclass(frozen=True, slots=True)
class EventStreams:
    """An ASGI application: every request is one reader. `is_welcome` is asked again while it reads.

    `look` tells the state of the service now: one that was seen before this reader came may be hours old.
    """

    journal: Journal
    discretion: Discretion
    limits: StreamLimits
    look: Callable[[], Awaitable[str | None]]
    is_welcome: Callable[[Scope], bool]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.journal.reader_count >= self.limits.most:
            message = f"{self.limits.most} pages are open already; close one"
            refusal = refused(503, "too_many_streams", message)
            refusal.headers["retry-after"] = "5"
            await refusal(scope, receive, send)
            return
        headers = {**SAFE_HEADERS, "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store"}
        headers["x-accel-buffering"] = "no"
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until_gone, receive, tasks.cancel_scope)
            async with aclosing(self._texts(scope)) as texts:
                async for text in texts:
                    body = text.encode("utf-8", errors="replace")
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            tasks.cancel_scope.cancel()

    async def _texts(self, scope: Scope) -> AsyncGenerator[str]:
        last_id = Headers(scope=scope).get("last-event-id", "")
        with self.journal.reading(last_id) as (replay, mailbox):
            yield _event("hello", {"run": self.journal.run, "is_continued": replay.is_continued})
            if state := await self.look():
                yield _block("state", state)
            yield "".join(map(self._shown, replay.events)) + _event("caught_up", {})
            while not mailbox.is_overflown:
                events, state = await mailbox.take(self.limits.heartbeat_s)
                if not self.is_welcome(scope):
                    yield _event("ended", {"message": "the visit is over"})
                    return
                told = [_block("state", state)] if state else []
                yield "".join([*map(self._shown, events), *told]) or ": still here\n\n"
            events, _ = await mailbox.take(0)
            yield "".join(map(self._shown, events))
            yield _event("dropped", {"message": "this page did not keep up; it goes on where it was"})

    def _shown(self, event: Event) -> str:
        data = (finished_call if event.kind == "call" else _log)(event.what, self.discretion)
        return _event(event.kind, data, self.journal.id_of(event))


def _log(entry: Any, discretion: Discretion) -> dict[str, Any]:
    return entry.as_json(discretion)


def _event(kind: str, data: Any, event_id: str | None = None) -> str:
    return _block(kind, to_text(data), event_id)


def _block(kind: str, text: str, event_id: str | None = None) -> str:
    """One event; JSON has no line breaks of its own, so that one line of data is enough."""
    number = f"id: {event_id}\n" if event_id else ""
    return f"{number}event: {kind}\ndata: {text}\n\n"


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
