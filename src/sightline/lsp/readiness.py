"""When a server knows the whole project.

A cold Pyright answers partially and without an error. It logs a line after each enumeration, the first one and
every later one (a file came or went); a line counts for what was sent before it. So the lines are counted, never
latched, and a question that needs the project waits for the line after the last event.
"""

from __future__ import annotations

import re

import anyio


class Readiness:
    """Counts the server's announcements, and lets callers wait for the next one."""

    def __init__(self, pattern: re.Pattern[str] | None) -> None:
        self._pattern = pattern
        self._next = anyio.Event()
        self._has_ended = False
        self.count = 0

    def hear(self, log_message: str) -> None:
        if self._pattern and self._pattern.search(log_message):
            self.count += 1
            self._next.set()
            self._next = anyio.Event()

    def end(self) -> None:
        """Nothing will be announced any more."""
        self._has_ended = True
        self._next.set()

    async def wait_past(self, count: int, timeout_s: float) -> bool:
        """Wait for an announcement after the first `count`; False if none came in time."""
        if self._pattern is None or self.count > count:
            return True
        with anyio.move_on_after(timeout_s):
            while self.count <= count and not self._has_ended:
                await self._next.wait()
        return self.count > count
