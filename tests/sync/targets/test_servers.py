"""What all targets do alike about MCP servers: whose switch holds, and the folders of plugins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.outputs import OutputScope, OwnedKeys, Rendered, Target, TargetPlaces
from sightline.sync.targets.codex import CodexTarget
from sightline.sync.targets.cursor import CursorTarget
from sightline.sync.targets.gemini import GeminiTarget
from sightline.sync.targets.opencode import OpenCodeTarget
from tests.sync.source.trees import SmallSource
from tests.sync.targets.materialise import materialise

BOTH: frozenset[OutputScope] = frozenset({"user", "project"})
PROJECT: frozenset[OutputScope] = frozenset({"project"})
PLUGIN = "tea@market"
SWITCHES: list[tuple[Target, KeyPath, Value, KeyPath, Value]] = [
    (
        CodexTarget(),
        ("mcp_servers", "files"),
        {"command": "f"},
        ("mcp_servers", "files"),
        {"command": "f", "enabled": False},
    ),
    (GeminiTarget(), ("mcpServers", "files"), {"command": "f"}, ("mcp", "excluded", entry_step("files")), "files"),
    (OpenCodeTarget(), ("mcp", "files"), {"type": "local", "command": ["f"]}, ("mcp", "files"), {"enabled": False}),
]


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())


def render(target: Target, source: SmallSource, scopes: frozenset[OutputScope] = BOTH) -> Rendered:
    return target.render(source.read(), TargetPlaces(source.project, source.home, {}), scopes)


def keys(rendered: Rendered, scope: OutputScope) -> dict[KeyPath, Value]:
    found = (each for each in rendered.outputs if isinstance(each, OwnedKeys) and each.scope == scope)
    return {path: value for each in found for path, value in each.values.items()}


def switch_off(source: SmallSource) -> None:
    """The project switches a server on that the person has off."""
    source.write(source.project / ".mcp.json", {"mcpServers": {"files": {"command": "f"}}})
    source.write(source.project / ".claude/settings.json", {"enabledMcpjsonServers": ["files"]})
    source.write(source.config / "settings.json", {"disabledMcpjsonServers": ["files"]})


@pytest.mark.parametrize(("target", "committed_key", "committed", "own_key", "own"), SWITCHES)
def test_a_server_that_the_person_has_off_is_off_by_the_person_s_own_file(
    source: SmallSource, target: Target, committed_key: KeyPath, committed: Value, own_key: KeyPath, own: Value
) -> None:
    switch_off(source)
    rendered = render(target, source)

    assert keys(rendered, "project")[committed_key] == committed
    assert keys(rendered, "user") == {own_key: own}
    assert not [each for each in rendered.deltas if each.startswith("laxer") and "started" in each]
    assert any("`files` is off for you in every project" in each for each in rendered.deltas)


@pytest.mark.parametrize("target", [each[0] for each in SWITCHES])
def test_without_the_user_scope_it_is_said_first_with_what_to_do(source: SmallSource, target: Target) -> None:
    switch_off(source)
    source.write(source.project / "CLAUDE.md", "Read.\n")
    rendered = render(target, source, PROJECT)

    assert rendered.deltas[0].startswith("laxer: `mcp:files@project` is disabled for you in Claude Code")
    assert any("sightline sync --scope all" in each for each in rendered.steps)


@pytest.mark.parametrize("target", [each[0] for each in SWITCHES])
def test_without_the_user_scope_nothing_is_said_if_the_person_s_file_has_it_off_already(
    source: SmallSource, target: Target
) -> None:
    switch_off(source)
    materialise(render(target, source))
    rendered = render(target, source, PROJECT)

    assert not [each for each in rendered.deltas if "started" in each]
    assert not [each for each in rendered.steps if "for yourself" in each]


def test_where_no_file_can_say_it_the_person_is_told(source: SmallSource) -> None:
    switch_off(source)
    rendered = render(CursorTarget(), source)

    assert "it is started there" in rendered.deltas[0]
    assert any("switch `files` off for yourself" in each for each in rendered.steps)


@pytest.mark.parametrize("target", [each[0] for each in SWITCHES])
def test_a_server_that_the_person_has_on_leaves_the_person_s_file_alone(source: SmallSource, target: Target) -> None:
    switch_off(source)
    source.write(source.config / "settings.json", {"enabledMcpjsonServers": ["files"]})

    assert keys(render(target, source), "user") == {}


def install_plugin(source: SmallSource, server: Mapping[str, object], *, switched_on_in: Path) -> Path:
    root = source.config / "plugins/cache/tea"
    source.write(root / ".mcp.json", {"mcpServers": {"brew": server}})
    index = {"version": 2, "plugins": {PLUGIN: [{"installPath": str(root), "version": "1"}]}}
    source.write(source.config / "plugins/installed_plugins.json", index)
    source.write(switched_on_in, {"enabledPlugins": {PLUGIN: True}})
    return root


def test_the_folder_of_a_plugin_is_written_into_the_person_s_own_files(source: SmallSource) -> None:
    server = {"command": "${CLAUDE_PLUGIN_ROOT}/run", "args": ["--in=${CLAUDE_PLUGIN_ROOT}/data"], "env": {"K": "${K}"}}
    root = install_plugin(source, server, switched_on_in=source.config / "settings.json").as_posix()

    gemini = keys(render(GeminiTarget(), source), "user")["mcpServers", "plugin-tea-brew"]
    rendered = render(OpenCodeTarget(), source)
    opencode = keys(rendered, "user")["mcp", "plugin_tea_brew"]

    assert gemini == {"command": f"{root}/run", "args": [f"--in={root}/data"], "env": {"K": "${K}"}}
    assert opencode == {
        "type": "local",
        "command": [f"{root}/run", f"--in={root}/data"],
        "environment": {"K": "{env:K}"},
    }
    reasons = {line.field: line.reason for line in rendered.ledger if line.item_id == "mcp:tea:brew@plugin"}
    assert "installed now" in reasons["command"]
    assert "installed now" not in reasons["env"]


def test_the_folder_of_a_plugin_never_gets_into_a_committed_file(source: SmallSource) -> None:
    server = {"command": "${CLAUDE_PLUGIN_ROOT}/run"}
    root = install_plugin(source, server, switched_on_in=source.project / ".claude/settings.json").as_posix()
    source.write(source.project / ".mcp.json", {"mcpServers": {"own": {"command": "${CLAUDE_PLUGIN_ROOT}/run"}}})
    source.write(source.config / "settings.json", {"enableAllProjectMcpServers": True})

    for target in (CodexTarget(), GeminiTarget(), OpenCodeTarget(), CursorTarget()):
        rendered = render(target, source)
        assert root not in json.dumps([[str(key), value] for key, value in keys(rendered, "project").items()])
        assert next(each.grade for each in rendered.ledger if each.item_id == "mcp:own@project") == "refused"


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        ({"command": "${CLAUDE_PLUGIN_ROOT}/run.sh"}, "{root}/run.sh"),
        ({"command": '"$CLAUDE_PLUGIN_ROOT"/run.sh'}, '"{root}"/run.sh'),
        ({"command": "run", "args": ["${CLAUDE_PLUGIN_ROOT}/data", "a b"]}, "run {root}/data 'a b'"),
        ({"command": "${CLAUDE_PLUGIN_DATA}/run.sh"}, None),
        ({"command": "run", "args": ["$CLAUDE_PLUGIN_DATA/x"]}, None),
    ],
)
def test_hooks_of_plugins_get_the_folder_too(
    source: SmallSource, hook: dict[str, object], expected: str | None
) -> None:
    root = install_plugin(source, {"command": "s"}, switched_on_in=source.config / "settings.json")
    entry = {"hooks": [{"type": "command", **hook}]}
    source.write(root / "hooks/hooks.json", {"hooks": {"Stop": [entry]}})
    for target in (GeminiTarget(), CursorTarget()):
        entries = [value for key, value in keys(render(target, source), "user").items() if key[0] == "hooks"]
        assert [command_of(each) for each in entries] == (
            [] if expected is None else [expected.format(root=root.as_posix())]
        )


def command_of(entry: Any) -> str:
    """Of a hook as Cursor has it, or as Gemini CLI nests it."""
    return entry["hooks"][0]["command"] if "hooks" in entry else entry["command"]


def test_a_variable_of_claude_code_that_has_no_path_still_refuses_the_server(source: SmallSource) -> None:
    install_plugin(source, {"command": "${CLAUDE_PLUGIN_DATA}/run"}, switched_on_in=source.config / "settings.json")
    rendered = render(GeminiTarget(), source)

    line = next(each for each in rendered.ledger if each.item_id == "mcp:tea:brew@plugin")
    assert (line.grade, "CLAUDE_PLUGIN_DATA" in line.reason) == ("refused", True)
