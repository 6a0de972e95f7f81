"""The hard project, synced, and judged by OpenCode itself."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Permissions, is_at_most
from sightline.sync.targets.opencode_decisions import limit, verdict
from sightline.sync.targets.opencode_wildcards import OrderedRule, decide
from sightline.sync.targets.servers import name_servers
from tests.clients.sync_scene import Scene, synced

EXPECTED: dict[str, dict[str, Any]] = {
    "files": {
        "command": ["files-server", "--root", "."],
        "environment": {"API_TOKEN": "***"},
    },
    "renamed": {
        "command": ["s"],
        "environment": {"TOKEN": "***", "MODE": "fast"},
        "cwd": "tools",
        "timeout": 90000,
    },
    "both": {"command": ["project-version"]},
    "my-server": {"command": ["odd-name"]},
    "my_server": {"command": ["odd-name-too"]},
    "future": {"command": ["f"]},
    "switched-off": {"command": ["off-server"], "enabled": False},
    "unapproved": {"command": ["never-approved"], "enabled": False},
    "only-by-me": {"command": ["approved-by-one-person"], "enabled": False},
    **{name: {"command": ["hostile"]} for name in ("escape", "evil", "a-b", "FILES-faff10", "31mred", "rf", "proto")},
}
REMOTE: dict[str, dict[str, Any]] = {
    "bearer": {
        "url": "https://mcp.example.com/v1",
        "headers": {"Authorization": "***", "X-Key": "***", "X-Mixed": "***"},
        "oauth": {"clientId": "shop", "callbackPort": 8123, "scope": "read write"},
    },
    "events": {"url": "https://events.example.com/sse"},
    "user-only": {"url": "https://user.example.com/mcp"},
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return synced(tmp_path_factory.mktemp("opencode"), "opencode", with_foreign=True, with_hostile_names=True)


def asked(scene: Scene, *arguments: str) -> Any:
    return scene.json("debug", *arguments, "--pure", **scene.hard.environment)


@pytest.fixture(scope="module")
def agents(scene: Scene) -> dict[str, Any]:
    return {name: asked(scene, "agent", name) for name in ("build", "plan", "explore", "reviewer")}


def rules_of(agent: Any) -> list[OrderedRule]:
    return [OrderedRule(each["permission"], each["pattern"], each["action"]) for each in agent["permission"]]


def test_opencode_itself_verified_the_plan(scene: Scene) -> None:
    answer = scene.done.verified["opencode"]
    assert (answer.status, answer.findings) == ("verified", ())


def test_opencode_lists_exactly_the_expected_servers_agents_and_commands(scene: Scene) -> None:
    config = asked(scene, "config")
    local = {name: {"type": "local", **entry} for name, entry in EXPECTED.items()}
    remote = {name: {"type": "remote", **entry} for name, entry in REMOTE.items()}
    assert config["mcp"] == {**local, **remote}
    agents = {"reviewer", "shared-agent", "helper", "kit-taster", "escape", "a", "tmp-escape"}
    assert set(config["agent"]) == {*agents, "plan", "explore"}
    commands = {"mine", "kit/steep", "rf", "fix-cca0f9", "FIX", "con-item", "a-b/c-d", "db/migrate"}
    assert set(config["command"]) == commands


def test_an_agent_of_the_source_is_a_subagent_with_fewer_tools(agents: dict[str, Any]) -> None:
    reviewer = agents["reviewer"]
    assert reviewer["mode"] == "subagent"
    assert reviewer["steps"] == 12
    assert decide(rules_of(reviewer), "edit", "src/main.py") == "deny"


def test_opencode_sees_every_skill_once_and_the_manual_ones_are_denied_to_the_model(
    scene: Scene, agents: dict[str, Any]
) -> None:
    listed = [each["name"] for each in asked(scene, "skill") if "built-in" not in each["location"]]
    ours = ["31mred", "dots", "kit-brew", "kit-pour", "private-skill", "release", "release-21e4bb", "shared-name"]
    assert sorted(listed) == sorted([*ours, "own"])
    assert decide(rules_of(agents["build"]), "skill", "release") == "deny"
    assert decide(rules_of(agents["build"]), "skill", "dots") != "deny"


@pytest.mark.parametrize("agent", ["build", "plan", "explore"])
def test_no_action_is_freer_than_in_claude_code(scene: Scene, agents: dict[str, Any], agent: str) -> None:
    hard = scene.hard
    rules, places, servers = rules_of(agents[agent]), (hard.project, hard.home), name_servers(scene.tree)
    permissions = Permissions(scene.tree.permissions, hard.project, hard.home, mode="acceptEdits")
    actions = sample_actions(scene.tree.permissions, cwd=hard.project)
    assert len(actions) > 300
    wider = [
        (action.kind.value, action.value, answer.value, claude.value)
        for action in actions
        if not is_at_most(answer := verdict(rules, action, places, servers), claude := limit(permissions, action))
    ]
    assert wider == []


def test_some_actions_are_still_free(agents: dict[str, Any]) -> None:
    rules = rules_of(agents["build"])
    assert decide(rules, "bash", "npm test") == "allow"
    assert decide(rules, "bash", "make all") == "allow"
    assert decide(rules, "edit", "src/main.py") == "allow"


def test_the_agents_that_only_look_still_edit_nothing(agents: dict[str, Any]) -> None:
    for agent in ("plan", "explore"):
        assert decide(rules_of(agents[agent]), "edit", "src/main.py") == "deny"


def test_the_values_of_variables_reach_the_servers_and_nothing_else(scene: Scene) -> None:
    """OpenCode hides what looks secret; an address is shown."""
    text = (scene.hard.project / "opencode.json").read_text()
    assert '"API_TOKEN": "{env:API_TOKEN}"' in text
    assert not any(value in text for value in scene.hard.environment.values())
    assert '"$schema": "https://opencode.ai/config.json", /* keep */' in text
