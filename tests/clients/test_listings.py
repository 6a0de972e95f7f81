"""Each agent CLI's own listing connects to `sightline serve`, beside a server that does not start."""

from __future__ import annotations

import json
from pathlib import Path

from sightline.app import ALL_TOOLS
from tests.clients.codex_app_server import app_server
from tests.clients.conversation import direct, without_durations
from tests.clients.programs import SIGHTLINE, Program
from tests.clients.scripted_model import ToolCall
from tests.support.sample_environment import install_click

BROKEN = ["/bin/false"]


def test_claude_connects(claude: Program, shop: Path) -> None:
    for name, command in {"sl": [SIGHTLINE, "serve"], "broken": BROKEN}.items():
        assert claude.run("mcp", "add", "--scope", "user", name, "--", *command, folder=shop).code == 0

    listed = claude.run("mcp", "list", folder=shop)

    states = {line.partition(":")[0]: line for line in listed.out.splitlines() if ": " in line}
    assert states["sl"].endswith("✔ Connected")
    assert "✘ Failed to connect" in states["broken"]


def test_gemini_connects(gemini: Program, shop: Path) -> None:
    for name, command in {"sl": [SIGHTLINE, "serve"], "broken": BROKEN}.items():
        options = ["--scope", "user", "--timeout", "60000"]
        assert gemini.run("mcp", "add", *options, name, *command, folder=shop).code == 0

    listed = gemini.run("mcp", "list", folder=shop)

    states = {line.split()[1]: line for line in listed.all.splitlines() if "(stdio)" in line}
    assert states["sl:"].endswith(" - Connected")
    assert states["broken:"].endswith(" - Disconnected")


def test_opencode_connects(opencode: Program, home: Path, shop: Path) -> None:
    servers = {"sl": [str(SIGHTLINE), "serve"], "broken": BROKEN}
    entries = {
        name: {"type": "local", "command": each, "enabled": True, "timeout": 60_000} for name, each in servers.items()
    }
    file = home / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcp": entries}))

    listed = opencode.run("mcp", "list", folder=shop)

    assert "✓ sl " in listed.all
    assert "✗ broken " in listed.all


def test_codex_lists_every_tool_and_passes_a_result_on_whole(codex: Program, home: Path, shop: Path) -> None:
    install_click(shop)
    flags = ["--project", str(shop)]
    added = codex.run("mcp", "add", "sl", "--", SIGHTLINE, "serve", *flags, folder=shop)
    assert added.code == 0, added.err

    with app_server(codex, shop) as server:
        (status,) = server.request("mcpServerStatus/list")["data"]
        result = server.request(
            "mcpServer/tool/call",
            threadId=server.start_thread(shop),
            server="sl",
            tool="check_types",
            arguments={"path": "."},
        )

    assert status["serverInfo"]["name"] == "sightline"
    assert sorted(status["tools"]) == sorted(tool.name for tool in ALL_TOOLS)
    (said,) = direct(shop, home, [], [ToolCall("check_types", {"path": "."})]).answers
    assert without_durations(result["content"][0]["text"]) == without_durations(said.text)
    assert {**result["structuredContent"], "time_ms": 0} == {**said.data, "time_ms": 0}
