"""How large a request's body may be, and how long it may take to arrive."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sightline.server.http.refusals import Refusal


class _Refused(Exception):
    """The body breaks a limit while it is read."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class _Gone(Exception):
    """The client went in the midst of its body: nobody is there to be answered, and nothing failed here."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    largest: int
    timeout_s: float
    note_refusal: Callable[[str], None]

    async def serve(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request unless its body breaks a limit."""
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self.largest:
            await self._refuse(self._too_large(), scope, receive, send)
            return
        is_started = False

        async def noted_send(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await app(scope, self._bounded(receive), noted_send)
        except _Refused as error:
            if not is_started:
                await self._refuse(error.refusal, scope, receive, send)
        except _Gone:
            self.note_refusal("gone")

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        self.note_refusal(refusal.reason)
        await refusal(scope, receive, send)

    def _bounded(self, receive: Receive) -> Callable[[], Awaitable[Message]]:
        deadline = anyio.current_time() + self.timeout_s
        received, is_complete = 0, False

        async def bounded() -> Message:
            nonlocal received, is_complete
            if is_complete:
                return await receive()
            with anyio.CancelScope(deadline=deadline):
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _Gone
                received += len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
                if received > self.largest:
                    raise _Refused(self._too_large())
                return message
            raise _Refused(_too_slow())

        return bounded

    def _too_large(self) -> Refusal:
        return Refusal(413, "too_large", f"the body of a request may have {self.largest:,} bytes")


def _too_slow() -> Refusal:
    return Refusal(408, "too_slow", "the body of the request did not arrive in time")
