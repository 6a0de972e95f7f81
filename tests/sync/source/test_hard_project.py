"""The hard project, read whole: everything is there, in its place, and nothing was touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.sync.model import ItemKind, McpState, Scope, SourceTree, Transport
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Permissions
from sightline.sync.source import read_source_tree
from sightline.sync.source.known_keys import AGENT_FIELDS, HOOK_TYPES, MCP_FIELDS, SKILL_FIELDS
from tests.sync.hard_project import HardProject, make_hard_project
from tests.transactions.sample_trees import picture


@pytest.fixture
def hard(tmp_path: Path) -> HardProject:
    return make_hard_project(tmp_path, with_foreign=True)


@pytest.fixture
def tree(hard: HardProject) -> SourceTree:
    return read_source_tree(hard.places)


def test_it_has_every_kind_scope_transport_state_and_hook_type(tree: SourceTree) -> None:
    assert {item.kind for item in tree.items()} == set(ItemKind)
    assert {item.provenance.scope for item in tree.items()} == set(Scope) - {Scope.MANAGED}
    assert {server.transport for server in tree.mcp_servers} == set(Transport)
    assert {server.state for server in tree.mcp_servers} == set(McpState)
    assert {hook.type for hook in tree.hooks} == HOOK_TYPES


def test_it_uses_every_field_of_servers_skills_and_agents(tree: SourceTree, hard: HardProject) -> None:
    table = json.loads((hard.project / ".mcp.json").read_text())["mcpServers"]
    assert {key for entry in table.values() for key in entry} >= MCP_FIELDS
    skill = next(skill for skill in tree.skills if skill.item_id == "skill:release@project")
    assert SKILL_FIELDS - set(skill.frontmatter.fields) <= {"background", "hooks", "shell"}
    agent = next(agent for agent in tree.agents if agent.name == "reviewer")
    assert set(agent.frontmatter.fields) >= AGENT_FIELDS


def test_every_item_has_an_id_of_its_own_and_stands_where_it_says(tree: SourceTree) -> None:
    items = list(tree.items())
    assert len({item.item_id for item in items}) == len(items)
    for item in items:
        assert item.item_id.startswith(f"{item.kind}:")
        lines = item.provenance.file.read_text().splitlines()
        assert 1 <= item.provenance.line <= len(lines), item.item_id
    for rule in tree.permissions:
        line = rule.provenance.file.read_text().splitlines()[rule.provenance.line - 1]
        assert rule.text in json.loads(f"[{line.strip().rstrip(',')}]")
    for server in tree.mcp_servers:
        line = server.provenance.file.read_text().splitlines()[server.provenance.line - 1]
        assert server.name.removeprefix("kit:") in line


def test_shadows_point_to_items_that_exist(tree: SourceTree) -> None:
    ids = {item.item_id for item in tree.items()}
    shadowed = {item.item_id: item.shadowed_by for item in tree.items() if item.shadowed_by}
    assert set(shadowed.values()) <= ids
    assert shadowed == {
        "skill:shared-name@project": "skill:shared-name@user",
        "command:release@project": "skill:release@project",
        "agent:shared-agent@user": "agent:shared-agent@project",
        "mcp:both@project": "mcp:both@local",
        "mcp:both@user": "mcp:both@local",
    }


def test_nothing_private_is_in_committed_text(tree: SourceTree) -> None:
    committed = [item.text_for("codex", committed=True) for item in (*tree.instructions, *tree.rules)]
    everything = [item.text_for("codex", committed=False) for item in (*tree.instructions, *tree.rules)]
    assert not any(word in text for text in committed for word in ("PRIVATE", "PERSONAL", "EXCLUDED"))
    assert sum("PRIVATE" in text for text in everything) == 4
    assert not any(
        "PRIVATE" in item.body
        for item in (*tree.skills, *tree.commands, *tree.agents)
        if item.provenance.scope.is_committed
    )


def test_nothing_is_lost_but_what_claude_code_does_not_load(tree: SourceTree) -> None:
    assert tree.blocked_kinds == frozenset()
    assert tree.blocked_items == {"mcp:no-type@project"}
    assert {key.key for key in tree.unknown_keys} == {
        "owner",
        "future-field",
        "futureField",
        "novelKey",
        "FutureEvent",
        "novel",
        "futureSetting",
    }


def test_hostile_names_are_read_as_they_are(tmp_path: Path) -> None:
    tree = read_source_tree(make_hard_project(tmp_path, with_hostile_names=True).places)
    assert {"../../escape", "/tmp/escape"} <= {agent.name for agent in tree.agents}
    assert {"Release", "\x1b[31mred", "..dots", "release"} <= {skill.name for skill in tree.skills}
    assert {"../escape", "FILES", "files"} <= {server.name for server in tree.mcp_servers}
    assert ("a b", "c;d") in {command.segments for command in tree.commands}
    assert tree.blocked_kinds == frozenset()


def test_reading_changes_nothing_and_is_the_same_twice(hard: HardProject, tree: SourceTree) -> None:
    before = picture(hard.root)
    assert read_source_tree(hard.places) == tree
    assert picture(hard.root) == before


def test_every_file_that_was_read_is_an_input(hard: HardProject, tree: SourceTree) -> None:
    digests = {each.path: each.digest for each in tree.inputs}
    assert digests[hard.project / "docs/nested/deeper.md"] is not None
    assert digests[hard.root / "managed/managed-settings.json"] is None
    files = {item.provenance.file for item in tree.items()}
    assert files <= set(digests)
    (hard.project / "docs/nested/deeper.md").write_text("changed")
    after = {each.path: each.digest for each in read_source_tree(hard.places).inputs}
    assert [path for path in digests if digests[path] != after.get(path)] == [hard.project / "docs/nested/deeper.md"]


def test_its_rules_answer_the_corpus_in_all_three_ways(hard: HardProject, tree: SourceTree) -> None:
    permissions = Permissions(tree.permissions, hard.project, hard.home)
    actions = sample_actions(tree.permissions, cwd=hard.project)
    verdicts = [permissions.decide(action).verdict for action in actions]
    assert len(actions) >= 200
    assert all(verdicts.count(verdict) >= 20 for verdict in set(verdicts))
    assert len(set(verdicts)) == 3
