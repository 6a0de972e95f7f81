"""The HTTP wire: what uvicorn and h11 let pass that a proxy before us may read otherwise, and time limits.

h11 joins folded headers, takes bare line feeds, a repeated `Content-Length` and chunks in HTTP/1.0, and lets
`Transfer-Encoding` win over the length. Each is a way to hide one request in another, so each is refused with 400. A
head that does not arrive in time is answered with 408; a client that does not take its answer in time is cut off.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

LARGEST_HEAD = 32_768
_LAST_LOOK_S = 0.1
_PLAIN_HEAD = re.compile(rb"[^\r\n]* HTTP/1\.[01]\r\n(?:[^\r\n]+\r\n)*\r\n")
_FRAMING = (b"content-length", b"transfer-encoding")
_BLANK_LINE = re.compile(rb"\n\r?\n")
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class StrictConnection(h11.Connection):
    """h11 without its tolerance."""

    def next_event(self) -> Any:
        if self.their_state is h11.IDLE:
            received, _ = self.trailing_data
            if end := _BLANK_LINE.search(received):
                require_plain_head(received[: end.end()])
        return super().next_event()


def require_plain_head(head: bytes) -> None:
    """Raise `h11.RemoteProtocolError` for a head that can be read in two ways, or is too large.

    h11 holds only a head that is not complete against its limit, and one can arrive in a single piece.
    """
    if len(head) > LARGEST_HEAD:
        raise h11.RemoteProtocolError("the head is too large")
    if not _PLAIN_HEAD.fullmatch(head.lstrip(b"\r\n")):
        raise h11.RemoteProtocolError("the head is not made of lines of one kind")
    first, *lines = head.strip(b"\r\n").split(b"\r\n")
    headers = [_header(line) for line in lines]
    if any(name.startswith((b" ", b"\t")) for name, _ in headers):
        raise h11.RemoteProtocolError("a header is folded")
    framing = [(name, value) for name, value in headers if name in _FRAMING]
    if len(framing) > 1:
        raise h11.RemoteProtocolError("the length of the body is told more than once")
    if any(name == b"content-length" and not value.isdigit() for name, value in framing):
        raise h11.RemoteProtocolError("the length of the body is not a number")
    if first.endswith(b"/1.0") and any(name == b"transfer-encoding" for name, _ in framing):
        raise h11.RemoteProtocolError("HTTP/1.0 has no chunks")


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.lower(), value.strip(b" \t")


@dataclass(frozen=True, slots=True)
class WireLimits:
    timeout_s: float
    most_connections: int
    note_refusal: Callable[[str], None]


class Wire(H11Protocol):
    """uvicorn's protocol, strict and with deadlines; use `wire_with`."""

    limits: ClassVar[WireLimits]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = StrictConnection(h11.SERVER, LARGEST_HEAD)
        self._head: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._is_ending = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] - as uvicorn's
        is_full = len(self.connections) >= self.limits.most_connections
        super().connection_made(transport)
        # asyncio does this for the sockets it opens itself, but not for those of a listener that it was given
        # without a protocol number: there every answer waited 40 ms for the client's acknowledgement of its head.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if is_full:
            self._refuse("too_many_connections", _TOO_MANY)
        else:
            self._await_head()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._is_between_requests():
            self._await_head()
        else:
            self._head = _cancelled(self._head)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        has_begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if has_begun and not self.transport.is_closing():
            self._await_head()  # a head of which a part came with the last request

    def connection_lost(self, exc: Exception | None) -> None:
        self._head, self._stuck = _cancelled(self._head), _cancelled(self._stuck)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End the connection with the answer that it waits for, an idle one after a last look.

        What its client has sent by then may not be read yet; closed at once, it would get no answer at all.
        """
        is_idle = not self.cycle or self.cycle.response_complete
        if is_idle and not self._is_ending:
            self._is_ending = True
            self.loop.call_later(_LAST_LOOK_S, self.shutdown)
        elif not self.transport.is_closing():
            super().shutdown()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stuck = self._stuck or self.loop.call_later(self.limits.timeout_s, self.transport.abort)

    def resume_writing(self) -> None:
        self._stuck = _cancelled(self._stuck)
        super().resume_writing()

    def _is_between_requests(self) -> bool:
        """Whether a head is awaited, or the rest of a body that nobody reads any more."""
        is_answered = bool(self.cycle) and self.cycle.response_complete
        return self.conn.their_state is h11.IDLE or is_answered

    def _await_head(self) -> None:
        self._head = self._head or self.loop.call_later(self.limits.timeout_s, self._refuse, "too_slow", _TOO_SLOW)

    def send_400_response(self, msg: str) -> None:
        self.limits.note_refusal("malformed")
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:  # the answer is on its way already, to a request whose body turned out to be none
            self.transport.close()

    def _refuse(self, reason: str, response: bytes) -> None:
        if not self.transport.is_closing():
            self.limits.note_refusal(reason)
            self.transport.write(response)
            self.transport.close()


def wire_with(limits: WireLimits) -> type[asyncio.Protocol]:
    """The protocol class for uvicorn, which makes an instance per connection itself."""
    return type("BoundedWire", (Wire,), {"limits": limits})


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
