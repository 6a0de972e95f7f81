"""Child processes: each in its own group, with no stdin of ours, bounded, and never left behind.

A child ends with its task: on completion, deadline, cancellation or error its whole group is killed. For the
case that we are killed ourselves, a guard (a few lines of `sh`) holds a pipe from us and kills the groups that
are still listed when the pipe closes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, Process

log = logging.getLogger(__name__)

_STDERR_KEPT = 20_000
_CHUNK = 65_536

_GUARD = """
groups=
while read -r change group; do
  kept=
  for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
  groups=$kept
  [ "$change" = add ] && groups="$groups $group"
done
for each in $groups; do kill -s KILL -- "-$each" 2>/dev/null; done
"""


@dataclass(frozen=True, slots=True)
class CompletedChild:
    """A child that ended by itself."""

    exit_code: int
    stdout: bytes
    stderr: str
    seconds: float


class ChildFailed(Exception):
    """A child that could not do its work."""


class ChildNotStarted(ChildFailed):
    """The command could not be started."""


class ChildTimedOut(ChildFailed):
    """The command ran past its deadline and was killed."""


class ChildOutputTooLarge(ChildFailed):
    """The command wrote more than it may and was killed."""


class Children:
    """The children of one application; use as a context manager."""

    def __init__(self) -> None:
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        guard, self._guard = self._guard, None
        if guard and guard.stdin:
            with contextlib.suppress(BrokenPipeError):
                guard.stdin.close()
            guard.wait()

    async def run(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        timeout_s: float,
        max_output_bytes: int,
        environment: Mapping[str, str] | None = None,
    ) -> CompletedChild:
        """Run a command to its end; raises `ChildFailed` when it has none within its bounds."""
        started = time.monotonic()
        process = await self._start(command, cwd, environment)
        try:
            with anyio.fail_after(timeout_s):
                stdout, stderr = await _read_both(process, max_output_bytes)
                exit_code = await process.wait()
        except TimeoutError:
            log.warning("child timed out", extra={"pid": process.pid, "seconds": timeout_s})
            raise ChildTimedOut(f"no end within {timeout_s:g} s") from None
        finally:
            await self._end(process)
        seconds = time.monotonic() - started
        log.info("child ended", extra={"pid": process.pid, "exit_code": exit_code, "seconds": round(seconds, 3)})
        if stderr:
            log.info("child stderr", extra={"pid": process.pid, "stderr": stderr})
        return CompletedChild(exit_code, stdout, stderr, seconds)

    @asynccontextmanager
    async def running(
        self, command: Sequence[str], *, cwd: Path, environment: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Process]:
        """A child to talk to, killed with its group when the block ends; raises `ChildNotStarted`."""
        process = await self._start(command, cwd, environment, stdin=subprocess.PIPE)
        try:
            yield process
        finally:
            await self._end(process)
            log.info("child ended", extra={"pid": process.pid, "exit_code": process.returncode})

    async def _start(
        self, command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None, stdin: int = subprocess.DEVNULL
    ) -> Process:
        try:
            process = await _uncut(
                anyio.open_process(list(command), stdin=stdin, cwd=cwd, env=environment, start_new_session=True)
            )
        except OSError as error:
            raise ChildNotStarted(f"`{command[0]}` cannot be started: {error.strerror}") from None
        self._tell_guard("add", process.pid)
        log.info("child started", extra={"pid": process.pid, "command": list(command), "cwd": str(cwd)})
        return process

    async def _end(self, process: Process) -> None:
        with anyio.CancelScope(shield=True):
            _kill_group(process)
            await anyio.to_thread.run_sync(_kill_session, process.pid)
            await process.aclose()
            self._tell_guard("drop", process.pid)

    def _tell_guard(self, change: str, group: int) -> None:
        if os.name != "posix":
            return
        if self._guard is None:
            self._guard = _start_guard()
        if self._guard.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._guard.stdin.write(f"{change} {group}\n".encode())


async def _uncut(start: Awaitable[Process]) -> Process:
    """Wait to the end even when cancelled: a start that is cut short leaves behind what the child started."""
    started: list[Process] = []
    with anyio.CancelScope(shield=True):
        started.append(await start)
    return started[0]


def _start_guard() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )


def _kill_group(process: Process) -> None:
    """Kill the child and whatever it started; its group may outlive it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


def _kill_session(leader: int) -> None:
    """Kill what has left the child's group but not its session, as the sandbox helpers of Codex 0.166 do.

    Only Linux tells of them. The leader itself is not touched: it is dead, and its number may be somebody else's.
    """
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            session = int(stat.read_text(errors="replace").rpartition(")")[2].split()[3])
            pid = int(stat.parent.name)
            if session == leader and pid != leader:
                os.kill(pid, signal.SIGKILL)


async def _read_both(process: Process, max_output_bytes: int) -> tuple[bytes, str]:
    stdout, stderr = bytearray(), bytearray()
    overflowed = False
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read_end, process.stderr, stderr)
        overflowed = not await _read_up_to(process.stdout, stdout, max_output_bytes)
        if overflowed:
            tasks.cancel_scope.cancel()
    if overflowed:
        raise ChildOutputTooLarge(f"more than {max_output_bytes:,} bytes of output")
    return bytes(stdout), stderr.decode("utf-8", errors="replace").strip()


async def _read_up_to(stream: ByteReceiveStream | None, kept: bytearray, most: int) -> bool:
    """Read to the end; False as soon as there is more than `most`."""
    if stream:
        async for chunk in stream:
            kept += chunk
            if len(kept) > most:
                return False
    return True


async def _read_end(stream: ByteReceiveStream | None, kept: bytearray) -> None:
    """Drain a stream and keep its last part, so that a talkative child never blocks."""
    if stream:
        async for chunk in stream:
            kept += chunk
            del kept[:-_STDERR_KEPT]
