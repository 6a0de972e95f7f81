"""The hard project, rendered for OpenCode and judged by OpenCode itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.model import SourceTree
from sightline.sync.outputs import OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Permissions, is_at_most
from sightline.sync.source import read_source_tree
from sightline.sync.targets.opencode import OpenCodeTarget
from sightline.sync.targets.opencode_decisions import limit, verdict
from sightline.sync.targets.opencode_wildcards import decide
from sightline.sync.targets.servers import name_servers
from tests.sync.hard_project import HardProject, make_hard_project
from tests.sync.targets.codex_oracle import materialise
from tests.sync.targets.opencode_oracle import OpenCode, needs_opencode

pytestmark = needs_opencode


def _synced(root: Path, **kinds: bool) -> tuple[HardProject, SourceTree, Rendered, OpenCode]:
    hard = make_hard_project(root, **kinds)
    tree = read_source_tree(hard.places)
    places = TargetPlaces(hard.project, hard.home, {})
    rendered = OpenCodeTarget().render(tree, places, frozenset({"user", "project"}))
    materialise(rendered)
    return hard, tree, rendered, OpenCode(hard.home, hard.project, hard.environment)


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    text = json.dumps(value)
    for name, replacement in variables.items():
        text = text.replace(f"{{env:{name}}}", replacement)
    return json.loads(text)


def _hidden_like(expected: dict[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    """The expected servers with stars where OpenCode shows stars for a secret."""
    hidden = {name: dict(entry) for name, entry in expected.items()}
    for name, entry in hidden.items():
        for table in {"environment", "headers"} & set(entry):
            seen = shown.get(name, {}).get(table, {})
            entry[table] = {key: "***" if seen.get(key) == "***" else text for key, text in entry[table].items()}
    return hidden


def test_opencode_starts_and_lists_exactly_what_the_plan_says(tmp_path: Path) -> None:
    hard, _tree, rendered, opencode = _synced(tmp_path, with_hostile_names=True, with_secrets=True)
    config = opencode.run("config")
    expected: dict[str, Any] = {}
    for scope in ("user", "project"):
        for output in rendered.outputs:
            if isinstance(output, OwnedKeys) and output.scope == scope:
                found = {str(path[1]): value for path, value in output.values.items() if path[0] == "mcp"}
                expected |= {name: _filled(value, hard.environment) for name, value in found.items()}
    assert len(expected) > 8
    assert config["mcp"] == _hidden_like(expected, config["mcp"])
    files = [output.path for output in rendered.outputs if isinstance(output, OwnedFile)]
    agents = {path.stem for path in files if path.parent.name == "agents"}
    assert set(config["agent"]) == {*agents, "plan", "explore"}
    commands = {
        path.with_suffix("").as_posix().partition("/commands/")[2] for path in files if "commands" in path.parts
    }
    assert set(config["command"]) == commands


def test_opencode_sees_every_skill_once(tmp_path: Path) -> None:
    _hard, _tree, rendered, opencode = _synced(tmp_path)
    listed = [each["name"] for each in opencode.run("skill") if "built-in" not in each["location"]]
    wanted = {
        output.path.parent.name
        for output in rendered.outputs
        if output.path.name == "SKILL.md" and "web" not in output.path.parts
    }
    assert sorted(listed) == sorted(wanted)


@pytest.mark.parametrize("agent", ["build", "plan", "explore"])
def test_no_action_is_freer_than_in_claude_code(tmp_path: Path, agent: str) -> None:
    hard, tree, _rendered, opencode = _synced(tmp_path)
    rules = opencode.rules(agent)
    places, servers = (hard.project, hard.home), name_servers(tree)
    permissions = Permissions(tree.permissions, hard.project, hard.home, mode="acceptEdits")
    actions = sample_actions(tree.permissions, cwd=hard.project)
    wider = [
        (action.kind.value, action.value, answer.value, claude.value)
        for action in actions
        if not is_at_most(answer := verdict(rules, action, places, servers), claude := limit(permissions, action))
    ]
    assert wider == []
    assert len(actions) > 100


def test_the_plan_agent_still_edits_nothing(tmp_path: Path) -> None:
    _hard, _tree, _rendered, opencode = _synced(tmp_path)
    for agent in ("plan", "explore"):
        assert decide(opencode.rules(agent), "edit", "src/main.py") == "deny"
