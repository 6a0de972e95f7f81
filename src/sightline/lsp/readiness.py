"""When a server knows the whole project.

A cold server answers partially and without an error. Each tells in its own way when it is done: by a line in its
log or on stderr, by the end of a progress, by a notification. The signals are counted, never latched: a server may
take its word back, and some signal again after every file that came or went; a question that needs the project
waits for the signal after the last event.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import anyio

from sightline.lsp.server_spec import ReadySignal
from sightline.redaction import redacted

SILENT = ("none", "unknown")
_LONGEST_TROUBLE = 300


class Readiness:
    """Counts a server's signals, and lets callers wait for the next one."""

    def __init__(self, signal: ReadySignal, root: Path) -> None:
        self._signal = signal
        self._root = root
        self._pattern = re.compile(signal.pattern)
        self._has_signal = signal.kind not in SILENT and not self.is_partial(root)
        self._running: set[str | int] = set()
        self._is_busy = False
        self._has_ended = False
        self._next = anyio.Event()
        self.count = 0
        self.trouble: str | None = None

    def is_partial(self, root: Path) -> bool:
        """Whether the server will never know the project, because a file is missing that would tell it."""
        names = self._signal.only_with
        return bool(names) and not any((root / name).exists() for name in names)

    def hear_log(self, text: str) -> None:
        if self._signal.kind == "log" and self._pattern.search(text):
            self._announce()

    def hear_stderr(self, line: str) -> None:
        if self._signal.kind == "stderr" and self._pattern.search(line):
            self._announce()

    def hear_progress(self, params: Any) -> None:
        """The end of a progress counts, if its beginning bore the right title; to an unknown server any is one."""
        if self._signal.kind not in ("progress", "unknown"):
            return
        token, value = params["token"], params["value"]
        if value.get("kind") == "begin" and self._pattern.search(str(value.get("title", ""))):
            self._running.add(token)
        elif value.get("kind") == "end" and token in self._running:
            self._running.discard(token)
            self._announce()

    @property
    def is_working(self) -> bool:
        """Whether the server says that it is at work."""
        return bool(self._running)

    def hear_notification(self, method: str, params: Any) -> None:
        if self._signal.kind != "notification" or method != self._signal.method:
            return
        text = json.dumps(params)
        if self._signal.trouble:
            self.trouble = (
                redacted(_trouble(params, text), self._root) if re.search(self._signal.trouble, text) else None
            )
        if self._signal.busy and re.search(self._signal.busy, text):
            self._is_busy = True
        elif self._pattern.search(text):
            self._is_busy = False
            self._announce()

    def end(self) -> None:
        """Nothing will be announced any more."""
        self._has_ended = True
        self._next.set()

    async def wait_past(self, count: int, timeout_s: float) -> bool:
        """Wait for a signal after the first `count`, and for the server to be idle; False if that took too long."""
        if not self._has_signal or self._is_past(count):
            return True
        with anyio.move_on_after(timeout_s):
            while not self._is_past(count) and not self._has_ended:
                await self._next.wait()
        return self._is_past(count)

    def _is_past(self, count: int) -> bool:
        return self.count > count and not self._running and not self._is_busy

    def _announce(self) -> None:
        self.count += 1
        self._next.set()
        self._next = anyio.Event()


def _trouble(params: Any, text: str) -> str:
    """What the server says is wrong, in its own first line."""
    message: Any = cast("dict[str, Any]", params).get("message") if isinstance(params, dict) else None
    lines = str(message or text).strip().splitlines()
    return lines[0][:_LONGEST_TROUBLE] if lines else text[:_LONGEST_TROUBLE]
