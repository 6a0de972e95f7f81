"""A server that the project switches on and the person has off: each CLI itself says that it is off."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sightline.config.schema import Target
from sightline.sync.outputs import TargetPlaces
from sightline.sync.targets.registry import all_targets
from tests.clients.programs import Program, installed
from tests.clients.sync_scene import trust_project_for_codex
from tests.sync.source.trees import SmallSource
from tests.sync.targets.materialise import materialise


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    small = SmallSource(tmp_path.resolve())
    servers = {"off": {"command": "/bin/true"}, "on": {"command": "/bin/true"}}
    small.write(small.project / ".mcp.json", {"mcpServers": servers})
    small.write(small.project / ".claude/settings.json", {"enableAllProjectMcpServers": True})
    own = {"disabledMcpjsonServers": ["off"], "enabledMcpjsonServers": ["on"]}
    small.write(small.config / "settings.json", own)
    (small.project / ".git").mkdir()
    return small


def written(source: SmallSource, target: Target) -> Program:
    places = TargetPlaces(source.project, source.home, {})
    materialise(all_targets()[target].render(source.read(), places, frozenset({"user", "project"})))
    return installed(target, source.home)


def test_gemini_blocks_it(source: SmallSource) -> None:
    said = written(source, "gemini").run("mcp", "list", folder=source.project).all

    states = dict(re.findall(r"(\w+): /bin/true .*- (\w+)", said))
    assert (states["off"], states["on"]) == ("Blocked", "Disconnected")


def test_opencode_lists_it_as_disabled(source: SmallSource) -> None:
    ended = written(source, "opencode").run("mcp", "list", folder=source.project)

    plain = re.sub(r"\x1b\[[0-9;]*m", "", ended.all)
    assert re.search(r"\boff\s+disabled", plain)
    assert re.search(r"\bon\s+failed", plain)


def test_codex_has_it_switched_off(source: SmallSource) -> None:
    program = written(source, "codex")
    trust_project_for_codex(source.home, source.project)

    listed = json.loads(program.run("mcp", "list", "--json", folder=source.project).out)
    assert {each["name"]: each["enabled"] for each in listed} == {"off": False, "on": True}
