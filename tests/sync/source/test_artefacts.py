"""Skills, commands, agents and plugins."""

from __future__ import annotations

import os
import stat
from typing import Any

import pytest

from sightline.sync.model import ItemKind, Scope
from sightline.sync.source.reading import MAX_SKILL_FILE_BYTES
from tests.sync.source.trees import SmallSource, only_problem


def _plugin(source: SmallSource, manifest: dict[str, Any] | None = None, *, version: int = 2) -> Any:
    root = source.config / "plugins/cache/m/kit/1"
    root.mkdir(parents=True)
    if manifest is not None:
        source.write(root / ".claude-plugin/plugin.json", manifest)
    entry = {"installPath": root.as_posix(), "version": "1", "scope": "user"}
    index = {"version": version, "plugins": {"kit@m": [entry] if version == 2 else entry}}
    source.write(source.config / "plugins/installed_plugins.json", index)
    source.write(source.config / "settings.json", {"enabledPlugins": {"kit@m": True}})
    return root


def test_a_skill_has_all_its_files_with_their_modes(source: SmallSource) -> None:
    folder = source.project / ".claude/skills/tool"
    source.write(folder / "SKILL.md", "---\ndescription: D\n---\nBody\n")
    source.write(folder / "scripts/run.sh", "#!/bin/sh\n").chmod(0o755)
    source.write(folder / "data.bin", b"\x00\xff")
    (skill,) = source.read().skills
    assert {str(file.path): (file.content, file.mode & stat.S_IXUSR != 0) for file in skill.files} == {
        "SKILL.md": (b"---\ndescription: D\n---\nBody\n", False),
        "data.bin": (b"\x00\xff", False),
        "scripts/run.sh": (b"#!/bin/sh\n", True),
    }
    assert (skill.item_id, skill.name, skill.body) == ("skill:tool@project", "tool", "Body\n")


def test_skill_fields_are_typed_and_unknown_ones_reported(source: SmallSource) -> None:
    fields = (
        "name: other\ndescription: D\nwhen_to_use: W\narguments: a b\ndisable-model-invocation: on\n"
        "user-invocable: 0\nallowed-tools: Read, Bash(git *)\ndisallowed-tools: [Edit]\npaths: a/**, b\nnovel: 1\n"
    )
    source.write(source.project / ".claude/skills/tool/SKILL.md", f"---\n{fields}---\n")
    tree = source.read()
    (skill,) = tree.skills
    assert skill.name == "tool"
    assert (skill.description, skill.when_to_use, skill.argument_names) == ("D", "W", ("a", "b"))
    assert (skill.disable_model_invocation, skill.user_invocable) == (True, False)
    assert (skill.allowed_tools, skill.disallowed_tools) == (("Read", "Bash(git *)"), ("Edit",))
    assert skill.paths == ("a/**", "b")
    assert skill.frontmatter.fields["name"] == "other"
    assert [(key.key, key.provenance.line) for key in tree.unknown_keys] == [("novel", 11)]


def test_a_user_skill_hides_that_of_the_project(source: SmallSource) -> None:
    source.write(source.config / "skills/s/SKILL.md", "user")
    source.write(source.project / ".claude/skills/s/SKILL.md", "project")
    source.write(source.project / "web/.claude/skills/s/SKILL.md", "nested")
    found = {skill.item_id: skill.shadowed_by for skill in source.read().skills}
    assert found == {"skill:s@user": "", "skill:s@project": "skill:s@user", "skill:web/s@project": ""}


