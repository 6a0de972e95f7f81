"""So many requests to one host at a time, and no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio


class HostSlots:
    """A limit per host; hosts that nobody asks are forgotten."""

    def __init__(self, per_host: int) -> None:
        self._per_host = per_host
        self._limits: dict[str, anyio.Semaphore] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def slot(self, host: str) -> AsyncGenerator[None]:
        """Wait for a turn with this host, and hold it."""
        limit = self._limits.setdefault(host, anyio.Semaphore(self._per_host))
        self._users[host] = self._users.get(host, 0) + 1
        try:
            async with limit:
                yield
        finally:
            self._users[host] -= 1
            if not self._users[host]:
                del self._users[host], self._limits[host]
