"""Our end of the stdio transport: stdout guarded, both directions cancellable.

The protocol gets private duplicates of the two descriptors. Descriptor 1 then points to stderr, so that a stray
print cannot corrupt the protocol, and descriptor 0 to the null device, so that no child reads it. The SDK's own
streams park a thread in a read that nothing can cancel, which makes a signal hang; these do not.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

import anyio
from anyio import from_thread
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectSendStream

_CHUNK = 65_536
_LONGEST_LINE = 64_000_000
_GRACE_S = 0.3
_ANSWER = '{"jsonrpc":"2.0","id":'
_PIPE_BUF = getattr(select, "PIPE_BUF", 4096)


@dataclass(frozen=True, slots=True)
class Wire:
    """The descriptors that carry the protocol."""

    incoming: int
    outgoing: int


def claim_stdio() -> Wire:
    """Take stdin and stdout for the protocol; from here on nothing else can reach them."""
    sys.stdout.flush()
    wire = Wire(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return wire


class Outstanding:
    """How many requests wait for their answer; so that the end of the input does not cut off quick ones."""

    def __init__(self) -> None:
        self._count = 0
        self._none = anyio.Event()
        self.first_answer = anyio.Event()

    def received(self, line: str) -> None:
        if '"method"' in line and '"id"' in line:
            self._count += 1

    def sent(self, line: str) -> None:
        if line.startswith(_ANSWER):
            self.first_answer.set()
            self._count -= 1
            if self._count <= 0:
                self._none.set()

    async def settle(self) -> None:
        """Wait until all are answered, for a moment only: what takes longer ends with its client."""
        with anyio.move_on_after(_GRACE_S):
            while self._count > 0:
                self._none = anyio.Event()
                await self._none.wait()


class IncomingLines:
    """The lines a client sends, read by a daemon thread that no shutdown has to wait for."""

    def __init__(self, descriptor: int, outstanding: Outstanding) -> None:
        self._descriptor = descriptor
        self._outstanding = outstanding

    async def __aiter__(self) -> AsyncIterator[str]:
        sender, receiver = anyio.create_memory_object_stream[str](0)
        arguments = (self._descriptor, sender, current_token())
        threading.Thread(target=_pump, args=arguments, name="stdin", daemon=True).start()
        async with receiver:
            async for line in receiver:
                self._outstanding.received(line)
                yield line
        await self._outstanding.settle()


def _pump(descriptor: int, sender: MemoryObjectSendStream[str], loop: EventLoopToken) -> None:
    """Raw reads: a buffered reader would hold a lock that aborts the interpreter's exit."""
    pending = bytearray()
    # The loop may be gone, or may have stopped listening, while this thread waited for input.
    with suppress(RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        while chunk := _read(descriptor):
            pending += chunk
            *lines, rest = pending.split(b"\n") if b"\n" in chunk else [pending]
            for line in lines:
                from_thread.run(sender.send, line.decode("utf-8", errors="replace"), token=loop)
            pending = rest if len(rest) <= _LONGEST_LINE else bytearray()
        if pending.strip():
            from_thread.run(sender.send, pending.decode("utf-8", errors="replace"), token=loop)
        from_thread.run(sender.aclose, token=loop)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


class OutgoingLines:
    """The lines we send. Written only when the client takes them, so that a stuck client cannot stop our end."""

    def __init__(self, descriptor: int, outstanding: Outstanding) -> None:
        self._descriptor = descriptor
        self._outstanding = outstanding
        self._can_wait = sys.platform != "win32"

    async def write(self, text: str) -> None:
        rest = memoryview(text.encode("utf-8", errors="replace"))
        while rest:
            try:
                rest = rest[await self._write_some(rest) :]
            except OSError:
                raise anyio.ClosedResourceError from None  # the client is gone; its EOF ends us
        self._outstanding.sent(text)

    async def flush(self) -> None:
        """Nothing is kept back."""

    async def _write_some(self, rest: memoryview) -> int:
        if await self._is_writable():
            return os.write(self._descriptor, rest[:_PIPE_BUF])
        return await anyio.to_thread.run_sync(os.write, self._descriptor, rest, abandon_on_cancel=True)

    async def _is_writable(self) -> bool:
        """Wait until a small write cannot block; False for what cannot be waited for, such as a file."""
        if self._can_wait:
            try:
                await anyio.wait_writable(self._descriptor)
            except OSError:
                self._can_wait = False
        return self._can_wait