def test_a_linked_skill_is_read_and_a_link_out_of_a_skill_is_not(source: SmallSource) -> None:
    source.write(source.root / "far/SKILL.md", "linked")
    (source.project / ".claude/skills").mkdir(parents=True)
    (source.project / ".claude/skills/far").symlink_to(source.root / "far")
    source.write(source.root / "id_rsa", "key")
    source.write(source.project / ".claude/skills/bad/SKILL.md", "bad")
    (source.project / ".claude/skills/bad/id_rsa").symlink_to(source.root / "id_rsa")
    source.write(source.project / ".claude/skills/near/SKILL.md", "near")
    source.write(source.project / "docs/a.md", "in the project")
    (source.project / ".claude/skills/near/a.md").symlink_to("../../../docs/a.md")
    tree = source.read()
    assert [skill.name for skill in tree.skills] == ["far", "near"]
    assert tree.blocked_items == {"skill:bad@project"}
    assert tree.blocked_kinds == frozenset()


def test_a_broken_link_blocks_the_skill(source: SmallSource) -> None:
    source.write(source.config / "skills/s/SKILL.md", "x")
    (source.config / "skills/s/gone").symlink_to("nowhere")
    source.write(source.config / "skills/t/SKILL.md", "x")
    (source.config / "skills/t/loop").symlink_to("loop")
    assert source.read().blocked_items == {"skill:s@user", "skill:t@user"}


def test_names_that_are_not_text_block_their_kind(source: SmallSource) -> None:
    source.write(source.project / ".claude/commands/ok.md", "x")
    (source.project / os.fsdecode(b".claude/commands/\xff.md")).write_text("x")
    (source.project / os.fsdecode(b".claude/skills/\xff")).mkdir(parents=True)
    tree = source.read()
    assert tree.blocked_kinds == {ItemKind.COMMAND, ItemKind.SKILL}
    assert [command.name for command in tree.commands] == ["ok"]


def test_the_reserved_skill_folder_is_skipped(source: SmallSource) -> None:
    source.write(source.config / "skills/synced/SKILL.md", "x")
    tree = source.read()
    assert (tree.skills, only_problem(tree).is_warning) == ((), True)


def test_commands_are_nested_and_hidden_by_skills(source: SmallSource) -> None:
    source.write(source.project / ".claude/commands/a/b.md", "---\nargument-hint: [x]\n---\nBody $1\n")
    source.write(source.project / ".claude/commands/s.md", "old")
    source.write(source.project / ".claude/skills/s/SKILL.md", "new")
    old, nested = source.read().commands
    assert (nested.item_id, nested.segments, nested.name) == ("command:a/b@project", ("a", "b"), "a:b")
    assert (nested.argument_hint, nested.body) == ("[x]", "Body $1\n")
    assert old.shadowed_by == "skill:s@project"


def test_agents_are_known_by_their_name_and_the_project_wins(source: SmallSource) -> None:
    fields = "description: D\ntools: Read, Bash(a, b)\nmaxTurns: 7\ncolor: red\nskills: [x]\neffort: max\nnovel: 1\n"
    source.write(source.project / ".claude/agents/deep/file.md", f"---\nname: rev\n{fields}---\nBody\n")
    source.write(source.config / "agents/x.md", "---\nname: rev\ndescription: D\ntools: '*'\n---\n")
    tree = source.read()
    user, project = tree.agents
    assert (project.item_id, project.tools, project.max_turns) == ("agent:rev@project", ("Read", "Bash(a, b)"), 7)
    assert (project.color, project.skills, project.effort, project.body) == ("red", ("x",), "max", "Body\n")
    assert (user.tools, user.shadowed_by, project.shadowed_by) == (None, "agent:rev@project", "")
    assert [key.key for key in tree.unknown_keys] == ["novel"]


def test_an_agent_without_a_name_is_not_loaded_and_said(source: SmallSource) -> None:
    source.write(source.project / ".claude/agents/a.md", "---\ndescription: D\n---\n")
    tree = source.read()
    assert (tree.agents, only_problem(tree).is_warning) == ((), True)


