"""A client that is not the SDK's: lines of JSON over the real command's stdin and stdout."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

SIGHTLINE = Path(sys.executable).with_name("sightline")
DEADLINE_S = 30.0


class LineServer:
    """`sightline serve` in a process of its own; reads and writes whole lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._out = _lines_of(process.stdout)
        self._err = _lines_of(process.stderr)
        self._next_id = 0

    def send_bytes(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any] | None = None, *, request_id: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if request_id is not None:
            message["id"] = request_id
        self.send_bytes(json.dumps(message).encode())

    def read_bytes(self) -> bytes:
        return self._out.get(timeout=DEADLINE_S)

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its answer; whatever else arrives before it is dropped."""
        self._next_id += 1
        self.send(method, params, request_id=self._next_id)
        while (message := json.loads(self.read_bytes())).get("id") != self._next_id:
            pass
        return message

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def shake_hands(self) -> dict[str, Any]:
        answer = self.request("initialize", HANDSHAKE)
        self.send("notifications/initialized")
        return answer["result"]

    def pending_lines(self) -> list[bytes]:
        """What has arrived and was not read."""
        lines: list[bytes] = []
        while not self._out.empty():
            lines.append(self._out.get())
        return lines

    def wait_for_log(self, event: str) -> dict[str, Any]:
        """The next log record of an event."""
        while (record := json.loads(self._err.get(timeout=DEADLINE_S)))["event"] != event:
            pass
        return record

    def log_lines(self) -> Iterator[bytes]:
        while not self._err.empty():
            yield self._err.get()


HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "lines", "version": "0"},
}


@contextmanager
def serving(project: Path, *flags: str, home: Path) -> Generator[LineServer]:
    """The real command, ended with the block whatever happens."""
    command = [str(SIGHTLINE), "serve", "--project", str(project), *flags]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment_in(home)
    )
    try:
        yield LineServer(process)
    finally:
        end(process)


def environment_in(home: Path) -> dict[str, str]:
    """Only what a frugal client passes on, with a home of the test's own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "COVERAGE_PROCESS_START") if name in os.environ}
    coverage = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return {**kept, **coverage, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that this test started, and release its pipes."""
    if process.stdin and not process.stdin.closed:
        with suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def seconds_until_gone(pids: list[int], deadline_s: float = 5.0) -> float:
    """How long until none of the processes is left; fails if some are."""
    started = time.monotonic()
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() - started < deadline_s, [pid for pid in pids if is_alive(pid)]
        threading.Event().wait(0.01)
    return time.monotonic() - started


def _lines_of(stream: IO[bytes] | None) -> queue.Queue[bytes]:
    """A thread that drains the stream, so that neither side can block the other."""
    assert stream
    lines: queue.Queue[bytes] = queue.Queue()

    def drain() -> None:
        with stream:
            for line in stream:
                lines.put(line.rstrip(b"\n"))

    threading.Thread(target=drain, daemon=True).start()
    return lines
