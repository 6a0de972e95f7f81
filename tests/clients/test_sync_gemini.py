"""The hard project, synced, and judged by Gemini CLI itself, and by its own policy engine.

The engine is read out of the same package, because no command of the CLI tells what it would decide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from sightline.sync.model import PermissionKind
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Action, Permissions, is_at_most
from sightline.sync.targets.gemini_mcp import gemini_names
from tests.clients.programs import Program, installed
from tests.clients.sync_scene import Scene, synced
from tests.sync.targets.gemini_rules import VERDICTS, is_out_of_reach, tool_call

_SERVER = re.compile(r"^\S+ (?P<name>[^:\s]+): (?P<address>.*?)\s+\((?P<kind>\w+)\) - ", re.MULTILINE)
_SCRIPT = """
const core = await import(process.argv[1]);
const config = await core.createPolicyEngineConfig({}, 'default', process.argv[2]);
const engine = new core.PolicyEngine({ ...config, nonInteractive: false });
let text = '';
for await (const chunk of process.stdin) text += chunk;
const answers = [];
for (const { name, args, server } of JSON.parse(text)) {
  answers.push((await engine.check({ name, args }, server)).decision);
}
process.stdout.write('\\n@@' + JSON.stringify(answers) + '\\n');
process.exit(0);
"""
EXPECTED = {
    "files": ("files-server --root .", "stdio"),
    "renamed": ("s", "stdio"),
    "search": ("https://${SEARCH_HOST}/mcp", "http"),
    "bearer": ("https://mcp.example.com/v1", "http"),
    "events": ("https://events.example.com/sse", "sse"),
    "both": ("project-version", "stdio"),
    "user-only": ("https://user.example.com/mcp", "http"),
    "my-server": ("odd-name", "stdio"),
    "my-server-ddc174": ("odd-name-too", "stdio"),
    "future": ("f", "stdio"),
    "own": ("own-server", "stdio"),
    **dict.fromkeys(("escape", "evil", "a-b", "FILES-faff10", "31mred", "rf", "proto"), ("hostile", "stdio")),
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return synced(tmp_path_factory.mktemp("gemini"), "gemini", with_foreign=True, with_hostile_names=True)


def test_gemini_itself_verified_the_plan(scene: Scene) -> None:
    answer = scene.done.verified["gemini"]
    assert (answer.status, answer.findings) == ("verified", ())


def test_gemini_lists_exactly_the_expected_servers(scene: Scene) -> None:
    text = scene.said("mcp", "list")
    assert {match["name"]: (match["address"].strip(), match["kind"]) for match in _SERVER.finditer(text)} == EXPECTED


def test_fields_that_gemini_does_not_show_are_written_in_its_own_units(scene: Scene) -> None:
    settings = json.loads(re.sub(r"//[^\n]*keep[^\n]*", "", (scene.hard.project / ".gemini/settings.json").read_text()))
    servers = settings["mcpServers"]
    assert servers["renamed"] == {
        "command": "s",
        "env": {"TOKEN": "${OTHER_TOKEN}", "MODE": "fast"},
        "cwd": "tools",
        "timeout": 90000,
    }
    assert servers["bearer"]["headers"]["Authorization"] == "Bearer ${API_TOKEN}"
    assert servers["files"]["excludeTools"] == ["write"]
    assert settings["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] == 30_000


def test_gemini_sees_every_skill_once_and_rejects_no_agent(scene: Scene) -> None:
    text = scene.said("skills", "list")
    listed = re.findall(r"^(\S+) \[Enabled\]", text, re.MULTILINE)
    ours = ["31mred", "dots", "kit-brew", "kit-pour", "private-skill", "release", "release-21e4bb", "shared-name"]
    assert sorted(listed) == sorted([*ours, "own"])
    assert "Agent loading error" not in text
    assert "olicy" not in text


def _decided(scene: Scene, actions: Sequence[Action]) -> list[PermissionKind]:
    hard, bundle = scene.hard, scene.program.path.resolve().parent
    core = next(file for file in sorted(bundle.glob("core-*.js")) if "PolicyEngine" in file.read_text())
    node: Program = installed("node", hard.home)
    calls = json.dumps([tool_call(action, gemini_names(scene.tree)) for action in actions])
    arguments = ("--input-type=module", "-e", _SCRIPT, core.as_uri(), (bundle / "policies").as_posix())
    ended = node.run(*arguments, folder=hard.project, said=calls, GEMINI_CLI_HOME=str(hard.home))
    marked = next((line for line in ended.out.splitlines() if line.startswith("@@")), "")
    assert marked, ended.err
    return [
        PermissionKind.DENY if is_out_of_reach(action, hard.home, hard.project) else VERDICTS[answer]
        for action, answer in zip(actions, json.loads(marked[2:]), strict=True)
    ]


def test_no_action_is_freer_than_in_claude_code(scene: Scene) -> None:
    hard, rules = scene.hard, scene.tree.permissions
    actions = sample_actions(rules, cwd=hard.project)
    permissions = Permissions(rules, hard.project, hard.home)
    verdicts = _decided(scene, actions)
    wider = [
        (action.kind.value, action.value, verdict.value)
        for action, verdict in zip(actions, verdicts, strict=True)
        if not is_at_most(verdict, permissions.decide(action).verdict)
    ]
    assert wider == []
    assert len(actions) > 300
    free = [action.value for action, verdict in zip(actions, verdicts, strict=True) if verdict is PermissionKind.ALLOW]
    assert "npm run test unit" in free
