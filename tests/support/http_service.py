"""`sightline serve --http` in a process of its own, and clients that are not the SDK's: httpx2 and bare sockets."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from tests.support.wire import DEADLINE_S, SIGHTLINE, LineServer, environment_in

MODERN = "2026-07-28"
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A running service: where it is, and its process."""

    url: str
    process: subprocess.Popen[bytes]
    logs: LineServer
    client: httpx2.Client

    @property
    def mcp(self) -> str:
        return f"{self.url}/mcp"

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        assert parts.hostname
        assert parts.port
        return parts.hostname, parts.port

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.client.get(self.url + path, headers=_dashed(headers))

    def post(self, content: bytes, **headers: str) -> httpx2.Response:
        given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        return self.client.post(self.mcp, content=content, headers=given | _dashed(headers))

    def call(self, tool: str, arguments: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """A call by the stateless protocol, by hand; its structured answer."""
        answer = self.post(modern_call(tool, arguments), **modern_headers(tool), **headers)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.text)["result"]["structuredContent"]

    def is_serving(self, **headers: str) -> bool:
        return self.call("get_current_config", {}, **headers)["ok"]

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=DEADLINE_S)

    def raw(self, request: bytes) -> bytes:
        """Everything that comes back until the server closes, which it must."""
        with self.connect() as wire:
            wire.sendall(request)
            return received(wire)


def received(wire: socket.socket) -> bytes:
    """What comes until the other side closes."""
    chunks: list[bytes] = []
    try:
        while chunk := wire.recv(65_536):
            chunks.append(chunk)
    except ConnectionResetError:
        pass
    return b"".join(chunks)


def until(is_so: Callable[[], bool]) -> None:
    """Look again and again, each look a round trip; fails after a while."""
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline


def modern_call(tool: str, arguments: dict[str, Any] | None = None) -> bytes:
    params: dict[str, Any] = {"name": tool, "arguments": arguments or {}, "_meta": ENVELOPE}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def modern_headers(tool: str) -> dict[str, str]:
    return {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": tool}


@contextmanager
def serving_http(
    project: Path, *flags: str, home: Path, environment: Mapping[str, str] | None = None
) -> Generator[HttpServer]:
    """The real command on a free port of loopback, ended by SIGTERM with the block."""
    process = start_http(project, "--port", "0", *flags, home=home, environment=environment)
    logs = LineServer(process)
    try:
        started = logs.wait_for_log("server started")
        with httpx2.Client(timeout=DEADLINE_S, verify=False) as client:
            yield HttpServer(started["url"].removesuffix("/mcp"), process, logs, client)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def start_http(
    project: Path, *flags: str, home: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    command = [str(SIGHTLINE), "serve", "--http", "--project", str(project), *flags]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment_in(home), **(environment or {})},
    )


def _dashed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
