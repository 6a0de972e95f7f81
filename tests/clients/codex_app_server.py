"""Codex' own app server: lines of JSON by which its editors drive it; here, to have it call tools without a model."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.clients.programs import DEADLINE_S, Program, end_group


class AppServer:
    """Requests and their answers; what Codex tells in between is dropped."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._in = process.stdin
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._next_id = 0
        threading.Thread(target=self._drain, args=(process.stdout,), daemon=True).start()

    def request(self, method: str, **params: Any) -> Any:
        """The result of a request; fails with Codex' own words."""
        self._next_id += 1
        self._send({"id": self._next_id, "method": method, "params": params})
        while (message := self._read(method)).get("id") != self._next_id:
            pass
        assert "result" in message, message
        return message["result"]

    def notify(self, method: str) -> None:
        self._send({"method": method})

    def start_thread(self, folder: Path) -> str:
        return self.request("thread/start", cwd=str(folder))["thread"]["id"]

    def _send(self, message: dict[str, Any]) -> None:
        self._in.write(json.dumps(message).encode() + b"\n")
        self._in.flush()

    def _read(self, method: str) -> dict[str, Any]:
        line = self._lines.get(timeout=DEADLINE_S)
        assert line, f"Codex ended before it answered `{method}`"
        return json.loads(line)

    def _drain(self, out: IO[bytes]) -> None:
        for line in out:
            self._lines.put(line)
        self._lines.put(b"")


@contextmanager
def app_server(codex: Program, folder: Path) -> Generator[AppServer]:
    """A running app server that has been greeted."""
    with subprocess.Popen(
        [codex.path, "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=codex.environment(),
        start_new_session=True,
    ) as process:
        try:
            server = AppServer(process)
            server.request("initialize", clientInfo={"name": "tests", "version": "0"})
            server.notify("initialized")
            yield server
        finally:
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(DEADLINE_S)
            finally:
                end_group(process.pid)