def test_one_name_twice_in_a_scope_gives_two_ids_and_a_warning(source: SmallSource) -> None:
    for name in ("a", "b"):
        source.write(source.project / f".claude/agents/{name}.md", "---\nname: same\ndescription: D\n---\n")
    tree = source.read()
    assert [agent.item_id for agent in tree.agents] == ["agent:same@project", "agent:same@project#2"]
    assert tree.agents[1].shadowed_by == "agent:same@project"
    assert "more than once" in only_problem(tree).message


@pytest.mark.parametrize("folder", ["skills/x/SKILL.md", "commands/x.md", "agents/x.md"])
def test_a_malformed_file_blocks_its_item_and_no_other(source: SmallSource, folder: str) -> None:
    source.write(source.project / ".claude" / folder, "---\na: [\n---\n")
    tree = source.read()
    kind = folder.split("/", maxsplit=1)[0].removesuffix("s")
    assert tree.blocked_items == {f"{kind}:x@project"}
    # An agent's name is inside of the file, so the whole kind has to wait.
    assert tree.blocked_kinds == ({ItemKind.AGENT} if kind == "agent" else frozenset())
    assert only_problem(tree).line in {2, 3}


@pytest.mark.parametrize("version", [1, 2])
def test_a_plugin_brings_its_items_under_its_name(source: SmallSource, version: int) -> None:
    root = _plugin(source, version=version)
    source.write(root / "skills/s/SKILL.md", "S")
    source.write(root / "commands/c.md", "C")
    source.write(root / "agents/a.md", "---\nname: a\ndescription: D\npermissionMode: plan\nhooks: {}\n---\n")
    source.write(root / ".mcp.json", {"mcpServers": {"m": {"command": "${CLAUDE_PLUGIN_ROOT}/x"}}})
    source.write(root / "hooks/hooks.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}})
    source.write(root / ".lsp.json", {})
    tree = source.read()
    assert [skill.name for skill in tree.skills] == ["kit:s"]
    assert [command.name for command in tree.commands] == ["kit:c"]
    assert [(agent.name, agent.permission_mode) for agent in tree.agents] == [("kit:a", "")]
    assert [server.name for server in tree.mcp_servers] == ["kit:m"]
    assert [hook.provenance.plugin for hook in tree.hooks] == ["kit@m"]
    assert {item.provenance.scope for item in (*tree.skills, *tree.hooks, *tree.mcp_servers)} == {Scope.PLUGIN}
    (plugin,) = tree.plugins
    assert (plugin.is_enabled, plugin.version, plugin.unsupported) == (True, "1", (".lsp.json",))
    assert [problem.message.split("`")[1] for problem in tree.problems] == ["hooks", "permissionMode"]


def test_a_manifest_replaces_commands_and_agents_and_adds_skills(source: SmallSource) -> None:
    manifest = {
        "name": "kit",
        "commands": "./c/one.md",
        "agents": ["./a"],
        "skills": "./more",
        "mcpServers": {"i": {"command": "x"}},
    }
    root = _plugin(source, manifest)
    source.write(root / "c/one.md", "1")
    source.write(root / "commands/two.md", "2")
    source.write(root / "a/x.md", "---\nname: x\ndescription: D\n---\n")
    source.write(root / "agents/y.md", "---\nname: y\ndescription: D\n---\n")
    source.write(root / "skills/s/SKILL.md", "S")
    source.write(root / "more/t/SKILL.md", "T")
    tree = source.read()
    names = [item.name for item in (*tree.commands, *tree.agents, *tree.skills, *tree.mcp_servers)]
    assert names == ["kit:one", "kit:x", "kit:s", "kit:t", "kit:i"]


def test_a_plugin_may_be_one_skill_with_hooks_in_its_manifest(source: SmallSource) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}
    manifest = {"hooks": hooks, "mcpServers": "./servers.json", "commands": "./none", "agents": "./one.md", "novel": 1}
    root = _plugin(source, manifest)
    source.write(root / "SKILL.md", "---\ndescription: D\n---\n")
    source.write(root / "servers.json", {"bare": {"command": "x"}})
    source.write(root / "one.md", "---\nname: one\ndescription: D\n---\n")
    tree = source.read()
    assert [skill.name for skill in tree.skills] == ["kit:kit"]
    assert [server.name for server in tree.mcp_servers] == ["kit:bare"]
    assert [agent.name for agent in tree.agents] == ["kit:one"]
    assert [hook.event for hook in tree.hooks] == ["Stop"]
    assert "does not exist" in only_problem(tree).message
    assert [key.key for key in tree.unknown_keys] == ["novel"]


