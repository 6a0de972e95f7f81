"""Who may use a session: many at once, or one alone.

A question about the files on disk must not see the text of an edit that is only being tried. So whoever tries one
has the session alone; others wait, and turns are given in the order in which callers came, so that neither kind
can keep the other out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

from sightline.lsp.connection import ConnectionFailed


class TurnNotGiven(ConnectionFailed):
    """Others used the session for longer than the caller would wait."""


class Turns:
    """Shared and exclusive use of one thing."""

    def __init__(self) -> None:
        self._shared = 0
        self._is_alone = False
        self._queue: deque[object] = deque()
        self._freed = anyio.Event()

    @asynccontextmanager
    async def shared(self, within_s: float) -> AsyncGenerator[None]:
        """Use it beside others; raises `TurnNotGiven`."""
        await self._turn(within_s, lambda: not self._is_alone)
        self._shared += 1
        self._free()
        try:
            yield
        finally:
            self._shared -= 1
            self._free()

    @asynccontextmanager
    async def alone(self, within_s: float) -> AsyncGenerator[None]:
        """Use it alone; raises `TurnNotGiven`."""
        await self._turn(within_s, lambda: not self._is_alone and not self._shared)
        self._is_alone = True
        try:
            yield
        finally:
            self._is_alone = False
            self._free()

    async def _turn(self, within_s: float, is_free: Callable[[], bool]) -> None:
        """Wait to be the first in the queue, and until the thing is free; the caller takes it at once."""
        place = object()
        self._queue.append(place)
        try:
            with anyio.move_on_after(within_s):
                while self._queue[0] is not place or not is_free():
                    await self._freed.wait()
            if self._queue[0] is not place or not is_free():
                raise TurnNotGiven("the language server is busy with another call")
        finally:
            self._queue.remove(place)
            self._free()

    def _free(self) -> None:
        self._freed.set()
        self._freed = anyio.Event()
