"""What is rendered for Gemini CLI from small sources, without the CLI."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.sync.formats.frontmatter import read
from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.outputs import Grade, OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Permissions, is_at_most
from sightline.sync.source import read_source_tree
from sightline.sync.source.known_keys import AGENT_FIELDS, HOOK_EVENTS, HOOK_FIELDS, MCP_FIELDS, SKILL_FIELDS
from sightline.sync.targets.gemini import SKILL_FATES, GeminiTarget
from sightline.sync.targets.gemini_agents import AGENT_FATES
from sightline.sync.targets.gemini_commands import COMMAND_FATES
from sightline.sync.targets.gemini_hooks import HOOK_FATES, gemini_matcher
from sightline.sync.targets.gemini_mcp import MCP_FATES
from tests.sync.hard_project import fake_secret, make_hard_project
from tests.sync.source.trees import SmallSource
from tests.sync.targets.gemini_rules import verdict_by_files

BOTH: frozenset[OutputScope] = frozenset({"user", "project"})
_SHARED_SKILL_FIELDS = {
    *("name", "description", "when_to_use", "argument-hint", "arguments"),
    *("allowed-tools", "license", "compatibility", "metadata"),
}


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())


def _render(source: SmallSource, scopes: frozenset[OutputScope] = BOTH, **variables: str) -> Rendered:
    return GeminiTarget().render(source.read(), TargetPlaces(source.project, source.home, variables), scopes)


def _file(rendered: Rendered, path: Path) -> bytes:
    return next(each.content for each in rendered.outputs if isinstance(each, OwnedFile) and each.path == path)


def _keys(rendered: Rendered, scope: OutputScope) -> dict[KeyPath, Value]:
    found = (each for each in rendered.outputs if isinstance(each, OwnedKeys) and each.scope == scope)
    return {path: value for each in found for path, value in each.values.items()}


def _grade(rendered: Rendered, item_id: str, field: str = "") -> Grade | None:
    return next((each.grade for each in rendered.ledger if (each.item_id, each.field) == (item_id, field)), None)


def _server(source: SmallSource, entry: dict[str, Any]) -> tuple[Rendered, Any]:
    source.write(source.home / ".claude.json", {"mcpServers": {"one": entry}})
    rendered = _render(source)
    return rendered, _keys(rendered, "user").get(("mcpServers", "one"))


def _command(source: SmallSource, text: str) -> tuple[Rendered, dict[str, Any] | None]:
    source.write(source.project / ".claude/commands/a/b.md", text)
    rendered = _render(source)
    path = source.project / ".gemini/commands/a/b.toml"
    is_there = any(each.path == path for each in rendered.outputs)
    return rendered, tomllib.loads(_file(rendered, path).decode()) if is_there else None


def _agent(source: SmallSource, header: str, body: str = "Body.") -> tuple[Rendered, dict[str, Any] | None]:
    text = f"---\nname: rev\ndescription: d\n{header}\n---\n{body}\n"
    source.write(source.project / ".claude/agents/rev.md", text)
    rendered = _render(source)
    path = source.project / ".gemini/agents/rev.md"
    is_there = any(each.path == path for each in rendered.outputs)
    return rendered, dict(read(_file(rendered, path))) if is_there else None


def test_every_item_has_a_line_and_every_output_stays_in_its_scope(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True)
    tree = read_source_tree(hard.places)
    rendered = GeminiTarget().render(tree, TargetPlaces(hard.project, hard.home, {}), BOTH)
    told = {line.item_id for line in rendered.ledger}
    assert {item.item_id for item in tree.items()} <= told
    for output in rendered.outputs:
        root = hard.project if output.scope == "project" else hard.home
        assert output.path.is_relative_to(root)
        assert ".." not in output.path.parts


def test_nothing_private_is_in_a_committed_output(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    places = TargetPlaces(hard.project, hard.home, {})
    rendered = GeminiTarget().render(read_source_tree(hard.places), places, BOTH)
    committed = [repr(each) for each in rendered.outputs if each.scope == "project"]
    for personal in ("PRIVATE:", "PERSONAL:", "local-only", "user-only", "plugin_kit", "terraform"):
        assert not [text for text in committed if personal in text.replace(hard.home.as_posix(), "")]


def test_no_secret_is_in_any_output(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_secrets=True)
    places = TargetPlaces(hard.project, hard.home, {})
    rendered = GeminiTarget().render(read_source_tree(hard.places), places, BOTH)
    written = b"".join(_bytes(each) for each in rendered.outputs) + repr(rendered.ledger).encode()
    for secret in (*hard.secrets, *hard.environment.values()):
        assert secret.encode() not in written
    assert _grade(rendered, "mcp:leaky@project") == "refused"


def _bytes(output: OwnedFile | OwnedKeys | OwnedBlock) -> bytes:
    match output:
        case OwnedFile():
            return output.content
        case OwnedKeys():
            return json.dumps(list(output.values.values())).encode()
        case OwnedBlock():
            return output.text.encode()


def test_a_rule_for_one_folder_goes_to_the_file_of_that_folder(source: SmallSource) -> None:
    source.write(source.project / ".claude/rules/web.md", "---\npaths: web/**\n---\nTokens.\n")
    source.write(source.project / ".claude/rules/ts.md", '---\npaths: "**/*.ts"\n---\nTypes.\n')
    blocks = {each.path: each.text for each in _render(source).outputs if isinstance(each, OwnedBlock)}
    assert blocks == {
        source.project / "web/GEMINI.md": "Tokens.\n",
        source.project / "GEMINI.md": "For files that match `**/*.ts`:\n\nTypes.\n",
    }


def test_a_renamed_instruction_file_is_reported(source: SmallSource) -> None:
    source.write(source.project / ".gemini/settings.json", {"context": {"fileName": ["NOTES.md"]}})
    assert any("context.fileName" in step for step in _render(source).steps)


def test_a_moved_home_is_honoured(source: SmallSource) -> None:
    source.write(source.config / "CLAUDE.md", "Mine.\n")
    (block,) = _render(source, GEMINI_CLI_HOME=(source.root / "moved").as_posix()).outputs
    assert block.path == source.root / "moved/.gemini/GEMINI.md"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            {"command": "s", "args": ["${A:-x}"], "env": {"K": "${J}"}, "cwd": "d", "timeout": 5000},
            {"command": "s", "args": ["${A:-x}"], "env": {"K": "${J}"}, "cwd": "d", "timeout": 5000},
        ),
        (
            {"type": "http", "url": "https://h/x", "headers": {"A": "Bearer ${T}"}},
            {"httpUrl": "https://h/x", "headers": {"A": "Bearer ${T}"}},
        ),
        ({"type": "sse", "url": "https://h/x"}, {"url": "https://h/x", "type": "sse"}),
        ({"type": "ws", "url": "wss://h"}, None),
        ({"command": "s", "args": ["$HOME"]}, None),
        ({"command": "${CLAUDE_PROJECT_DIR}/s"}, None),
    ],
)
def test_servers(source: SmallSource, entry: dict[str, Any], expected: dict[str, Any] | None) -> None:
    rendered, found = _server(source, entry)
    assert found == expected
    assert (_grade(rendered, "mcp:one@user") == "refused") == (expected is None)


def test_a_server_that_is_not_approved_is_not_written_and_names_have_no_underscore(source: SmallSource) -> None:
    source.write(source.project / ".mcp.json", {"mcpServers": {"no": {"command": "n"}, "my_s": {"command": "y"}}})
    source.write(source.project / ".claude/settings.json", {"enabledMcpjsonServers": ["my_s"]})
    source.write(source.config / "settings.json", {"enabledMcpjsonServers": ["no"]})
    assert _keys(_render(source), "project") == {("mcpServers", "my-s"): {"command": "y"}}


@pytest.mark.parametrize("written", ["@./AGENTS.md", "See @AGENTS.md first.", "@more.md"])
def test_an_import_in_the_person_s_own_file_that_brings_the_text_twice_is_told(
    source: SmallSource, written: str
) -> None:
    source.write(source.project / "CLAUDE.md", "Read.\n")
    source.write(source.project / "AGENTS.md", "Mine.\n")
    source.write(source.project / "more.md", "@./AGENTS.md\n")
    source.write(source.project / "GEMINI.md", f"# Mine\n\n{written}\n")
    told = [each for each in _render(source).warnings if "comes twice" in each]
    assert len(told) == 1
    assert told[0].startswith("Gemini CLI reads `GEMINI.md` and, by `@")
    assert "`AGENTS.md`" in told[0]


@pytest.mark.parametrize(
    "written", ["`@./AGENTS.md`", "```\n@./AGENTS.md\n```", "@nowhere.md", "mail me@AGENTS.md", "@" + "a" * 400 + ".md"]
)
def test_what_is_no_import_is_not_told(source: SmallSource, written: str) -> None:
    source.write(source.project / "CLAUDE.md", "Read.\n")
    source.write(source.project / "AGENTS.md", "Mine.\n")
    source.write(source.project / "GEMINI.md", f"{written}\n")
    assert not [each for each in _render(source).warnings if "comes twice" in each]


def test_a_denied_tool_is_also_taken_from_its_server(source: SmallSource) -> None:
    source.write(source.home / ".claude.json", {"mcpServers": {"f": {"command": "f"}}})
    source.write(source.config / "settings.json", {"permissions": {"deny": ["mcp__f__rm"]}})
    assert _keys(_render(source), "user")["mcpServers", "f"] == {"command": "f", "excludeTools": ["rm"]}


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Fix $ARGUMENTS now", "Fix {{args}} now"),
        ("Costs \\$5 and \\$ARGUMENTS", "Costs $5 and $ARGUMENTS"),
        ("See @docs/a.md and me@x.org", "See @{docs/a.md} and me@x.org"),
        ("Now: !`git status`", "Now: !{git status}"),
        ("Take $1", "Take (argument 2)\n\nArguments, in order: {{args}}\n"),
        ("Run !{rm}", None),
        ("Use !`echo $1`", None),
        ("In ${CLAUDE_SESSION_ID}", None),
    ],
)
def test_commands(source: SmallSource, text: str, prompt: str | None) -> None:
    rendered, found = _command(source, text)
    assert (found or {}).get("prompt") == prompt
    assert (_grade(rendered, "command:a/b@project") == "refused") == (prompt is None)


@pytest.mark.parametrize(
    ("header", "tools"),
    [
        ("color: blue", None),
        ("tools: Read, Grep, Bash(git *)", ["read_file", "grep_search"]),
        ("tools: mcp__f__x, mcp__other__y, Read", ["read_file"]),
        ("tools: Read, Bash, Edit\npermissionMode: plan", ["read_file"]),
        ("tools: '*'", None),
        ("tools: Read, Bash\ndisallowedTools: Bash(rm *)", ["read_file"]),
    ],
)
def test_agents_have_known_keys_and_tools_only(source: SmallSource, header: str, tools: list[str] | None) -> None:
    _rendered, found = _agent(source, header)
    assert found is not None
    assert found.get("tools") == tools
    assert set(found) <= {"name", "description", "tools", "max_turns"}


def test_an_agent_without_any_tool_left_is_refused_and_inputs_are_not_invented(source: SmallSource) -> None:
    rendered, found = _agent(source, "tools: Bash(git *)")
    assert found is None
    assert _grade(rendered, "agent:rev@project") == "refused"
    _agent(source, "color: red", "Use ${HOME}.")
    assert b"Use $HOME." in _file(_render(source), source.project / ".gemini/agents/rev.md")


@pytest.mark.parametrize(
    ("event", "matcher", "expected"),
    [
        ("PreToolUse", "Bash", "^(run_shell_command)$"),
        ("PreToolUse", "Edit|Write", "^(replace|write_file)$"),
        ("PreToolUse", "mcp__.*", "^mcp_.*"),
        ("PreToolUse", "*", ""),
        ("PreToolUse", "Ba.*", None),
        ("PreToolUse", "Task", None),
        ("SessionStart", "startup", "startup"),
        ("SessionStart", "compact", None),
    ],
)
def test_matchers(event: str, matcher: str, expected: str | None) -> None:
    assert gemini_matcher(event, matcher) == expected


def test_hooks_have_geminis_events_and_milliseconds(source: SmallSource) -> None:
    hook = {"type": "command", "command": "./c.sh", "args": ["a b"], "timeout": 3}
    table = {"PreToolUse": [{"matcher": "Bash", "hooks": [hook, {"type": "prompt", "prompt": "x"}]}]}
    source.write(source.project / ".claude/settings.json", {"hooks": table})
    rendered = _render(source)
    command = {"type": "command", "command": "./c.sh 'a b'", "timeout": 3000}
    expected = {"matcher": "^(run_shell_command)$", "hooks": [command]}
    assert _keys(rendered, "project") == {("hooks", "BeforeTool", entry_step(expected)): expected}
    assert any("does not guard" in delta for delta in rendered.deltas)


def test_a_grant_of_a_project_never_reaches_the_users_policies(source: SmallSource) -> None:
    rules = {"permissions": {"allow": ["Bash(make *)"], "deny": ["Bash(rm *)"]}}
    source.write(source.project / ".claude/settings.json", rules)
    (output,) = _render(source).outputs
    assert isinstance(output, OwnedFile)
    assert output.scope == "user"
    assert {rule["decision"] for rule in tomllib.loads(output.content.decode())["rule"]} == {"deny"}
    only_project = _render(source, frozenset({"project"}))
    assert only_project.outputs == ()
    assert any("laxer" in delta for delta in only_project.deltas)


@pytest.mark.parametrize("pattern", ["* --no-verify*", "*--no-verify*"])
def test_a_deny_of_a_word_anywhere_does_not_deny_every_command(source: SmallSource, pattern: str) -> None:
    source.write(source.config / "settings.json", {"permissions": {"deny": [f"Bash({pattern})"]}})
    rendered = _render(source)
    policies = [each.content for each in rendered.outputs if isinstance(each, OwnedFile)]
    rules = [rule for each in policies for rule in tomllib.loads(each.decode())["rule"] if rule["decision"] == "deny"]

    assert rules
    for command, is_denied in (("git commit --no-verify -m x", True), ("git status", False)):
        found = [re.search(f'"command":"{rule["commandRegex"]}', f'{{"command":"{command}"}}') for rule in rules]
        assert any(found) is is_denied


def test_no_action_is_freer_by_the_text_of_the_policies(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    tree = read_source_tree(hard.places)
    rendered = GeminiTarget().render(tree, TargetPlaces(hard.project, hard.home, {}), BOTH)
    files = [
        each.content for each in rendered.outputs if isinstance(each, OwnedFile) and each.path.parent.name == "policies"
    ]
    permissions = Permissions(tree.permissions, hard.project, hard.home)
    wider = [
        (action.value, permissions.decide(action).verdict.value)
        for action in sample_actions(tree.permissions, cwd=hard.project)
        if not is_at_most(verdict_by_files(files, action, hard.home, hard.project), permissions.decide(action).verdict)
    ]
    assert wider == []


_RULES = (
    *("Bash(npm test)", "Bash(npm *)", "Bash(npm run test:*)", "Bash(rm *)", "Bash(rm -rf *)", "Bash(git *)"),
    *("Bash(make* x *)", "Bash", "Bash(ls*)", "Read(.env)", "Read(src/**)", "Edit(/src/**)", "Edit(src/deep/**)"),
    *("Read(~/.ssh/**)", "WebFetch", "WebFetch(domain:example.com)", "mcp__files__read", "mcp__files", "Edit", "Read"),
)
_CHOICES = st.tuples(st.sampled_from(_RULES), st.sampled_from(("allow", "ask", "deny")), st.integers(0, 2))


@given(st.lists(_CHOICES, max_size=8))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_split_of_rules_over_scopes_is_freer(rules: list[tuple[str, str, int]]) -> None:
    with TemporaryDirectory() as folder:
        source = SmallSource(Path(folder).resolve())
        local = source.project / ".claude/settings.local.json"
        for number, file in enumerate((source.config / "settings.json", local.with_name("settings.json"), local)):
            table = {
                effect: [text for text, kind, place in rules if (kind, place) == (effect, number)]
                for effect in ("allow", "ask", "deny")
            }
            source.write(file, {"permissions": table})
        tree = source.read()
        files = [each.content for each in _render(source).outputs if isinstance(each, OwnedFile)]
        permissions = Permissions(tree.permissions, source.project, source.home)
        wider = [
            (action.value, permissions.decide(action).verdict.value)
            for action in sample_actions(tree.permissions, cwd=source.project)
            if not is_at_most(
                verdict_by_files(files, action, source.home, source.project), permissions.decide(action).verdict
            )
        ]
        assert wider == []


def test_a_rule_with_a_secret_is_refused_and_said_to_be(source: SmallSource) -> None:
    token = fake_secret("github")
    source.write(source.config / "settings.json", {"permissions": {"deny": [f"Bash(use {token})"]}})
    rendered = _render(source)
    assert rendered.outputs == ()
    assert any("cannot be written" in delta for delta in rendered.deltas)


def test_every_field_of_claude_code_has_a_fate() -> None:
    assert set(AGENT_FATES) == AGENT_FIELDS
    assert set(COMMAND_FATES) == SKILL_FIELDS
    assert {*SKILL_FATES, *_SHARED_SKILL_FIELDS} == SKILL_FIELDS
    assert set(MCP_FATES) == MCP_FIELDS
    assert set(HOOK_FATES) == HOOK_FIELDS


def test_every_event_has_a_line(source: SmallSource) -> None:
    entry = [{"hooks": [{"type": "command", "command": "x"}]}]
    source.write(source.project / ".claude/settings.json", {"hooks": dict.fromkeys(sorted(HOOK_EVENTS), entry)})
    rendered = _render(source)
    told = {line.item_id.split(":")[1] for line in rendered.ledger if line.item_id.startswith("hook:")}
    assert told == HOOK_EVENTS


def test_no_word_behind_an_at_sign_is_taken_for_an_import(source: SmallSource) -> None:
    """Gemini CLI would put `<!-- Import failed … -->` in its place, in indented code and behind `~~~` as well."""
    source.write(source.project / "more.md", "More.\n")
    text = "@more.md\n\nTag it @smoke, see\n@scope/pkg or mail a@b.example; `@kept` stays.\n\n```py\n@kept\n```\n"
    source.write(source.project / "CLAUDE.md", f"{text}\n    @app.route\n\n~~~\n@x\n~~~\nat @ 5, @5 and @~/x\n")

    (block,) = (each for each in _render(source).outputs if isinstance(each, OwnedBlock))

    assert block.text == (
        "More.\n\nTag it \\@smoke, see\n\\@scope/pkg or mail a@b.example; `@kept` stays.\n\n```py\n@kept\n```\n"
        "\n    \\@app.route\n\n~~~\n\\@x\n~~~\nat @ 5, @5 and @~/x\n"
    )
