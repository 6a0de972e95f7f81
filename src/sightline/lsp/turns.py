"""Who may use a session: many at once, or one alone.

A question about the files on disk must not see the text of an edit that is only being tried. So whoever tries one
has the session alone; others wait, and those who came later do not pass somebody who waits to be alone.
"""

from __future__ import annotations

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
        self._waiting = 0
        self._freed = anyio.Event()

    @asynccontextmanager
    async def shared(self, within_s: float) -> AsyncGenerator[None]:
        """Use it beside others; raises `TurnNotGiven`."""
        if self._is_alone or self._waiting:
            await self._until_free(within_s, lambda: not self._is_alone and not self._waiting)
        self._shared += 1
        try:
            yield
        finally:
            self._shared -= 1
            self._free()

    @asynccontextmanager
    async def alone(self, within_s: float) -> AsyncGenerator[None]:
        """Use it alone; raises `TurnNotGiven`."""
        self._waiting += 1
        try:
            await self._until_free(within_s, lambda: not self._is_alone and not self._shared)
            self._is_alone = True
        finally:
            self._waiting -= 1
            self._free()
        try:
            yield
        finally:
            self._is_alone = False
            self._free()

    async def _until_free(self, within_s: float, is_free: Callable[[], bool]) -> None:
        with anyio.move_on_after(within_s):
            while not is_free():
                await self._freed.wait()
        if not is_free():
            raise TurnNotGiven("the language server is busy with another call")

    def _free(self) -> None:
        self._freed.set()
        self._freed = anyio.Event()