@pytest.mark.parametrize("content", [{"plugins": []}, {}, {"plugins": {"kit@m": "x"}}])
def test_an_index_of_another_shape_brings_no_items(source: SmallSource, content: dict[str, Any]) -> None:
    source.write(source.config / "settings.json", {"enabledPlugins": {"kit@m": True}})
    source.write(source.config / "plugins/installed_plugins.json", content)
    tree = source.read()
    assert tree.problems
    assert [plugin.root for plugin in tree.plugins] == [None]


def test_an_installation_for_this_project_goes_before_one_for_all(source: SmallSource) -> None:
    roots = [source.config / "plugins/cache" / name for name in ("all", "other", "own")]
    projects = [None, "/elsewhere", source.project.as_posix()]
    for root in roots:
        source.write(root / "skills/s/SKILL.md", root.name)
    entries = [
        {"installPath": root.as_posix(), "projectPath": where} for root, where in zip(roots, projects, strict=True)
    ]
    source.write(source.config / "plugins/installed_plugins.json", {"version": 2, "plugins": {"kit@m": entries}})
    source.write(source.config / "settings.json", {"enabledPlugins": {"kit@m": True}})
    assert [skill.body for skill in source.read().skills] == ["own"]


def test_switches_of_the_wrong_shape_block_what_plugins_bring(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"enabledPlugins": ["kit@m"]})
    assert source.read().blocked_kinds == {ItemKind.PLUGIN}


def test_a_skill_with_a_huge_file_is_blocked_whole(source: SmallSource) -> None:
    source.write(source.config / "skills/s/SKILL.md", "x")
    with (source.config / "skills/s/big.bin").open("wb") as stream:
        stream.truncate(MAX_SKILL_FILE_BYTES + 1)
    tree = source.read()
    assert (tree.skills, tree.blocked_items) == ((), {"skill:s@user"})


def test_a_manifest_cannot_reach_out_of_its_plugin(source: SmallSource) -> None:
    _plugin(source, {"name": "kit", "commands": ["../../../../../../../work/shop"]})
    source.write(source.project / "stolen.md", "x")
    tree = source.read()
    assert tree.commands == ()
    assert "outside of the plugin" in only_problem(tree).message


def test_a_plugin_that_is_off_brings_nothing(source: SmallSource) -> None:
    root = _plugin(source)
    source.write(root / "skills/s/SKILL.md", "S")
    source.write(source.project / ".claude/settings.local.json", {"enabledPlugins": {"kit@m": False}})
    tree = source.read()
    assert (tree.skills, [plugin.is_enabled for plugin in tree.plugins]) == ((), [False])


def test_a_malformed_index_blocks_what_plugins_bring(source: SmallSource) -> None:
    source.write(source.config / "plugins/installed_plugins.json", "{")
    assert source.read().blocked_kinds == {ItemKind.PLUGIN}


def test_a_project_at_the_home_directory_reads_each_file_once(source: SmallSource) -> None:
    source.write(source.config / "skills/s/SKILL.md", "S")
    source.write(source.config / "CLAUDE.md", "U")
    source.write(source.config / "settings.json", {"permissions": {"deny": ["Bash(a)"]}})
    places = source.places()
    from dataclasses import replace

    from sightline.sync.source import read_source_tree

    tree = read_source_tree(replace(places, project=source.home, start=source.home), pause=lambda: None)
    assert len(tree.skills) == len(tree.permissions) == len(tree.instructions) == 1
