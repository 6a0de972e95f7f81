"""What is rendered for Codex from small sources: text, skills, commands, agents, servers, hooks, and the ledger."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.outputs import Grade, OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.source import read_source_tree
from sightline.sync.source.known_keys import AGENT_FIELDS, HOOK_EVENTS, HOOK_FIELDS, MCP_FIELDS, SKILL_FIELDS
from sightline.sync.targets.codex import CodexTarget
from sightline.sync.targets.codex_agents import AGENT_GRADES
from sightline.sync.targets.codex_hooks import EVENTS
from tests.sync.hard_project import fake_secret, make_hard_project
from tests.sync.source.trees import SmallSource
from tests.sync.targets.materialise import materialise

BOTH: frozenset[OutputScope] = frozenset({"user", "project"})


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())


def _render(source: SmallSource, scopes: frozenset[OutputScope] = BOTH, **variables: str) -> Rendered:
    return CodexTarget().render(source.read(), TargetPlaces(source.project, source.home, variables), scopes)


def _files(rendered: Rendered) -> dict[str, bytes]:
    return {each.path.as_posix(): each.content for each in rendered.outputs if isinstance(each, OwnedFile)}


def _keys(rendered: Rendered, scope: OutputScope, file: str = "config.toml") -> dict[KeyPath, Value]:
    found = [each for each in rendered.outputs if isinstance(each, OwnedKeys) and each.scope == scope]
    return {path: value for each in found if each.path.name == file for path, value in each.values.items()}


def _grade(rendered: Rendered, item_id: str, field: str = "") -> Grade | None:
    return next((each.grade for each in rendered.ledger if (each.item_id, each.field) == (item_id, field)), None)


def _servers(source: SmallSource, servers: dict[str, Any], *, scope: OutputScope = "user") -> Rendered:
    if scope == "user":
        source.write(source.home / ".claude.json", {"mcpServers": servers})
    else:
        source.write(source.project / ".mcp.json", {"mcpServers": servers})
        source.write(source.config / "settings.json", {"enableAllProjectMcpServers": True})
    return _render(source)


def _hooks(source: SmallSource, event: str, *hooks: dict[str, Any], matcher: str = "") -> Rendered:
    table = {event: [{"matcher": matcher, "hooks": list(hooks)}]}
    source.write(source.project / ".claude/settings.json", {"hooks": table})
    return _render(source)


def test_every_item_of_the_hard_project_has_a_line_and_every_output_its_scope(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True, with_secrets=True)
    tree = read_source_tree(hard.places)
    rendered = CodexTarget().render(tree, TargetPlaces(hard.project, hard.home, {}), BOTH)
    assert {line.item_id for line in rendered.ledger if not line.field} == {item.item_id for item in tree.items()}
    for output in rendered.outputs:
        root = hard.project if output.scope == "project" else hard.home
        assert output.path.is_relative_to(root)
        assert ".." not in output.path.parts
        assert not output.path.is_relative_to(hard.home / ".claude")
    materialise(rendered)
    committed = b"".join(output.path.read_bytes() for output in rendered.outputs if output.scope == "project")
    everything = committed + repr(rendered).encode()
    assert not any(word in committed for word in (b"PRIVATE", b"PERSONAL", b"EXCLUDED"))
    assert not any(secret.encode() in everything for secret in hard.secrets)
    assert not any(value.encode() in everything for value in hard.environment.values())


def test_only_the_scopes_that_are_asked_for_are_rendered_and_each_as_in_the_whole(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    tree = read_source_tree(hard.places)
    places = TargetPlaces(hard.project, hard.home, {})
    whole = CodexTarget().render(tree, places, BOTH).outputs
    for scope in ("user", "project"):
        alone = CodexTarget().render(tree, places, frozenset({scope})).outputs
        assert set(map(repr, alone)) == {repr(each) for each in whole if each.scope == scope}


def test_a_second_rendering_is_the_same_and_changes_no_byte(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_foreign=True, with_hostile_names=True)
    places = TargetPlaces(hard.project, hard.home, {})
    first = CodexTarget().render(read_source_tree(hard.places), places, BOTH)
    materialise(first)
    before = {output.path: output.path.read_bytes() for output in first.outputs}
    second = CodexTarget().render(read_source_tree(hard.places), places, BOTH)
    materialise(second)
    assert repr(second) == repr(first)
    assert {output.path: output.path.read_bytes() for output in second.outputs} == before
    assert b"# mine: keep\n" in before[hard.home / ".codex/config.toml"]


def test_user_text_goes_to_the_home_of_codex_wherever_that_is(source: SmallSource) -> None:
    source.write(source.config / "CLAUDE.md", "mine\n")
    rendered = _render(source, CODEX_HOME=(source.root / "moved").as_posix())
    (block,) = rendered.outputs
    assert isinstance(block, OwnedBlock)
    assert (block.path, block.text) == (source.root / "moved/AGENTS.md", "mine\n")


def test_a_rule_for_some_files_says_so(source: SmallSource) -> None:
    source.write(source.project / ".claude/rules/a.md", "---\npaths: src/**\n---\nBe brief.\n")
    rendered = _render(source)
    (block,) = rendered.outputs
    assert isinstance(block, OwnedBlock)
    assert block.text == "Only for files that match `src/**`:\n\nBe brief.\n"
    assert _grade(rendered, "rule:a@project", "paths") == "approximated"


def test_text_for_codex_alone_stands_in_a_block_of_its_own(source: SmallSource) -> None:
    tagged = [f"<!-- sync:{name}-only -->\n{name}.\n<!-- sync:end -->\n" for name in ("codex", "gemini")]
    text = "All.\n\n" + "".join(tagged)
    source.write(source.project / "CLAUDE.md", text)
    blocks = [each for each in _render(source).outputs if isinstance(each, OwnedBlock)]
    assert [(each.block_id, each.text) for each in blocks] == [("instructions", "All.\n"), ("codex", "codex.\n")]


def test_a_fence_left_open_is_closed(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "~~~sh\nls\n")
    source.write(source.project / ".claude/rules/a.md", "Next.\n")
    rendered = _render(source)
    (block,) = rendered.outputs
    assert isinstance(block, OwnedBlock)
    assert block.text == "~~~sh\nls\n~~~\n\nNext.\n"
    materialise(rendered)


def test_too_much_text_and_an_override_are_reported(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "word " * 6000)
    source.write(source.project / "AGENTS.md", "foreign " * 500)
    source.write(source.project / "AGENTS.override.md", "x")
    warnings = "\n".join(_render(source).warnings)
    assert "34000 bytes" in warnings or "34001 bytes" in warnings
    assert "AGENTS.override.md" in warnings


def test_unread_instructions_leave_the_block_alone(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", b"\xff\xfe broken")
    source.write(source.project / ".claude/rules/a.md", "Fine.\n")
    assert source.read().blocked_kinds
    assert not [each for each in _render(source).outputs if isinstance(each, OwnedBlock)]


def test_a_skill_is_copied_whole_with_a_portable_header(source: SmallSource) -> None:
    head = "---\ndescription: Ship\nallowed-tools: Bash\nlicense: MIT\ndisable-model-invocation: true\n---\n"
    skill = source.project / ".claude/skills/Ship It"
    source.write(skill / "SKILL.md", head + "Run ${CLAUDE_SKILL_DIR}/go.sh $0, \\$5.\n\n```sh\necho $1 \\$2\n```\n")
    source.write(skill / "go.sh", "#!/bin/sh\n").chmod(0o755)
    rendered = _render(source)
    files = _files(rendered)
    root = f"{source.project}/.agents/skills/ship-it"
    assert set(files) == {f"{root}/SKILL.md", f"{root}/go.sh", f"{root}/agents/openai.yaml"}
    text = files[f"{root}/SKILL.md"].decode()
    assert text.startswith("---\nname: ship-it\ndescription: Ship\nlicense: MIT\n---\nRun ./go.sh <argument 1>, $5.\n")
    assert "\n```sh\necho $1 \\$2\n```\n" in text
    assert {each.mode for each in rendered.outputs if isinstance(each, OwnedFile) and each.path.suffix == ".sh"} == {
        0o755
    }
    assert files[f"{root}/agents/openai.yaml"] == b"policy:\n  allow_implicit_invocation: false\n"
    assert _grade(rendered, "skill:Ship It@project", "allowed-tools") == "refused"


def test_a_skill_without_substitutions_keeps_its_text(source: SmallSource) -> None:
    body = "Costs $HOME and ${X}, `\\d`, $x.\n"
    source.write(source.project / ".claude/skills/a/SKILL.md", f"---\ndescription: d\n---\n{body}")
    (content,) = _files(_render(source)).values()
    assert content.decode().endswith(f"---\n{body}")


def test_a_skill_that_already_lives_in_the_shared_folder_is_left_alone(source: SmallSource) -> None:
    real = source.write(source.project / ".agents/skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\nText\n")
    link = source.project / ".claude/skills/a"
    link.parent.mkdir(parents=True)
    link.symlink_to(real.parent)
    rendered = _render(source)
    assert rendered.outputs == ()
    assert _grade(rendered, "skill:a@project") == "exact"


def test_a_linked_skill_from_outside_is_not_committed(source: SmallSource) -> None:
    real = source.write(source.home / "mine/SKILL.md", "---\ndescription: d\n---\nPRIVATE\n")
    link = source.project / ".claude/skills/a"
    link.parent.mkdir(parents=True)
    link.symlink_to(real.parent)
    rendered = _render(source)
    assert rendered.outputs == ()
    assert _grade(rendered, "skill:a@project") == "refused"


def test_a_command_becomes_a_skill_that_only_the_user_calls(source: SmallSource) -> None:
    source.write(source.project / ".claude/commands/db/up.md", "Migrate $ARGUMENTS, then $1, not \\$1. !`make x`\n")
    files = _files(_render(source))
    root = f"{source.project}/.codex/skills/db-up"
    text = files[f"{root}/SKILL.md"].decode()
    assert "Migrate <arguments>, then <argument 2>, not $1. !`make x`\n" in text
    assert "Run each command" in text
    assert b"allow_implicit_invocation: false" in files[f"{root}/agents/openai.yaml"]


def test_names_that_become_one_stay_two(source: SmallSource) -> None:
    for name in ("fix", "FIX", "f ix", "f-ix"):
        source.write(source.project / f".claude/commands/{name}.md", f"{name}\n")
    names = {Path(file).parent.name for file in _files(_render(source)) if file.endswith("SKILL.md")}
    assert len(names) == 4
    assert {"fix", "f-ix"} <= names


def test_an_agent_has_known_keys_only(source: SmallSource) -> None:
    fields = "name: rev\ndescription: d\ntools: Read, Grep\nmodel: opus\neffort: max\ncolor: blue\nmaxTurns: 3\n"
    source.write(source.project / ".claude/agents/x.md", f"---\n{fields}---\nYou review.\n")
    rendered = _render(source)
    ((file, content),) = _files(rendered).items()
    assert file == f"{source.project}/.codex/agents/rev.toml"
    assert tomllib.loads(content.decode()) == {
        "name": "rev",
        "description": "d",
        "developer_instructions": "You review.\n",
        "model_reasoning_effort": "xhigh",
        "sandbox_mode": "read-only",
    }
    assert any("more tools" in delta for delta in rendered.deltas)


@pytest.mark.parametrize("mode", ["bypassPermissions", "acceptEdits", "auto", "dontAsk"])
def test_no_mode_of_an_agent_opens_anything(source: SmallSource, mode: str) -> None:
    source.write(
        source.project / ".claude/agents/x.md", f"---\nname: a\ndescription: d\npermissionMode: {mode}\n---\nT\n"
    )
    (content,) = _files(_render(source)).values()
    assert set(tomllib.loads(content.decode())) == {"name", "description", "developer_instructions"}


def test_servers_are_told_in_the_forms_that_codex_knows(source: SmallSource) -> None:
    rendered = _servers(
        source,
        {
            "local": {"command": "s", "args": ["-x"], "env": {"A": "${A}", "B": "b"}, "cwd": "d", "timeout": 1500},
            "web": {
                "type": "http",
                "url": "https://x.example/mcp",
                "headers": {"Authorization": "Bearer ${T}", "X-K": "${K}", "X-S": "fixed"},
                "oauth": {"clientId": "c", "callbackPort": 81, "scopes": "a b", "authServerMetadataUrl": "u"},
                "headersHelper": "./h.sh",
            },
        },
    )
    assert _keys(rendered, "user") == {
        ("mcp_servers", "local"): {
            "command": "s",
            "args": ["-x"],
            "cwd": "d",
            "env_vars": ["A"],
            "env": {"B": "b"},
            "tool_timeout_sec": 1.5,
        },
        ("mcp_servers", "web"): {
            "url": "https://x.example/mcp",
            "bearer_token_env_var": "T",
            "http_headers": {"X-S": "fixed"},
            "env_http_headers": {"X-K": "K"},
            "http_headers_helper": "./h.sh",
            "oauth": {"client_id": "c", "callback_port": 81},
            "scopes": ["a", "b"],
        },
    }
    assert _grade(rendered, "mcp:web@user", "oauth") == "approximated"


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "sse", "url": "https://x.example"},
        {"type": "ws", "url": "wss://x.example"},
        {"command": "${BIN}/s"},
        {"command": "s", "args": ["${X}"]},
        {"command": "s", "cwd": "${X}"},
        {"command": "s", "env": {"A": "${B}"}},
        {"command": "s", "env": {"A": "${A:-d}"}},
        {"command": "s", "env": {"A": "pre-${A}"}},
        {"type": "http", "url": "https://${H}/x"},
        {"type": "http", "url": "https://x.example", "headers": {"A": "a ${X}"}},
        {"type": "http", "url": "https://x.example", "headers": {"A": "${X:-d}"}},
        {"type": "http", "url": "https://x.example", "headers": {"Authorization": "Basic ${X}"}},
        {"type": "http", "url": "https://x.example", "headers": {"X-Other": "Bearer ${X}"}},
        {"type": "http", "url": "ftp://x.example"},
    ],
)
def test_a_server_that_codex_cannot_be_told_about_is_refused(source: SmallSource, entry: dict[str, Any]) -> None:
    rendered = _servers(source, {"a": entry, "ok": {"command": "fine"}})
    assert set(_keys(rendered, "user")) == {("mcp_servers", "ok")}
    assert _grade(rendered, "mcp:a@user") == "refused"


def test_an_address_never_stands_beside_fields_of_a_command(source: SmallSource) -> None:
    entries = {
        "a": {"type": "http", "url": "https://x.example", "env": {"A": "b"}},
        "b": {"type": "http", "url": "https://x.example", "command": "s"},
        "c": {"command": "s", "headers": {"A": "b"}},
        "d": {"command": "s", "url": "https://x.example"},
    }
    for table in _keys(_servers(source, entries), "user").values():
        assert isinstance(table, dict)
        assert not ({"url", "http_headers"} & set(table) and {"command", "env", "args", "cwd"} & set(table))


def test_a_server_without_approval_is_switched_off(source: SmallSource) -> None:
    source.write(source.project / ".mcp.json", {"mcpServers": {"a": {"command": "s"}}})
    assert _keys(_render(source), "project") == {("mcp_servers", "a"): {"command": "s", "enabled": False}}


def test_a_user_server_that_would_mix_with_the_projects_is_refused(source: SmallSource) -> None:
    user = {
        "a": {"command": "u", "args": ["x"]},
        "b": {"type": "http", "url": "https://x.example"},
        "c": {"command": "u"},
    }
    source.write(source.home / ".claude.json", {"mcpServers": user})
    rendered = _servers(source, {name: {"command": "p"} for name in "abc"}, scope="project")
    assert set(_keys(rendered, "user")) == {("mcp_servers", "c")}
    assert len(_keys(rendered, "project")) == 3
    assert _grade(rendered, "mcp:b@user") == "refused"


def test_a_secret_refuses_the_item_and_is_named_by_place(source: SmallSource) -> None:
    secret = fake_secret("github")
    rendered = _servers(source, {"a": {"command": "s", "env": {"TOKEN": secret}}, "b": {"command": "t"}})
    assert set(_keys(rendered, "user")) == {("mcp_servers", "b")}
    assert secret not in repr(rendered)
    (line,) = [each for each in rendered.ledger if each.item_id == "mcp:a@user"]
    assert (line.grade, "env.TOKEN" in line.reason) == ("refused", True)


def test_server_names_are_valid_and_distinct(source: SmallSource) -> None:
    names = ["my server", "my_server", "../x", "a.b", '"]\n[evil']
    found = [str(path[1]) for path in _keys(_servers(source, {name: {"command": "s"} for name in names}), "user")]
    assert len(set(found)) == len(names)
    assert "my_server" in found
    assert all(name.replace("-", "").replace("_", "").isalnum() for name in found)


def test_hooks_keep_their_form_and_lose_what_codex_has_not(source: SmallSource) -> None:
    hook = {
        "type": "command",
        "command": "fmt",
        "args": ["-w", "a b"],
        "timeout": 2.5,
        "if": "Bash(git *)",
        "once": True,
    }
    rendered = _hooks(source, "PreToolUse", hook, {"type": "prompt", "prompt": "?"}, matcher="Edit, Write")
    group = {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "fmt -w 'a b'", "timeout": 3}]}
    assert _keys(rendered, "project", "hooks.json") == {("hooks", "PreToolUse", entry_step(group)): group}
    assert any("fires more often" in delta for delta in rendered.deltas)
    assert any("can stop nothing" in delta for delta in rendered.deltas)
    assert any("/hooks" in step for step in rendered.steps)
    assert any("trust" in step for step in rendered.steps)


@pytest.mark.parametrize(
    "hook",
    [
        {"type": "http", "url": "https://x.example"},
        {"type": "agent", "prompt": "p"},
        {"type": "mcp_tool", "server": "nowhere", "tool": "t"},
        {"type": "command", "command": "x", "shell": "powershell"},
        {"type": "command", "command": "${CLAUDE_PLUGIN_DATA}/x"},
    ],
)
def test_hooks_that_codex_would_not_run_are_not_written(source: SmallSource, hook: dict[str, Any]) -> None:
    assert not _keys(_hooks(source, "Stop", hook), "project", "hooks.json")


def test_a_personal_hook_that_could_stop_something_is_named(source: SmallSource) -> None:
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}
    source.write(source.project / ".claude/settings.local.json", {"hooks": hooks})
    rendered = _render(source)
    assert rendered.outputs == ()
    assert any("can stop nothing" in delta for delta in rendered.deltas)


def test_a_matcher_beyond_codex_is_not_written(source: SmallSource) -> None:
    hook = {"type": "command", "command": "x"}
    assert not _keys(_hooks(source, "PreToolUse", hook, matcher="^(?!Bash).*"), "project", "hooks.json")


def test_the_project_folder_of_a_hook_is_asked_from_git(source: SmallSource) -> None:
    rendered = _hooks(source, "Stop", {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/x.sh'})
    assert json.dumps(list(_keys(rendered, "project", "hooks.json").values())).count("rev-parse") == 1


def test_switched_off_hooks_are_not_written(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"disableAllHooks": True})
    assert not _keys(_hooks(source, "Stop", {"type": "command", "command": "x"}), "project", "hooks.json")


def test_every_field_of_a_skill_a_command_and_an_agent_has_a_line(source: SmallSource) -> None:
    skill = "".join(f"{key}: x\n" for key in sorted(SKILL_FIELDS))
    agent = "".join(f"{key}: x\n" for key in sorted(AGENT_FIELDS))
    source.write(source.project / ".claude/skills/x/SKILL.md", f"---\n{skill}---\nText\n")
    source.write(source.project / ".claude/commands/y.md", f"---\n{skill}---\nText\n")
    source.write(source.project / ".claude/agents/x.md", f"---\n{agent}---\nText\n")
    rendered = _render(source)
    for kind, fields in (("skill:x", SKILL_FIELDS), ("command:y", SKILL_FIELDS), ("agent:x", AGENT_FIELDS)):
        lines = {line.field: line for line in rendered.ledger if line.item_id == f"{kind}@project"}
        assert set(lines) >= fields
        assert not [name for name in fields if "does not know" in lines[name].reason]
    assert set(AGENT_GRADES) == AGENT_FIELDS


def test_every_field_of_a_server_has_a_line(source: SmallSource) -> None:
    stdio = {
        "type": "stdio",
        "command": "c",
        "args": ["a"],
        "env": {"A": "b"},
        "cwd": "d",
        "alwaysLoad": True,
        "timeout": 5,
    }
    web = {
        "type": "http",
        "url": "https://x.example",
        "headers": {"A": "b"},
        "headersHelper": "h",
        "oauth": {"clientId": "c"},
    }
    for transport in ("http", "sse"):
        rendered = _servers(source, {"a": stdio, "b": {**web, "type": transport}})
        assert {line.field for line in rendered.ledger if line.item_id in {"mcp:a@user", "mcp:b@user"}} >= MCP_FIELDS


def test_every_field_and_event_of_a_hook_has_a_line(source: SmallSource) -> None:
    fields: dict[str, Any] = dict.fromkeys(HOOK_FIELDS, "x") | {"timeout": 5, "args": ["a"], "shell": "bash"}
    hook = {"type": "command", **fields}
    table = {event: [{"hooks": [hook]}] for event in sorted(HOOK_EVENTS)}
    source.write(source.project / ".claude/settings.json", {"hooks": table})
    rendered = _render(source)
    by_item: dict[str, set[str]] = {}
    for line in rendered.ledger:
        if line.item_id.startswith("hook:"):
            by_item.setdefault(line.item_id, set()).add(line.field)
    assert len(by_item) == len(HOOK_EVENTS)
    assert all(found >= HOOK_FIELDS | {"", "matcher"} for found in by_item.values())
    assert {str(path[1]) for path in _keys(rendered, "project", "hooks.json")} == EVENTS


def test_only_a_project_that_is_not_trusted_yet_is_left_to_the_person_to_trust(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "Use tabs.\n")
    before = _render(source)
    source.write(source.home / ".codex/config.toml", f'[projects."{source.project}"]\ntrust_level = "trusted"\n')
    after = _render(source)

    assert any("trust" in step for step in before.steps)
    assert not any("trust" in step for step in after.steps)


def test_a_link_from_agents_md_to_the_source_needs_nothing_written(source: SmallSource) -> None:
    source.write(source.project / "CLAUDE.md", "Use tabs.\n")
    (source.project / "AGENTS.md").symlink_to("CLAUDE.md")
    assert not _render(source).outputs

    source.write(source.project / ".claude/rules/more.md", "Use pnpm.\n")
    (block,) = _render(source).outputs
    assert isinstance(block, OwnedBlock)
    assert block.text == "Use pnpm.\n"


def test_a_server_of_another_kind_in_the_person_s_file_is_told(source: SmallSource) -> None:
    source.write(source.home / ".codex/config.toml", '[mcp_servers.m]\ncommand = "x"\nenabled = false\n')
    clashing = _servers(source, {"m": {"type": "http", "url": "https://m.example"}}, scope="project")
    alike = _servers(source, {"m": {"command": "y"}}, scope="project")

    assert any("does not start in this project: `[mcp_servers.m]`" in each for each in clashing.warnings)
    assert not any("does not start in this project" in each for each in alike.warnings)


def test_a_server_that_is_off_by_another_project_s_table_needs_no_other_one(source: SmallSource) -> None:
    source.write(source.home / ".codex/config.toml", '[mcp_servers.m]\ncommand = "theirs"\nenabled = false\n')
    source.write(source.project / ".mcp.json", {"mcpServers": {"m": {"command": "ours"}}})
    source.write(source.project / ".claude/settings.json", {"enabledMcpjsonServers": ["m"]})
    source.write(source.project / ".claude/settings.local.json", {"disabledMcpjsonServers": ["m"]})

    assert _keys(_render(source), "user")["mcp_servers", "m"] == {"command": "theirs", "enabled": False}
    source.write(source.home / ".codex/config.toml", '[mcp_servers.m]\nurl = "https://m.example"\nenabled = false\n')
    assert _keys(_render(source), "user")["mcp_servers", "m"] == {"command": "ours", "enabled": False}
