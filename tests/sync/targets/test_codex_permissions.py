"""Permission rules for Codex never open more than Claude Code does, over many rule sets and a corpus of actions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.model import PermissionKind, SourceTree
from sightline.sync.outputs import OutputScope, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_commands import split_command, words_of
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Action, ActionKind, Permissions
from sightline.sync.targets.codex import CodexTarget
from tests.sync.hard_project import fake_secret
from tests.sync.source.trees import SmallSource

BOTH: frozenset[OutputScope] = frozenset({"user", "project"})
_LINE = re.compile(r'prefix_rule\(pattern=(\[.*\]), decision="(\w+)"\)')
_ORDER = ("forbidden", "prompt", "", "allow")
# With such signs in it Codex asks no rule about a command line.
_NOT_PLAIN = re.compile(r"[$`<>*?\[\]{}()!~=\\]")
Rules = dict[str, list[str]]


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())


def _write(source: SmallSource, scope: str, rules: Rules, **settings: Any) -> None:
    files = {
        "user": source.config / "settings.json",
        "project": source.project / ".claude/settings.json",
        "local": source.project / ".claude/settings.local.json",
        "managed": source.root / "managed/managed-settings.json",
    }
    source.write(files[scope], {"permissions": rules, **settings})


def _render(source: SmallSource, scopes: frozenset[OutputScope] = BOTH) -> tuple[SourceTree, Rendered]:
    tree = source.read()
    return tree, CodexTarget().render(tree, TargetPlaces(source.project, source.home, {}), scopes)


def _exec_rules(rendered: Rendered, scope: OutputScope | None = None) -> list[tuple[list[str], str]]:
    files = [each for each in rendered.outputs if isinstance(each, OwnedFile) and each.path.suffix == ".rules"]
    texts = [each.content.decode() for each in files if scope in {None, each.scope}]
    found = [_LINE.fullmatch(line) for text in texts for line in text.splitlines()]
    return [(json.loads(match[1]), match[2]) for match in found if match]


def _keys(rendered: Rendered, scope: OutputScope) -> dict[KeyPath, Value]:
    found = [each for each in rendered.outputs if isinstance(each, OwnedKeys) and each.scope == scope]
    return {path: value for each in found if each.path.name == "config.toml" for path, value in each.values.items()}


def _verdict(rules: Sequence[tuple[list[str], str]], command: str) -> str:
    """What Codex says: the strictest rule for each plain part, the least open of the parts."""
    line = split_command(command)
    if _NOT_PLAIN.search(command) or line.is_doubtful:
        return ""
    parts = [words_of(part) for part in line.parts]
    verdicts = [
        _strictest(said for prefix, said in rules if words[: len(prefix)] == prefix) for words in parts if words
    ]
    return min(verdicts, key=_ORDER.index, default="")


def _strictest(decisions: Iterable[str]) -> str:
    return min(decisions, key=_ORDER.index, default="")


def _freer(source: SmallSource, tree: SourceTree, rendered: Rendered) -> list[str]:
    """Commands that Codex allows and Claude Code does not."""
    claude = Permissions(tree.permissions, source.project, source.home)
    rules = _exec_rules(rendered)
    commands = [each for each in sample_actions(tree.permissions) if each.kind is ActionKind.BASH]
    allowed = [each for each in commands if _verdict(rules, each.value) == "allow"]
    return [each.value for each in allowed if claude.decide(each).verdict is not PermissionKind.ALLOW]


_HARD_SETS: list[dict[str, Rules]] = [
    {"project": {"allow": ["Bash(npm test)", "Bash(make:*)", "Bash(git *)"], "ask": ["Bash(git push *)"]}},
    {"project": {"allow": ["Bash(timeout *)", "Bash(xargs *)", "Bash(sudo *)"], "deny": ["Bash(rm -rf *)"]}},
    {"project": {"allow": ["Bash(cd *)", "Bash(git *)", "Bash(find *)", "Bash(watch *)"]}},
    {"project": {"allow": ["Bash(cat *)", "Bash(head *)", "Bash(ls *)"], "deny": ["Read(./.env)"]}},
    {"project": {"allow": ["Bash(rm *)", "Bash(npm *)"], "deny": ["Bash(rm*)"]}},
    {"project": {"allow": ["Bash(git *)", "Bash(npm *)"], "deny": ["Bash(* --force *)"]}},
    {"project": {"allow": ["Bash(git *)"], "deny": ["Bash(git * main)"]}},
    {"project": {"allow": ["Bash(npm *)"]}, "user": {"deny": ["Bash(* test)"], "ask": ["Bash(npm publish)"]}},
    {"user": {"allow": ["Bash(npm *)", "Bash(make *)"]}, "project": {"deny": ["Bash(npm run*)"]}},
    {"user": {"allow": ["Bash(git *)"]}, "local": {"deny": ["Bash(git push:*)"], "allow": ["Bash(curl *)"]}},
    {"user": {"allow": ["Bash", "Bash(*)", "Bash(:*)", "Bash( *)"]}},
    {"project": {"allow": ["Bash(git *)", "Bash(npm *)"], "deny": ["Bash"]}},
    {"project": {"allow": ["Bash(npm *)"]}, "managed": {"deny": ["Bash(npm install *)"], "ask": ["Bash(*t*)"]}},
    {"project": {"allow": ["Bash(FOO=1 npm *)", "Bash(npm  test *)", "Bash(echo 'a' *)", "Bash(a\\* *)"]}},
    {"project": {"allow": ["Bash(docker * --rm *)", "Bash(ls*)", "Bash(npm run:* *)"], "ask": ["B*"]}},
]


@pytest.mark.parametrize("rules", _HARD_SETS, ids=range(len(_HARD_SETS)))
def test_no_command_is_freer_than_in_claude_code(source: SmallSource, rules: dict[str, Rules]) -> None:
    for scope, table in rules.items():
        _write(source, scope, table)
    tree, rendered = _render(source)
    assert len(tree.permissions) == sum(len(texts) for table in rules.values() for texts in table.values())
    assert _freer(source, tree, rendered) == []


def test_the_yardstick_finds_a_rule_that_is_too_wide(source: SmallSource) -> None:
    _write(source, "project", {"allow": ["Bash(make *)"]})
    tree, rendered = _render(source)
    assert _exec_rules(rendered) == [(["make"], "allow")]
    _write(source, "project", {"allow": ["Bash(make test)"]})
    assert _freer(source, source.read(), rendered) != []
    assert _freer(source, tree, rendered) == []


def test_a_denied_command_is_forbidden_and_an_asked_one_prompts(source: SmallSource) -> None:
    denied = ["Bash(rm -rf *)", "Bash(git push:*)", "Bash(npm publish)", "Bash(docker * --rm *)", "Bash(a b*)"]
    _write(source, "project", {"deny": denied, "ask": ["Bash(make *)"]})
    assert sorted(_exec_rules(_render(source)[1])) == [
        (["a"], "forbidden"),
        (["docker"], "forbidden"),
        (["git", "push"], "forbidden"),
        (["make"], "prompt"),
        (["npm", "publish"], "forbidden"),
        (["rm", "-rf"], "forbidden"),
    ]


def test_what_cannot_be_covered_is_named(source: SmallSource) -> None:
    _write(source, "project", {"deny": ["Bash(* --force)", "Bash(rm*)", "Read(../x)", "Read(//**)", "Agent(x)"]})
    deltas = "\n".join(_render(source)[1].deltas)
    for rule in ("Bash(* --force)", "Bash(rm*)", "Read(../x)", "Read(//**)", "Agent(x)"):
        assert f"laxer: `permission:deny:{rule}@project` is not held" in deltas


_CHOSEN = 'default_permissions = "sightline"\n[permissions.sightline]\nextends = ":workspace"\n'


def test_personal_rules_never_reach_committed_files(source: SmallSource) -> None:
    source.write(source.home / ".codex/config.toml", _CHOSEN)
    _write(source, "project", {"allow": ["Bash(make *)"]})
    _write(source, "local", {"deny": ["Bash(terraform *)", "Edit(/mine/**)"], "allow": ["Bash(ssh-add *)"]})
    _write(source, "user", {"deny": ["Bash(curl *)", "Read(~/.ssh/**)"], "allow": ["Bash(cargo *)"]})
    _tree, rendered = _render(source)
    assert _exec_rules(rendered, "project") == [(["make"], "allow")]
    assert _keys(rendered, "project") == {}
    personal = _exec_rules(rendered, "user")
    assert (["terraform"], "forbidden") in personal
    assert (["ssh-add"], "allow") not in personal
    assert ("permissions", "sightline", "filesystem", f"{source.project}/mine/**") in _keys(rendered, "user")


def test_a_sandbox_of_claude_code_keeps_commands_in_that_of_codex(source: SmallSource) -> None:
    _write(source, "project", {"allow": ["Bash(make *)"]}, sandbox={"enabled": True})
    assert _exec_rules(_render(source)[1]) == []
    _write(source, "project", {"allow": ["Bash(make *)"]})
    _write(source, "user", {}, sandbox={"enabled": True})
    assert sorted(_exec_rules(_render(source)[1])) == [(["make"], "allow"), (["make"], "prompt")]


def test_a_rule_with_a_secret_is_not_written_and_opens_nothing(source: SmallSource) -> None:
    secret = fake_secret("github")
    _write(source, "project", {"allow": ["Bash(curl *)"], "deny": [f"Bash(curl -H {secret} *)"]})
    _tree, rendered = _render(source)
    assert _exec_rules(rendered) == []
    assert secret not in repr(rendered)
    assert any("is not written" in delta for delta in rendered.deltas)


def test_unread_settings_leave_rules_and_servers_alone(source: SmallSource) -> None:
    source.write(source.project / ".claude/settings.json", '{"permissions": {"deny": ["Bash(rm')
    _write(source, "user", {"allow": ["Bash(make *)"]})
    source.write(source.home / ".claude.json", {"mcpServers": {"a": {"command": "s"}}})
    assert _render(source)[1].outputs == ()


_FILE_RULES = [
    "Read(./.env)",
    "Read(.env)",
    "Read(secrets/**)",
    "Read(/docs/guide.md)",
    "Read(src/*.py)",
    "Read(src/deep/)",
    "Read(**/*.pem)",
    "Read(~/.ssh/**)",
    "Read(~/notes.txt)",
    "Read(//etc/passwd)",
    "Read(src/[md]ain.py)",
    "Read(package.jso?)",
    "Edit(/src/**)",
    "Edit(README.md)",
]


@pytest.mark.parametrize("scope", ["project", "user", "local"])
@pytest.mark.parametrize("effect", ["deny", "ask"])
def test_no_restricted_file_stays_readable(source: SmallSource, scope: str, effect: str) -> None:
    source.write(source.home / ".codex/config.toml", _CHOSEN)
    _write(source, scope, {effect: _FILE_RULES})
    tree, rendered = _render(source)
    target: OutputScope = "project" if scope == "project" else "user"
    keys = [path for path in _keys(rendered, target) if path[:3] == ("permissions", "sightline", "filesystem")]
    globs = [_absolute_glob(source, tuple(map(str, path[3:]))) for path in keys]
    claude = Permissions(tree.permissions, source.project, source.home)
    for action in sample_actions(tree.permissions, cwd=source.project):
        limit = claude.decide(Action(ActionKind.READ, action.value)).rule
        if action.kind is ActionKind.READ and limit is not None:
            path = action.value.replace("~", source.home.as_posix(), 1) if action.value[0] == "~" else action.value
            assert any(glob.fullmatch(path) for glob in globs), (action.value, limit.item_id)


def _absolute_glob(source: SmallSource, key: tuple[str, ...]) -> re.Pattern[str]:
    text = f"{source.project}/{key[1]}" if key[0] == ":workspace_roots" else key[0]
    text = source.home.as_posix() + text[1:] if text.startswith("~") else text
    signs = {"/**/": "/(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(/\*\*/|/\*\*$|\*|\?|\[.\])", text)
    return re.compile("".join(signs.get(each) or (each if each[:1] == "[" else re.escape(each)) for each in pieces))


def test_keys_of_the_profile_are_globs_that_codex_starts_with(source: SmallSource) -> None:
    _write(source, "project", {"deny": [*_FILE_RULES, "Read(/a/./b)", "Read({x,y}/z)", "Read(a\\*b)"]})
    _tree, rendered = _render(source)
    values = _keys(rendered, "project")
    assert values[("default_permissions",)] == "sightline"
    assert values[("permissions", "sightline", "extends")] == ":workspace"
    found = {path[3:]: value for path, value in values.items() if path[2:3] == ("filesystem",)}
    assert found.pop(("glob_scan_max_depth",)) == 64
    assert set(found.values()) == {"deny"}
    for path in found:
        key = str(path[-1])
        assert re.search(r"[*?\[]", key)
        assert not key.startswith("./")
        assert ".." not in key
        assert not re.search(r"[{}\\]", key)
        assert path[0] == ":workspace_roots" or key.startswith(("/", "~/"))


@pytest.mark.parametrize("own", ['sandbox_mode = "read-only"\n', 'default_permissions = ":read-only"\n'])
def test_a_choice_of_the_persons_own_is_not_overruled(source: SmallSource, own: str) -> None:
    source.write(source.home / ".codex/config.toml", own)
    _write(source, "project", {"deny": ["Read(.env)"]})
    _tree, rendered = _render(source)
    assert _keys(rendered, "project") == {}
    assert any("is in force" in delta for delta in rendered.deltas)
    assert rendered.steps


def test_no_profile_gets_into_the_persons_file_before_the_person_has_chosen_it(source: SmallSource) -> None:
    """Codex would start in no project at all: "config defines `[permissions]` profiles but does not set ..."."""
    _write(source, "user", {"deny": ["Read(~/.ssh/**)", "WebFetch(domain:evil.example)"]})
    _tree, rendered = _render(source)
    assert _keys(rendered, "user") == {}
    assert sum("need a permission profile" in delta for delta in rendered.deltas) == 2
    assert any("sync again" in step for step in rendered.steps)


def test_nothing_about_approval_trust_or_the_sandbox_is_written(source: SmallSource) -> None:
    for mode in ("bypassPermissions", "acceptEdits", "plan", "auto", "dontAsk"):
        permissions = {"allow": ["Bash(make *)"], "defaultMode": mode}
        source.write(source.config / "settings.json", {"permissions": permissions})
        _tree, rendered = _render(source)
        assert _keys(rendered, "user") == {}


def test_hosts_and_web_tools_become_stricter(source: SmallSource) -> None:
    _write(
        source, "project", {"deny": ["WebFetch(domain:Evil.example)", "WebSearch"], "allow": ["WebFetch(domain:a.b)"]}
    )
    values = _keys(_render(source)[1], "project")
    assert values[("permissions", "sightline", "network", "domains", "evil.example")] == "deny"
    assert values[("web_search",)] == "disabled"
    assert not any("a.b" in path for path in values)


def test_a_denied_edit_tool_makes_the_project_read_only(source: SmallSource) -> None:
    _write(source, "project", {"deny": ["Edit"]})
    assert _keys(_render(source)[1], "project")[("permissions", "sightline", "extends")] == ":read-only"


def test_rules_about_tools_of_servers_stand_with_their_servers(source: SmallSource) -> None:
    servers = {name: {"command": "s"} for name in ("a", "b", "my server", "d", "e")}
    source.write(source.home / ".claude.json", {"mcpServers": servers})
    denied = ["mcp__a__write", "mcp__a__rm", "mcp__b", "mcp__my_server__get_*"]
    _write(source, "user", {"deny": denied, "ask": ["mcp__d__put", "mcp__e__*"], "allow": ["mcp__a__read"]})
    values = _keys(_render(source)[1], "user")
    assert values[("mcp_servers", "a")] == {"command": "s", "disabled_tools": ["write", "rm"]}
    assert values[("mcp_servers", "b")] == {"command": "s", "enabled": False}
    assert values[("mcp_servers", "my_server")] == {"command": "s", "enabled": False}
    assert values[("mcp_servers", "d")] == {"command": "s", "tools": {"put": {"approval_mode": "prompt"}}}
    assert values[("mcp_servers", "e")] == {"command": "s", "default_tools_approval_mode": "prompt"}


def test_a_personal_rule_switches_a_server_of_the_project_off_for_the_person(source: SmallSource) -> None:
    servers = {"a": {"command": "s", "args": ["x"]}, "b": {"command": "t"}}
    source.write(source.project / ".mcp.json", {"mcpServers": servers})
    _write(source, "user", {"deny": ["mcp__a__write"]}, enableAllProjectMcpServers=True)
    _write(source, "project", {}, enableAllProjectMcpServers=True)
    _tree, rendered = _render(source)
    assert _keys(rendered, "user") == {("mcp_servers", "a"): {"command": "s", "args": ["x"], "enabled": False}}
    assert set(_keys(rendered, "project")) == {("mcp_servers", "a"), ("mcp_servers", "b")}
    assert any("is switched off for you" in delta for delta in rendered.deltas)


def test_a_committed_rule_about_a_server_of_the_person_is_named(source: SmallSource) -> None:
    source.write(source.home / ".claude.json", {"mcpServers": {"a": {"command": "s"}}})
    _write(source, "project", {"deny": ["mcp__a__write"]})
    assert any("cannot be held for `mcp:a@user`" in delta for delta in _render(source)[1].deltas)
