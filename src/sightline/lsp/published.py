"""Diagnostics that a server publishes by itself, and how to tell that they are complete.

There is no word for "done". Where a publish carries the version of the document, it must be the one that was sent;
in any case the server must then be silent about the file for a while, because some publish twice: first what the
syntax shows, then what the types do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import anyio


@dataclass(frozen=True, slots=True)
class Publish:
    version: int | None
    items: list[Any]
    number: int
    at: float


@dataclass(slots=True)
class Published:
    """The last publish of each document."""

    count: int = 0
    _latest: dict[str, Publish] = field(default_factory=dict[str, Publish])
    _next: anyio.Event = field(default_factory=anyio.Event)

    def take(self, params: Any) -> None:
        """A `textDocument/publishDiagnostics`."""
        self.count += 1
        items = list(params.get("diagnostics") or [])
        self._latest[params["uri"]] = Publish(params.get("version"), items, self.count, time.monotonic())
        self._next.set()
        self._next = anyio.Event()

    async def settled(
        self, uri: str, *, after: int, version: int | None, quiet_s: float, timeout_s: float
    ) -> list[Any] | None:
        """What was published for a document since `after`, once nothing more comes; None if nothing did in time."""
        deadline = time.monotonic() + timeout_s
        while (now := time.monotonic()) < deadline:
            found = self._latest.get(uri)
            is_right = found and found.number > after and (version is None or found.version == version)
            if found and is_right and now - found.at >= quiet_s:
                return found.items
            wait = found.at + quiet_s - now if found and is_right else deadline - now
            with anyio.move_on_after(min(wait, deadline - now)):
                await self._next.wait()
        return None
