"""The requests that are being served: counted by status, and ended when the service ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sightline.server.http.refusals import STOPPING


@dataclass(slots=True)
class InFlight:
    """Every request of one service."""

    statuses: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    refusals: Counter[str] = field(default_factory=Counter[str])
    is_stopping: bool = False
    _scopes: set[anyio.CancelScope] = field(default_factory=set[anyio.CancelScope])

    @property
    def count(self) -> int:
        return len(self._scopes)

    async def serve(self, name: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request under a name for the metrics; what still runs at the end is cut off in order."""
        exchange = _Exchange(send)
        with anyio.CancelScope() as running:
            self._scopes.add(running)
            try:
                await app(scope, receive, exchange.send)
            finally:
                self._scopes.discard(running)
        if running.cancelled_caught:
            await exchange.cut_off(scope, receive)
        if exchange.status is not None:
            self.statuses[name, exchange.status] += 1

    def note_refusal(self, reason: str) -> None:
        self.refusals[reason] += 1

    def cancel_all(self) -> None:
        for scope in self._scopes:
            scope.cancel()


@dataclass(slots=True)
class _Exchange:
    """What was sent of one response."""

    forward: Send
    status: int | None = None
    is_complete: bool = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.is_complete = not message.get("more_body", False)
        await self.forward(message)

    async def cut_off(self, scope: Scope, receive: Receive) -> None:
        if self.status is None:
            await STOPPING(scope, receive, self.send)
        elif not self.is_complete:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
