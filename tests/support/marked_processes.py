"""Processes that a test caused, whoever their parent is by now: known by a variable that they inherited.

A folder would not do: Pyright's language server changes its own.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
import anyio.lowlevel
import psutil

_VARIABLE = "SIGHTLINE_TEST_MARK"
_GONE_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one block of a test."""

    value: str

    def processes(self) -> list[psutil.Process]:
        """All that run; a zombie does not."""
        return [process for process in psutil.process_iter() if self._is_on(process)]

    def language_servers(self) -> list[psutil.Process]:
        """The real ones, without what may stand in front of them."""
        return [process for process in self.processes() if _is_language_server(process)]

    async def left_behind(self) -> list[psutil.Process]:
        """The processes that do not go away."""
        deadline = anyio.current_time() + _GONE_WITHIN_S
        while (found := self.processes()) and anyio.current_time() < deadline:
            await anyio.lowlevel.checkpoint()
        return found

    def _is_on(self, process: psutil.Process) -> bool:
        try:
            return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_VARIABLE) == self.value
        except psutil.Error:
            return False


@contextmanager
def marking() -> Generator[Mark]:
    """Whatever is started within the block carries the mark."""
    os.environ[_VARIABLE] = uuid.uuid4().hex
    try:
        yield Mark(os.environ[_VARIABLE])
    finally:
        del os.environ[_VARIABLE]


def _is_language_server(process: psutil.Process) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    return any("langserver" in part for part in command) and not any("proxy" in part for part in command)
