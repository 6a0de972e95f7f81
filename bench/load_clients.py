"""Many HTTP clients over many projects at once: who asks what, and what came back. Knows no bench.

Half of the clients speak the stateless protocol, half keep a session of the earlier one. Each asks one thing after
the other without a pause, and waits as long as it is told when the answer is `busy` or `server_starting`.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
PATIENT = frozenset({"busy", "server_starting"})
"""The failures that a client is to expect under load."""

_TIMEOUT_S = 120.0
_ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
}
_ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

MIX: Sequence[tuple[str, dict[str, Any]]] = (
    ("check_types", {"path": "app/orders.py"}),
    ("check_types", {"path": "."}),
    ("get_hover", {"file": "app/orders.py", "symbol": "Order.total"}),
    ("go_to_definition", {"file": "app/orders.py", "line": 12, "symbol": "Item"}),
    ("find_references", {"symbol": "Item"}),
    ("get_outline", {"file": "app/orders.py"}),
    ("find_symbol", {"query": "total"}),
    ("resolve_library", {"query": "requests"}),
    ("get_signature", {"file": "app/orders.py", "line": 13, "column": 17}),
    ("get_current_config", {"section": "server"}),
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: when it came, how long it took, and its failure if it was one."""

    at: float
    tool: str
    seconds: float
    failure: str | None = None


@dataclass(slots=True)
class Replies:
    """All answers to a crowd of clients."""

    all: list[Reply] = field(default_factory=list[Reply])

    def unexpected(self) -> list[Reply]:
        return [each for each in self.all if each.failure and each.failure not in PATIENT]

    def answered(self) -> list[Reply]:
        return [each for each in self.all if each.failure is None]


def make_projects(folder: Path, count: int) -> list[Path]:
    """Small projects of their own names."""
    return [_project(folder / f"project{number}", number) for number in range(count)]


def _project(root: Path, number: int) -> Path:
    package = root / "app"
    package.mkdir(parents=True)
    (root / "pyproject.toml").write_text(
        f'[project]\nname = "app{number}"\nversion = "0"\ndependencies = ["requests"]\n'
    )
    (package / "__init__.py").write_text("")
    (package / "items.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Item:\n    name: str\n    cents: int\n"
    )
    (package / "orders.py").write_text(
        "from app.items import Item\n\n\nclass Order:\n    def __init__(self) -> None:\n"
        "        self.items: list[Item] = []\n\n    def total(self) -> int:\n"
        "        return sum(item.cents for item in self.items)\n\n\n"
        f"def sample() -> Item:\n    return Item('sample', 'not {number}')\n"
    )
    return root.resolve()


async def crowd(url: str, projects: Sequence[Path], clients: int, seconds: float) -> Replies:
    """Let so many clients ask for so long; each works on one project."""
    replies = Replies()
    end = time.monotonic() + seconds
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with (
        httpx2.AsyncClient(timeout=_TIMEOUT_S, limits=limits, verify=False) as http,
        anyio.create_task_group() as tasks,
    ):
        for number in range(clients):
            kind = _SessionClient if number % 2 else _StatelessClient
            client = kind(http, url, projects[number % len(projects)], random.Random(number))
            tasks.start_soon(client.ask_until, end, replies)
    return replies


class _StatelessClient:
    """Asks by the stateless protocol."""

    def __init__(self, http: httpx2.AsyncClient, url: str, project: Path, chance: random.Random) -> None:
        self.http = http
        self.url = url
        self._project = project
        self._chance = chance
        self._count = 0

    async def ask_until(self, end: float, replies: Replies) -> None:
        await self.open()
        while time.monotonic() < end:
            tool, arguments = self._chance.choice(MIX)
            started = time.monotonic()
            failure, wait_s = await self._ask(tool, {**arguments, "project": str(self._project)})
            replies.all.append(Reply(time.monotonic(), tool, time.monotonic() - started, failure))
            await anyio.sleep(wait_s)

    async def _ask(self, tool: str, arguments: dict[str, Any]) -> tuple[str | None, float]:
        self._count += 1
        try:
            answer = await self.send("tools/call", {"name": tool, "arguments": arguments}, self._count)
        except httpx2.HTTPError as error:
            return f"no answer: {type(error).__name__}", 0.0
        if answer.status_code != 200:
            return f"status {answer.status_code}", 0.0
        return _failure_in(answer.text)

    async def open(self) -> None:
        """Nothing to open."""

    async def send(self, method: str, params: dict[str, Any], request_id: int) -> httpx2.Response:
        headers = {**_ACCEPT, "mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": params["name"]}
        body: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": request_id,
            "method": method,
            "params": {**params, "_meta": _ENVELOPE},
        }
        return await self.http.post(self.url, json=body, headers=headers)


class _SessionClient(_StatelessClient):
    """Asks within a session of the earlier protocol."""

    _session = ""

    async def open(self) -> None:
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "load", "version": "0"}}
        opened = await self.send("initialize", params, 0)
        self._session = opened.headers["mcp-session-id"]
        await self.http.post(
            self.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=self._headers()
        )

    async def send(self, method: str, params: dict[str, Any], request_id: int) -> httpx2.Response:
        body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        return await self.http.post(self.url, json=body, headers=self._headers())

    def _headers(self) -> dict[str, str]:
        return {
            **_ACCEPT,
            **({"mcp-session-id": self._session, "mcp-protocol-version": LEGACY} if self._session else {}),
        }


def _failure_in(text: str) -> tuple[str | None, float]:
    """The kind of the failure and how long to wait, from plain JSON or the last event of a stream."""
    if not text.startswith("{"):
        text = [line for line in text.splitlines() if line.startswith("data: {")][-1].removeprefix("data: ")
    message = json.loads(text)
    if "result" not in message:
        return f"protocol error {message['error']['code']}", 0.0
    answer = message["result"]["structuredContent"]
    if answer["ok"]:
        return None, 0.0
    error = answer["error"]
    return error["kind"], error.get("retry_after_ms", 0) / 1000
