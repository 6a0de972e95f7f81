"""JSON-RPC with a language server: requests with deadlines, answers to its requests, one pending table.

Knows messages and nothing of their meaning. When the stream ends, every pending request fails at once.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import anyio

from sightline.lsp.framing import encode

log = logging.getLogger(__name__)

METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603

_ODD = (AttributeError, KeyError, TypeError, ValueError)  # what reading a message of another form raises

Send = Callable[[bytes], Awaitable[None]]
RequestHandler = Callable[[Any], Any]
NotificationHandler = Callable[[Any], None]


class ConnectionFailed(Exception):
    """A request that got no answer."""


class ConnectionClosed(ConnectionFailed):
    """The server's stream ended."""


class RequestTimedOut(ConnectionFailed):
    """The server did not answer before the deadline."""


class ErrorResponse(Exception):
    """The server answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(slots=True)
class _Pending:
    done: anyio.Event = field(default_factory=anyio.Event)
    message: Mapping[str, Any] | None = None


class Connection:
    """One conversation. Handlers are in place before the first byte is sent."""

    def __init__(
        self,
        send: Send,
        on_request: Mapping[str, RequestHandler],
        on_notification: Mapping[str, NotificationHandler],
    ) -> None:
        self._send_bytes = send
        self._on_request = on_request
        self._on_notification = on_notification
        self._pending: dict[int, _Pending] = {}
        self._next_id = 0
        self._closed_because: str | None = None
        self._sending = anyio.Lock(fast_acquire=True)

    async def request(self, method: str, params: Any, timeout_s: float) -> Any:
        """The result; raises `ErrorResponse` or `ConnectionFailed`. Cancelling it cancels it at the server too."""
        self._next_id += 1
        request_id = self._next_id
        pending = self._pending[request_id] = _Pending()
        try:
            with anyio.fail_after(timeout_s):
                await self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
                await pending.done.wait()
        except TimeoutError:
            raise RequestTimedOut(f"no answer to `{method}` within {timeout_s:g} s") from None
        finally:
            del self._pending[request_id]
            if not pending.done.is_set():
                await self._cancel_at_server(request_id)
        return self._result(pending)

    async def notify(self, method: str, params: Any) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def receive(self, message: Any) -> None:
        """Take in one message from the server; a message of no known form is logged and dropped."""
        if not isinstance(message, dict):
            log.debug("message dropped", extra={"reason": "not an object"})
            return
        fields = cast("dict[str, Any]", message)
        if "method" in fields and "id" in fields:
            await self._send(self._answered(fields))
        elif "method" in fields:
            self._noticed(fields)
        elif isinstance(request_id := fields.get("id"), int) and (pending := self._pending.get(request_id)):
            pending.message = fields
            pending.done.set()

    def close(self, reason: str) -> None:
        """The stream ended: fail everything that waits, now."""
        self._closed_because = self._closed_because or reason
        for pending in self._pending.values():
            pending.done.set()

    def _result(self, pending: _Pending) -> Any:
        if pending.message is None:
            raise ConnectionClosed(self._closed_because or "the stream ended")
        if (error := pending.message.get("error")) is not None:
            raise _error_response(error)
        return pending.message.get("result")

    async def _send(self, message: Any) -> None:
        if self._closed_because is not None:
            raise ConnectionClosed(self._closed_because)
        async with self._sending:
            try:
                await self._send_bytes(encode(message))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                self.close("the server closed its input")
                raise ConnectionClosed("the server closed its input") from None

    async def _cancel_at_server(self, request_id: int) -> None:
        if self._closed_because is None:
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await self.notify("$/cancelRequest", {"id": request_id})

    def _answered(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Our answer to the server's request; what we cannot make sense of is an error, never silence."""
        head = {"jsonrpc": "2.0", "id": request["id"]}
        handler = self._on_request.get(str(request["method"]))
        if handler is None:
            message = f"unhandled method: {request['method']}"
            return {**head, "error": {"code": METHOD_NOT_FOUND, "message": message}}
        try:
            return {**head, "result": handler(request.get("params"))}
        except _ODD as error:
            log.debug("odd request", extra={"method": request["method"], "error": repr(error)})
            return {**head, "error": {"code": INTERNAL_ERROR, "message": "the parameters are of no known form"}}

    def _noticed(self, notification: Mapping[str, Any]) -> None:
        if handler := self._on_notification.get(str(notification["method"])):
            try:
                handler(notification.get("params"))
            except _ODD as error:
                log.debug("odd notification", extra={"method": notification["method"], "error": repr(error)})


def _error_response(error: Any) -> ErrorResponse:
    """The server's error, however it writes it."""
    if not isinstance(error, dict):
        return ErrorResponse(0, str(error))
    fields = cast("dict[str, Any]", error)
    code = fields.get("code")
    return ErrorResponse(code if isinstance(code, int) else 0, str(fields.get("message", "")))
