"""The hard project, rendered for Codex and judged by the Codex CLI itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from sightline.sync.model import PermissionKind, SourceTree
from sightline.sync.outputs import OutputScope, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_commands import split_command, words_of
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Action, ActionKind, Permissions
from sightline.sync.source import read_source_tree
from sightline.sync.targets.codex import CodexTarget
from tests.sync.hard_project import HardProject, make_hard_project
from tests.sync.source.trees import SmallSource
from tests.sync.targets.codex_oracle import Codex, listed_agents, listed_skills, materialise, needs_codex

pytestmark = needs_codex
BOTH: frozenset[OutputScope] = frozenset({"user", "project"})
_PLAIN = re.compile(r"[^$`<>*?\[\]{}()!~=\\]*")


def _synced(root: Path, **kinds: bool) -> tuple[HardProject, SourceTree, Rendered, Codex]:
    hard = make_hard_project(root, **kinds)
    tree = read_source_tree(hard.places)
    rendered = CodexTarget().render(tree, TargetPlaces(hard.project, hard.home, {}), BOTH)
    materialise(rendered)
    codex = Codex(hard.home, hard.project)
    codex.trust()
    return hard, tree, rendered, codex


def _expected_servers(rendered: Rendered) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for scope in ("user", "project"):
        for output in rendered.outputs:
            if isinstance(output, OwnedKeys) and output.format == "toml" and output.scope == scope:
                tables |= {str(path[1]): value for path, value in output.values.items() if path[0] == "mcp_servers"}
    return tables


def test_codex_starts_and_lists_exactly_the_servers_of_the_plan(tmp_path: Path) -> None:
    _hard, _tree, rendered, codex = _synced(tmp_path, with_hostile_names=True, with_secrets=True, with_foreign=True)
    expected = _expected_servers(rendered)
    listed = codex.servers()
    assert set(listed) == set(expected) | {"own"}
    for name, table in expected.items():
        found = listed[name]
        assert found["enabled"] is table.get("enabled", True), name
        assert found["tool_timeout_sec"] == table.get("tool_timeout_sec"), name
        transport = found["transport"]
        for key in ("command", "args", "env", "env_vars", "cwd", "url", "bearer_token_env_var", "env_http_headers"):
            assert (transport.get(key) or None) == table.get(key), (name, key)
    assert listed["unapproved"]["enabled"] is False
    assert listed["files"]["transport"]["env_vars"] == ["API_TOKEN"]


def test_codex_reads_the_instructions_and_skills(tmp_path: Path) -> None:
    _hard, _tree, rendered, codex = _synced(tmp_path, with_hostile_names=True, with_foreign=True)
    prompt = codex.prompt()
    for text in (
        "Always be kind.",
        "Deeper text.",
        "Only Codex reads this.",
        "Only for Codex, by file.",
        "Keep me, too.",
    ):
        assert prompt.count(text) == 1, text
    for text in ("a block comment for people", "No target reads this", "PERSONAL:", "PRIVATE: outside", "EXCLUDED"):
        assert text not in prompt, text
    files = [output for output in rendered.outputs if isinstance(output, OwnedFile)]
    manual = {file.path.parent.parent.name for file in files if file.path.name == "openai.yaml"}
    folders = {file.path.parent for file in files if file.path.name == "SKILL.md" and "web" not in file.path.parts}
    assert manual >= {"release", "fix", "db-migrate", "mine"}
    assert listed_skills(prompt) == {folder.name for folder in folders} - manual | {"own"}


def test_codex_offers_every_agent(tmp_path: Path) -> None:
    # Without the foreign files: they name a model that is not known to have agents.
    _hard, _tree, rendered, codex = _synced(tmp_path, with_hostile_names=True)
    files = [output for output in rendered.outputs if isinstance(output, OwnedFile)]
    tables = [
        tomllib.loads(file.content.decode())
        for file in files
        if file.path.parent.name == "agents" and file.path.suffix == ".toml"
    ]
    assert listed_agents(codex.prompt()) == {table["name"] for table in tables}


def test_the_rules_for_files_are_in_force(tmp_path: Path) -> None:
    hard, _tree, _rendered, codex = _synced(tmp_path)
    prompt = codex.prompt()
    denied = set(re.findall(r'<entry access="deny"[^>]*><(?:glob|path)>([^<]*)<', prompt))
    for key in ("**/.env", "**/secrets/**"):
        assert f"{hard.project}/{key}" in denied
    assert any(path.startswith(f"{hard.home}/.ssh") for path in denied)


def test_codex_has_nothing_to_warn_of(tmp_path: Path) -> None:
    _hard, _tree, _rendered, codex = _synced(tmp_path, with_hostile_names=True)
    report = codex.run("doctor").stdout
    assert "config.toml parse        ok" in report
    assert re.findall(r"startup warning .*", report) == []


def test_codex_starts_with_every_form_of_file_rule_and_leaves_nothing_behind(tmp_path: Path) -> None:
    source = SmallSource(tmp_path.resolve())
    files = ["./.env", "/a/b/c.txt", "x/y/", "src/*.py", "**/*.pem", "~/.secret", "~/.k/**", "//opt/z", "{a,b}/c", "q?"]
    denied = [*(f"Read({file})" for file in files), "Edit(/gen/**)", "Edit(one.txt)", "WebFetch(domain:*.x.example)"]
    source.write(source.project / ".claude/settings.json", {"permissions": {"deny": denied}})
    source.write(source.config / "settings.json", {"permissions": {"deny": ["Read(~/.ssh)", "Edit(/a/**)"]}})
    rendered = CodexTarget().render(source.read(), TargetPlaces(source.project, source.home, {}), BOTH)
    materialise(rendered)
    codex = Codex(source.home, source.project)
    codex.trust()
    assert codex.prompt().count('access="deny"') >= len(denied)
    # Codex 0.166.0 makes places to mount over for what it protects itself (`.git`, `.agents`, `.aws`); a key without a
    # glob would leave such things behind for our rules, too.
    left = {file.name for folder in (source.home, source.project) for file in folder.iterdir()}
    assert left <= {".claude", ".codex", ".git", ".agents", ".aws"}


def test_codex_starts_where_user_and_project_have_servers_of_one_name(tmp_path: Path) -> None:
    source = SmallSource(tmp_path.resolve())
    user = {"a": {"type": "http", "url": "https://x.example"}, "b": {"command": "u", "args": ["of-user"]}}
    source.write(source.home / ".claude.json", {"mcpServers": user})
    source.write(source.project / ".mcp.json", {"mcpServers": {name: {"command": "p"} for name in "abc"}})
    settings = {"enableAllProjectMcpServers": True, "permissions": {"deny": ["mcp__c__write"]}}
    source.write(source.config / "settings.json", settings)
    materialise(CodexTarget().render(source.read(), TargetPlaces(source.project, source.home, {}), BOTH))
    codex = Codex(source.home, source.project)
    codex.trust()
    listed = codex.servers()
    assert {name: server["transport"]["args"] for name, server in listed.items()} == {"a": [], "b": [], "c": []}
    assert {name: server["enabled"] for name, server in listed.items()} == {"a": True, "b": True, "c": False}


def _codex_verdict(codex: Codex, rules: list[Path], command: str, known: dict[tuple[str, ...], str]) -> str:
    """What Codex makes of a command line: it looks at the plain parts, and at nothing if one is not plain."""
    line = split_command(command)
    if not _PLAIN.fullmatch(command) or line.is_doubtful:
        return ""
    parts = [tuple(words) for part in line.parts if (words := words_of(part))]
    for words in parts:
        if words not in known:
            known[words] = codex.decision(rules, words)
    decisions = {known[words] for words in parts}
    return next((each for each in ("forbidden", "prompt", "", "allow") if each in decisions), "")


def test_no_command_is_freer_than_in_claude_code(tmp_path: Path) -> None:
    hard, tree, rendered, codex = _synced(tmp_path)
    rules = [output.path for output in rendered.outputs if output.path.suffix == ".rules"]
    assert len(rules) == 2
    claude = Permissions(tree.permissions, hard.project, hard.home)
    actions = [each for each in sample_actions(tree.permissions) if each.kind is ActionKind.BASH]
    known: dict[tuple[str, ...], str] = {}
    seen: set[str] = set()
    for action in actions:
        limit = claude.decide(action).verdict
        verdict = _codex_verdict(codex, rules, action.value, known)
        seen.add(verdict)
        if verdict == "allow":
            assert limit is PermissionKind.ALLOW, action.value
        if _is_seen(action, tree) and limit is PermissionKind.DENY:
            assert verdict == "forbidden", action.value
    assert len(actions) >= 100
    assert {"allow", "forbidden", "prompt", ""} == seen


def _is_seen(action: Action, tree: SourceTree) -> bool:
    """Whether the command is denied as it stands: not behind a variable, a wrapper or another program's back."""
    denied = [rule for rule in tree.permissions if rule.effect is PermissionKind.DENY and rule.tool == "Bash"]
    starts = [str(rule.pattern).removesuffix(" *") for rule in denied]
    return bool(_PLAIN.fullmatch(action.value)) and any(
        part == start or part.startswith(f"{start} ") for part in split_command(action.value).parts for start in starts
    )
