"""Permissions, hooks and other settings over all scopes; a deny is never lost."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.sync.model import ItemKind, PermissionKind, Scope
from tests.sync.source.trees import SmallSource, only_problem


def _deny(*rules: Any) -> dict[str, Any]:
    return {"permissions": {"deny": list(rules)}}


def test_rules_of_all_scopes_are_concatenated_with_their_lines_and_anchors(source: SmallSource) -> None:
    source.write(source.root / "managed/managed-settings.json", _deny("Bash(a)"))
    source.write(source.root / "managed/managed-settings.d/10.json", _deny("Bash(b)"))
    source.write(source.config / "settings.json", _deny("Bash(c)", "Read(/x)"))
    source.write(source.project / ".claude/settings.json", _deny("Bash(c)", "Bash(c)"))
    source.write(source.project / ".claude/settings.local.json", _deny("Read(/x)"))
    start = source.project / "api"
    start.mkdir()
    rules = source.read(start).permissions
    assert [(rule.text, rule.scope, rule.anchor) for rule in rules] == [
        ("Bash(a)", Scope.MANAGED, source.root / "managed"),
        ("Bash(b)", Scope.MANAGED, source.root / "managed"),
        ("Bash(c)", Scope.USER, source.config),
        ("Read(/x)", Scope.USER, source.config),
        ("Bash(c)", Scope.PROJECT, source.project),
        ("Read(/x)", Scope.LOCAL, start),
    ]
    assert rules[3].provenance.line == 5
    assert len({rule.item_id for rule in rules}) == 6


@pytest.mark.parametrize("content", ['{"permissions": {"deny": ["Bash(rm *)"]},}', "[]", "", b"\xff{}"])
@pytest.mark.parametrize("name", ["home/.claude/settings.json", "work/shop/.claude/settings.local.json"])
def test_a_malformed_settings_file_blocks_all_that_it_could_restrict(
    source: SmallSource, name: str, content: str | bytes
) -> None:
    source.write(source.root / name, content)
    source.write(source.project / ".claude/settings.json", {"permissions": {"allow": ["Bash(x)"]}})
    source.write(source.project / ".claude/skills/s/SKILL.md", "Body")
    tree = source.read()
    assert {
        ItemKind.PERMISSION,
        ItemKind.HOOK,
        ItemKind.MCP,
        ItemKind.PLUGIN,
        ItemKind.INSTRUCTIONS,
    } <= tree.blocked_kinds
    assert ItemKind.SKILL not in tree.blocked_kinds
    assert len(tree.skills) == 1


@pytest.mark.parametrize("rule", [7, "", "Bash(", "Bash)x(", {"tool": "Bash"}, "(x)"])
def test_a_deny_that_cannot_be_read_blocks_permissions(source: SmallSource, rule: Any) -> None:
    source.write(source.config / "settings.json", _deny("Bash(a)", rule))
    tree = source.read()
    assert tree.blocked_kinds == {ItemKind.PERMISSION}
    assert only_problem(tree).line == 5


def test_an_allow_that_cannot_be_read_is_only_a_warning(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"permissions": {"allow": ["Bash(", "Bash(ok)"]}})
    tree = source.read()
    assert only_problem(tree).is_warning
    assert [rule.text for rule in tree.permissions] == ["Bash(ok)"]


@pytest.mark.parametrize("value", [{"deny": "Bash(a)"}, [], "x", {"ask": {"a": 1}}])
def test_permissions_of_the_wrong_shape_block(source: SmallSource, value: Any) -> None:
    source.write(source.config / "settings.json", {"permissions": value})
    assert source.read().blocked_kinds == {ItemKind.PERMISSION}


def test_tool_and_pattern_are_taken_apart_and_escapes_undone(source: SmallSource) -> None:
    texts = ["Bash", "Bash(a (b))", r"Bash(echo \(x\))", "mcp__my server__t", "Read( )"]
    source.write(source.config / "settings.json", {"permissions": {"ask": texts}})
    rules = source.read().permissions
    assert [(rule.tool, rule.pattern) for rule in rules] == [
        ("Bash", None),
        ("Bash", "a (b)"),
        ("Bash", "echo (x)"),
        ("mcp__my server__t", None),
        ("Read", " "),
    ]
    assert {rule.effect for rule in rules} == {PermissionKind.ASK}


def test_rules_that_claude_code_never_consults_are_reported(source: SmallSource) -> None:
    permissions = {"allow": ["Bash*", "mcp__*", "mcp__s__get_*"], "deny": ["Write(src/**)", "mcp__*"]}
    source.write(source.config / "settings.json", {"permissions": permissions})
    tree = source.read()
    assert [problem.message.split("`")[1] for problem in tree.problems] == ["Bash*", "mcp__*", "Write(src/**)"]
    assert all(problem.is_warning for problem in tree.problems)


def test_a_key_given_twice_is_reported(source: SmallSource) -> None:
    source.write(source.config / "settings.json", '{"permissions": {"deny": ["Bash(a)"]},\n"permissions": {}}')
    assert "`permissions` is given twice" in only_problem(source.read()).message


def test_unknown_keys_are_reported_and_kept(source: SmallSource) -> None:
    table = {"model": "opus", "novel": {"a": 1}, "permissions": {"defaultMode": "plan", "novelty": 1}}
    source.write(source.config / "settings.json", table)
    tree = source.read()
    assert {(key.key, key.place) for key in tree.unknown_keys} == {("novel", "settings"), ("novelty", "permissions")}
    assert {setting.key for setting in tree.settings} == {
        "model",
        "novel",
        "permissions.defaultMode",
        "permissions.novelty",
    }


def test_scalars_follow_the_order_of_scopes(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"model": "user", "theme": "dark"})
    source.write(source.project / ".claude/settings.json", {"model": "project"})
    source.write(source.project / ".claude/settings.local.json", {"model": "local"})
    tree = source.read()
    assert [tree.setting(key) for key in ("model", "theme", "verbose")] == ["local", "dark", None]
    source.write(source.root / "managed/managed-settings.json", {"model": "managed"})
    assert source.read().setting("model") == "managed"


def test_lists_are_joined_over_scopes(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"permissions": {"additionalDirectories": ["a", "b"]}})
    source.write(source.project / ".claude/settings.json", {"permissions": {"additionalDirectories": ["b", "c"]}})
    assert source.read().list_setting("permissions.additionalDirectories") == ("a", "b", "c")


def test_hooks_are_read_from_their_nested_form(source: SmallSource) -> None:
    command = {"type": "command", "command": "x", "timeout": 5, "once": True}
    groups = [{"matcher": "Edit|Write", "hooks": [command, {"type": "prompt", "prompt": "ok?"}]}]
    source.write(source.config / "settings.json", {"hooks": {"PreToolUse": groups}})
    first, second = source.read().hooks
    assert (first.event, first.matcher, first.type, first.timeout_s) == ("PreToolUse", "Edit|Write", "command", 5.0)
    assert first.fields == {"command": "x", "timeout": 5, "once": True}
    assert (second.type, second.timeout_s) == ("prompt", None)
    assert first.item_id != second.item_id


def test_a_hook_keeps_its_id_when_others_come_before_it(source: SmallSource) -> None:
    hook = {"hooks": [{"type": "command", "command": "x"}]}
    source.write(source.config / "settings.json", {"hooks": {"Stop": [hook]}})
    (before,) = source.read().hooks
    source.write(
        source.config / "settings.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "y"}]}, hook]}}
    )
    assert before.item_id in {hook.item_id for hook in source.read().hooks}


@pytest.mark.parametrize(
    "hooks",
    [
        [],
        {"Stop": {}},
        {"Stop": [{"type": "command", "command": "flat"}]},
        {"Stop": ["x"]},
        {"Stop": [{"hooks": [{"command": "no type"}]}]},
    ],
)
def test_hooks_of_the_wrong_shape_block_hooks(source: SmallSource, hooks: Any) -> None:
    source.write(source.config / "settings.json", {"hooks": hooks})
    assert source.read().blocked_kinds == {ItemKind.HOOK}


def test_hooks_that_are_switched_off_are_marked(source: SmallSource) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}
    source.write(source.config / "settings.json", {"hooks": hooks})
    source.write(source.project / ".claude/settings.local.json", {"disableAllHooks": True})
    (hook,) = source.read().hooks
    assert hook.shadowed_by == "setting:disableAllHooks@local"


def test_unknown_events_types_and_fields_are_reported(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"hooks": {"Novel": [{"hooks": [{"type": "novel", "extra": 1}]}]}})
    tree = source.read()
    assert {key.key for key in tree.unknown_keys} == {"Novel", "novel", "extra"}
    assert not tree.hooks[0].is_known_event


def test_a_secret_in_a_rule_is_in_no_id_message_or_repr(source: SmallSource) -> None:
    token = "gh" + "p_" + "q7Zk2Pw9Lx4Vb1Nt6" * 2
    texts = [f"Bash(curl -H 'Authorization: Bearer {token}' *)", f"Write({token})", "Bash(ls)"]
    source.write(source.config / "settings.json", {"permissions": {"allow": texts}})
    tree = source.read()
    assert token not in repr(tree)
    assert token in tree.permissions[0].text
    assert tree.permissions[0].item_id.startswith("permission:allow:Bash#")
    assert tree.permissions[2].item_id == "permission:allow:Bash(ls)@user"


def test_no_value_is_shown_by_a_repr(source: SmallSource) -> None:
    canary = "canary" + "-value"
    hooks = {"Stop": [{"hooks": [{"type": "http", "headers": {"A": canary}}]}]}
    source.write(source.config / "settings.json", {"env": {"X": canary}, "hooks": hooks})
    source.write(
        source.project / ".mcp.json", {"mcpServers": {"s": {"command": canary, "env": {"K": canary}, "x": canary}}}
    )
    source.write(source.project / "CLAUDE.md", canary)
    source.write(source.project / ".claude/skills/s/SKILL.md", f"---\nx: {canary}\n---\n{canary}")
    assert canary not in repr(source.read())
