"""Each agent CLI's own listing connects over HTTP with the key, and does not without."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from sightline.app import ALL_TOOLS
from tests.clients.codex_app_server import app_server
from tests.clients.programs import Program
from tests.support.http_service import HttpServer, serving_http

KEY = "-".join(["not", "a", "real", "secret", "key"])
HEADERS = {"right": f"Bearer {KEY}", "wrong": f"Bearer not-{KEY}"}


@pytest.fixture
def server(shop: Path, home: Path) -> Generator[HttpServer]:
    with serving_http(shop, home=home, environment={"SIGHTLINE_SERVER_KEY": KEY}) as running:
        yield running


def test_claude_connects(claude: Program, server: HttpServer, shop: Path) -> None:
    for name, value in HEADERS.items():
        header = ["--header", f"Authorization: {value}"]
        added = claude.run("mcp", "add", "--transport", "http", name, server.mcp, *header, folder=shop)
        assert added.code == 0, added.all

    listed = claude.run("mcp", "list", folder=shop)

    states = {line.partition(":")[0]: line for line in listed.out.splitlines() if ": " in line}
    assert states["right"].endswith("✔ Connected")
    assert "✔ Connected" not in states["wrong"]


def test_gemini_connects(gemini: Program, server: HttpServer, shop: Path) -> None:
    for name, value in HEADERS.items():
        header = ["--header", f"Authorization: {value}"]
        options = ["--transport", "http", "--timeout", "60000", *header]
        added = gemini.run("mcp", "add", *options, name, server.mcp, folder=shop)
        assert added.code == 0, added.all

    listed = gemini.run("mcp", "list", folder=shop)

    states = {line.split()[1]: line for line in listed.all.splitlines() if "(http)" in line}
    assert states["right:"].endswith(" - Connected")
    assert states["wrong:"].endswith(" - Disconnected")


def test_opencode_connects(opencode: Program, server: HttpServer, home: Path, shop: Path) -> None:
    entries = {
        name: {
            "type": "remote",
            "url": server.mcp,
            "headers": {"Authorization": value},
            "oauth": False,
            "timeout": 60_000,
        }
        for name, value in HEADERS.items()
    }
    file = home / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcp": entries}))

    listed = opencode.run("mcp", "list", folder=shop)

    assert "✓ right " in listed.all
    assert "✗ wrong " in listed.all


def test_codex_lists_every_tool(codex: Program, server: HttpServer, home: Path, shop: Path) -> None:
    entries = [
        f'[mcp_servers.{name}]\nurl = "{server.mcp}"\nhttp_headers = {{ Authorization = "{value}" }}\n'
        for name, value in HEADERS.items()
    ]
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text("".join(entries))

    with app_server(codex, shop) as app:
        listed = app.request("mcpServerStatus/list")["data"]

    tools = {each["name"]: sorted(each["tools"]) for each in listed}
    assert tools == {"right": sorted(tool.name for tool in ALL_TOOLS), "wrong": []}
