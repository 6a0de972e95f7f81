"""A model in each agent CLI that previews a sync, reads the plan's id out of the answer, and applies that plan."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.clients.conversation import direct, without_durations
from tests.clients.programs import installed
from tests.clients.scripted_model import DONE, ToolCall
from tests.clients.sessions import CLAUDE, CODEX, CODEX_IN_CODE_MODE, GEMINI, OPENCODE

AGENTS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "codex in code mode": CODEX_IN_CODE_MODE,
    "gemini": GEMINI,
    "opencode": OPENCODE,
}
WRITTEN = (".codex/config.toml", "AGENTS.md", "GEMINI.md", "opencode.json")
_ADDED_BY_OPENCODE = b'  "$schema": "https://opencode.ai/config.json",\n'
"""Put into its file by OpenCode itself, as soon as it looks at it again."""
_PLAN_ID = re.compile(r"plan_id\W+([0-9a-f]{16})")


def plan_in(results: Sequence[str]) -> Mapping[str, str]:
    """By what the model was shown, in whichever form its client shows it."""
    found = set(_PLAN_ID.findall(results[0]))
    assert len(found) == 1, results[0]
    return {"plan_id": found.pop()}


CALLS = (ToolCall("sync_all"), ToolCall("sync_all", {"apply": True}, plan_in), ToolCall("sync_all"))


@pytest.mark.parametrize("name", AGENTS)
def test_a_model_applies_the_plan_that_it_was_shown(name: str, shop: Path, home: Path) -> None:
    agent = AGENTS[name]
    program = installed(agent.program, home)
    (shop / "CLAUDE.md").write_text("# The shop\n\nPrices are in cents: 5 € = 500.\n", encoding="utf-8")
    (shop / ".mcp.json").write_text('{"mcpServers": {"till": {"command": "till"}}}', encoding="utf-8")
    expected = synced_by_hand(shop)

    session = agent.session(program, shop, CALLS)

    assert DONE in session.ended.out
    assert {name: (shop / name).read_bytes().replace(_ADDED_BY_OPENCODE, b"") for name in WRITTEN} == expected
    shown, applied, again = session.results
    assert "nothing is written" in shown or '"applied":false' in shown
    assert "applied" in applied
    (said,) = direct(shop, home, agent.flags, CALLS[:1]).answers
    assert without_durations(again) == without_durations(agent.shown(said))
    assert not _PLAN_ID.search(again), "there is nothing left to apply"
    assert session.ended.left == ()


def synced_by_hand(shop: Path) -> dict[str, bytes]:
    """What the command writes for the same project elsewhere, and a look at the bytes of one file."""
    twin, home = shop.with_name("twin"), shop.with_name("somebody")
    shutil.copytree(shop, twin)
    home.mkdir()
    ended = CommandLine(home, twin).run("sync", "--yes", PATH="/usr/bin:/bin")
    assert ended.code == 0, ended.err
    content = {name: (twin / name).read_bytes() for name in WRITTEN}
    body = "# The shop\n\nPrices are in cents: 5 € = 500.\n"
    marks = "<!-- sightline:begin instructions -->\n", "<!-- sightline:end instructions -->\n"
    assert content["AGENTS.md"] == f"{marks[0]}{body}{marks[1]}".encode()
    return content
