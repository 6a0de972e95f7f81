"""A minimal MCP client: JSON-RPC lines over a child's stdin and stdout, one request at a time.

It is hand-written so that a client library's own cost is not part of any figure.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psutil

from bench.commands import LIFE_S, REPOSITORY, ending

_PROTOCOL = "2025-06-18"
_GRACE_S = 10.0


class ServerFailed(Exception):
    """The server closed its end, ran past its life, or answered with an error."""


class ToolFailed(ServerFailed):
    """The server works, but the tool says that it has no answer."""


@contextmanager
def serving(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    life_s: float = LIFE_S,
    leaves_by_itself: bool = True,
) -> Generator[StdioClient]:
    """A server process and a client of it; both end with the block. `environment` is added to our own."""
    pipe = subprocess.PIPE
    variables = {**os.environ, **(environment or {})}
    with (
        subprocess.Popen(
            command, cwd=REPOSITORY, env=variables, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        ) as process,
        ending(process, life_s),
    ):
        yield StdioClient(process)
        if not leaves_by_itself:
            process.terminate()
        process.communicate(timeout=_GRACE_S)  # closes its stdin, which is how a client says goodbye


class StdioClient:
    """Our side of the conversation with one server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._last_id = 0

    def initialize(self) -> None:
        """The handshake; returns when `initialize` is answered."""
        client = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def list_tools(self) -> list[dict[str, Any]]:
        return self.request("tools/list", {})["tools"]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A tool's result; raises `ToolFailed` if it is an error."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise ToolFailed(f"{tool}: {result['content']}")
        return result

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask, and wait for the answer; notifications on the way are passed over."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = self._receive(method)
            if message.get("id") == self._last_id:
                break
        if "error" in message:
            raise ServerFailed(f"{method}: {message['error']}")
        return message["result"]

    def memory_mb(self) -> float:
        """Resident memory of the server and of every process under it."""
        server = psutil.Process(self._process.pid)
        return sum(each.memory_info().rss for each in (server, *server.children(recursive=True))) / 1e6

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self, awaited: str) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise ServerFailed(f"the server ended before it answered `{awaited}`")
        return json.loads(line)
