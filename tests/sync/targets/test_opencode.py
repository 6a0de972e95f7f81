"""What is rendered for OpenCode from small sources, without OpenCode."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.sync.formats import jsonc
from sightline.sync.formats.frontmatter import read
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.model import SourceTree
from sightline.sync.outputs import Grade, OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Permissions, is_at_most
from sightline.sync.source import read_source_tree
from sightline.sync.source.known_keys import AGENT_FIELDS, MCP_FIELDS, SKILL_FIELDS
from sightline.sync.targets.codex import CodexTarget
from sightline.sync.targets.gemini import GeminiTarget
from sightline.sync.targets.opencode import SKILL_FATES, OpenCodeTarget
from sightline.sync.targets.opencode_agents import AGENT_FATES
from sightline.sync.targets.opencode_commands import COMMAND_FATES
from sightline.sync.targets.opencode_decisions import DEFAULTS, limit, verdict
from sightline.sync.targets.opencode_mcp import MCP_FATES
from sightline.sync.targets.opencode_wildcards import OrderedRule, decide, flatten, matches, merged, overlap
from sightline.sync.targets.servers import name_servers
from tests.sync.hard_project import make_hard_project
from tests.sync.source.trees import SmallSource

BOTH: frozenset[OutputScope] = frozenset({"user", "project"})


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())


def _render(source: SmallSource, scopes: frozenset[OutputScope] = BOTH, **variables: str) -> Rendered:
    return OpenCodeTarget().render(source.read(), TargetPlaces(source.project, source.home, variables), scopes)


def _file(rendered: Rendered, path: Path) -> bytes | None:
    found = (each.content for each in rendered.outputs if isinstance(each, OwnedFile) and each.path == path)
    return next(found, None)


def _keys(rendered: Rendered, scope: OutputScope) -> dict[KeyPath, Value]:
    found = (each for each in rendered.outputs if isinstance(each, OwnedKeys) and each.scope == scope)
    return {path: value for each in found for path, value in each.values.items()}


def _config(rendered: Rendered, scope: OutputScope) -> Value:
    """The file as it would be written anew."""
    return json.loads(jsonc.set_values(b"", _keys(rendered, scope)).content or b"{}")


def _rules(rendered: Rendered, home: Path) -> list[OrderedRule]:
    joined: Any = merged(_config(rendered, "user"), _config(rendered, "project"))
    return [*DEFAULTS, *flatten(joined.get("permission", {}), home.as_posix())]


def _grade(rendered: Rendered, item_id: str, field: str = "") -> Grade | None:
    return next((each.grade for each in rendered.ledger if (each.item_id, each.field) == (item_id, field)), None)


def _wider(tree: SourceTree, rendered: Rendered, project: Path, home: Path, mode: str) -> list[tuple[str, str, str]]:
    rules, servers = _rules(rendered, home), name_servers(tree)
    permissions = Permissions(tree.permissions, project, home, mode=mode)
    return [
        (action.value, answer.value, claude.value)
        for action in sample_actions(tree.permissions, cwd=project)
        if not is_at_most(
            answer := verdict(rules, action, (project, home), servers), claude := limit(permissions, action)
        )
    ]


def test_every_item_has_a_line_and_every_output_stays_in_its_scope(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True)
    tree = read_source_tree(hard.places)
    rendered = OpenCodeTarget().render(tree, TargetPlaces(hard.project, hard.home, {}), BOTH)
    assert {item.item_id for item in tree.items()} <= {line.item_id for line in rendered.ledger}
    for output in rendered.outputs:
        assert output.path.is_relative_to(hard.project if output.scope == "project" else hard.home)
        assert ".." not in output.path.parts


def test_nothing_private_is_in_a_committed_output(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    places = TargetPlaces(hard.project, hard.home, {})
    rendered = OpenCodeTarget().render(read_source_tree(hard.places), places, BOTH)
    committed = b"".join(_bytes(each) for each in rendered.outputs if each.scope == "project").decode()
    for personal in ("PRIVATE:", "PERSONAL:", "local-only", "user-only", "plugin_kit", "terraform", str(hard.home)):
        assert personal not in committed


def _bytes(output: OwnedFile | OwnedKeys | OwnedBlock) -> bytes:
    match output:
        case OwnedFile():
            return output.content
        case OwnedKeys():
            return json.dumps([(list(path), value) for path, value in output.values.items()]).encode()
        case OwnedBlock():
            return output.text.encode()


def test_no_secret_is_in_any_output(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_secrets=True)
    places = TargetPlaces(hard.project, hard.home, {})
    rendered = OpenCodeTarget().render(read_source_tree(hard.places), places, BOTH)
    written = b"".join(_bytes(each) for each in rendered.outputs) + repr(rendered.ledger).encode()
    for secret in (*hard.secrets, *hard.environment.values()):
        assert secret.encode() not in written


def test_what_several_targets_write_is_the_same_for_all(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True)
    tree, places = read_source_tree(hard.places), TargetPlaces(hard.project, hard.home, {})
    seen: dict[tuple[Path, str], bytes] = {}
    shared = 0
    for target in (CodexTarget(), GeminiTarget(), OpenCodeTarget()):
        for output in target.render(tree, places, BOTH).outputs:
            key = (output.path, output.block_id if isinstance(output, OwnedBlock) else "")
            shared += key in seen
            assert seen.setdefault(key, _bytes(output)) == _bytes(output), key
    assert shared > 10


def test_text_for_opencode_alone_stands_in_a_block_of_its_own(source: SmallSource) -> None:
    text = "All.\n<!-- sync:opencode-only -->\nAlone.\n<!-- sync:end -->\n"
    source.write(source.project / "CLAUDE.md", text)
    blocks = {each.block_id: each.text for each in _render(source).outputs if isinstance(each, OwnedBlock)}
    assert blocks == {"instructions": "All.\n", "opencode": "Alone.\n"}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            {"command": "s", "args": ["a"], "env": {"K": "${J}"}, "cwd": "d", "timeout": 5000},
            {"type": "local", "command": ["s", "a"], "environment": {"K": "{env:J}"}, "cwd": "d", "timeout": 5000},
        ),
        (
            {"type": "http", "url": "https://h/${P}", "headers": {"A": "Bearer ${T}"}},
            {"type": "remote", "url": "https://h/{env:P}", "headers": {"A": "Bearer {env:T}"}},
        ),
        ({"type": "sse", "url": "https://h/x"}, {"type": "remote", "url": "https://h/x"}),
        ({"type": "ws", "url": "wss://h"}, None),
        ({"command": "s", "args": ["${A:-x}"]}, None),
        ({"command": "s", "args": ["{file:~/.ssh/id}"]}, None),
        ({"command": "${CLAUDE_PLUGIN_ROOT}/s"}, None),
    ],
)
def test_servers(source: SmallSource, entry: dict[str, Any], expected: dict[str, Any] | None) -> None:
    source.write(source.home / ".claude.json", {"mcpServers": {"one": entry}})
    rendered = _render(source)
    found = _keys(rendered, "user").get(("mcp", "one"))
    assert found == expected
    assert (_grade(rendered, "mcp:one@user") == "refused") == (expected is None)


def test_a_server_that_is_not_approved_is_switched_off(source: SmallSource) -> None:
    source.write(source.project / ".mcp.json", {"mcpServers": {"no": {"command": "n"}}})
    assert _keys(_render(source), "project")["mcp", "no"] == {"type": "local", "command": ["n"], "enabled": False}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Fix $ARGUMENTS, $0 and $1", "Fix $ARGUMENTS, $1 and $2"),
        ("Costs \\$5 and \\$ARGUMENTS", "Costs ${5} and ${ARGUMENTS}"),
        ("Now: !`git status`", "Now: !`git status`"),
        ("Now: !`curl $0`", "Now: (run first: `curl $1`)"),
        ("Now: !`deploy`", "Now: (run first: `deploy`)"),
        ("In ${CLAUDE_SESSION_ID}", None),
    ],
)
def test_commands(source: SmallSource, text: str, body: str | None) -> None:
    source.write(source.project / ".claude/commands/a/b.md", text)
    rendered = _render(source)
    found = _file(rendered, source.project / ".opencode/commands/a/b.md")
    assert (found.decode() if found is not None else None) == body
    assert (_grade(rendered, "command:a/b@project") == "refused") == (body is None)


def test_an_agent_loses_tools_and_gains_none(source: SmallSource) -> None:
    header = "name: rev\ndescription: d\ntools: Read, Bash(git *)\ncolor: blue\nmaxTurns: 3\npermissionMode: plan"
    source.write(source.project / ".claude/agents/rev.md", f"---\n{header}\n---\nBody.\n")
    content = _file(_render(source), source.project / ".opencode/agents/rev.md")
    assert content is not None
    found: dict[str, Any] = dict(read(content))
    assert set(found) == {"description", "mode", "steps", "permission"}
    assert set(found["permission"].values()) == {"deny"}
    assert {"bash", "edit", "*_*", "webfetch"} <= set(found["permission"])
    assert "read" not in found["permission"]


def test_an_agent_never_takes_the_name_of_a_built_in_one(source: SmallSource) -> None:
    source.write(source.project / ".claude/agents/b.md", "---\nname: build\ndescription: d\n---\nBody.\n")
    names = {each.path.name for each in _render(source).outputs if isinstance(each, OwnedFile)}
    assert "build.md" not in names
    assert len(names) == 1


def test_a_skill_for_people_only_is_denied_to_the_model(source: SmallSource) -> None:
    text = "---\ndescription: d\ndisable-model-invocation: true\n---\nBody.\n"
    source.write(source.project / ".claude/skills/rel/SKILL.md", text)
    rules = _rules(_render(source), source.home)
    assert decide(rules, "skill", "rel") == "deny"
    assert decide(rules, "skill", "other") == "allow"


def test_a_personal_denial_outlasts_a_grant_of_the_project(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"permissions": {"deny": ["Bash(npm publish *)"]}})
    source.write(
        source.project / ".claude/settings.json", {"permissions": {"allow": ["Bash(npm *)"], "ask": ["Bash(npm *)"]}}
    )
    rules = _rules(_render(source), source.home)
    assert decide(rules, "bash", "npm publish --now") == "deny"
    assert decide(rules, "bash", "npm test") == "ask"


def test_own_rules_for_some_tools_keep_the_baseline_away(source: SmallSource) -> None:
    source.write(source.project / "opencode.json", {"permission": {"my_tool": "deny"}})
    source.write(source.project / ".claude/settings.json", {"permissions": {"ask": ["Bash(make *)"]}})
    rendered = _render(source)
    assert ("permission", "*_*") not in _keys(rendered, "project")
    assert any("leave no room" in delta for delta in rendered.deltas)


def test_no_action_of_the_hard_project_is_freer(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    tree = read_source_tree(hard.places)
    rendered = OpenCodeTarget().render(tree, TargetPlaces(hard.project, hard.home, {}), BOTH)
    assert _wider(tree, rendered, hard.project, hard.home, "acceptEdits") == []


_RULES = (
    *("Bash(npm test)", "Bash(npm *)", "Bash(npm run test:*)", "Bash(rm *)", "Bash(rm -rf *)", "Bash(git *)"),
    *("Bash(make* x *)", "Bash", "Bash(ls*)", "Read(.env)", "Read(src/**)", "Edit(/src/**)", "Edit(src/deep/**)"),
    *("Read(~/.ssh/**)", "WebFetch", "WebFetch(domain:example.com)", "mcp__files__read", "mcp__files", "Edit"),
)


@given(
    st.lists(
        st.tuples(st.sampled_from(_RULES), st.sampled_from(("allow", "ask", "deny")), st.integers(0, 2)),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_split_of_rules_over_scopes_is_freer(rules: list[tuple[str, str, int]]) -> None:
    with TemporaryDirectory() as folder:
        source = SmallSource(Path(folder).resolve())
        files = (
            source.config / "settings.json",
            source.project / ".claude/settings.json",
            source.project / ".claude/settings.local.json",
        )
        for number, file in enumerate(files):
            effects = ("allow", "ask", "deny")
            table = {
                effect: [text for text, kind, place in rules if (kind, place) == (effect, number)] for effect in effects
            }
            source.write(file, {"permissions": table})
        tree = source.read()
        places = TargetPlaces(source.project, source.home, {})
        rendered = OpenCodeTarget().render(tree, places, BOTH)
        assert _wider(tree, rendered, source.project, source.home, "default") == []


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("npm test", "npm test *", True),
        ("npm tests", "npm test *", False),
        ("a/b/c", "a/*", True),
        ("abc", "a?c", True),
        ("x\ny", "x*", True),
        ("a.c", "a?d", False),
    ],
)
def test_wildcards(text: str, pattern: str, expected: bool) -> None:
    assert matches(text, pattern) is expected


def test_patterns_overlap_if_a_text_fits_both() -> None:
    assert overlap("npm *", "npm test")
    assert overlap("git *", "git")
    assert overlap("*a", "b*")
    assert not overlap("npm *", "make *")


def test_every_field_of_claude_code_has_a_fate() -> None:
    assert set(AGENT_FATES) == AGENT_FIELDS
    assert set(COMMAND_FATES) == SKILL_FIELDS
    assert set(MCP_FATES) == MCP_FIELDS
    shared = {"name", "description", "when_to_use", "argument-hint", "arguments", "allowed-tools", "license"}
    assert {*SKILL_FATES, *shared, "compatibility", "metadata"} == SKILL_FIELDS


def test_a_rule_of_the_persons_own_that_undoes_ours_is_named(source: SmallSource) -> None:
    """A key keeps its place when files are merged: what stands behind our keys in the person's file wins."""
    rules = {"deny": ["Bash(rm -rf *)", "Read(.env)"]}
    source.write(source.project / ".claude/settings.json", {"permissions": rules})
    assert not any("rules of your own" in delta for delta in _render(source).deltas)
    own = {"permission": {"bash": {"*": "ask"}, "bash*": {}, "bash**": {}, "*": "allow"}}
    source.write(source.home / ".config/opencode/opencode.json", own)
    (delta,) = [delta for delta in _render(source).deltas if "rules of your own" in delta]
    assert "`*`" in delta


@pytest.mark.parametrize("own", ["allow", {"bash": {"*": "allow"}, "bash**": {"rm -rf *": "allow"}}])
@pytest.mark.parametrize("name", ["opencode.json", "opencode.jsonc"])
def test_a_laxer_rule_in_the_file_that_is_merged_last_is_named(source: SmallSource, name: str, own: Any) -> None:
    source.write(source.project / ".claude/settings.json", {"permissions": {"deny": ["Bash(rm -rf *)"]}})
    source.write(source.project / ".opencode" / name, {"permission": own})

    assert any("rules of your own" in delta for delta in _render(source).deltas)


def test_only_a_skill_that_stands_in_claude_code_s_own_folder_is_there_twice(source: SmallSource) -> None:
    installed = source.root / "cache/kit"
    source.write(installed / "skills/a/SKILL.md", "---\nname: a\ndescription: x\n---\nText.\n")
    index = {"version": 2, "plugins": {"kit@m": [{"scope": "user", "installPath": str(installed), "version": "1"}]}}
    source.write(source.config / "plugins/installed_plugins.json", index)
    source.write(source.config / "settings.json", {"enabledPlugins": {"kit@m": True}})
    by_plugin = _render(source)
    source.write(source.config / "skills/b/SKILL.md", "---\nname: b\ndescription: x\n---\nText.\n")
    own = _render(source)

    assert [each.path.parent.name for each in by_plugin.outputs if each.path.name == "SKILL.md"] == ["kit-a"]
    assert not any("one of two wins" in each for each in by_plugin.warnings)
    assert any("one of two wins" in each for each in own.warnings)
