"""Claude Code itself says what the source is: the model must hold the same servers and plugins."""

from __future__ import annotations

import json
import re

import pytest

from sightline.sync.model import McpServer, McpState, Scope, SourceTree
from sightline.sync.source import read_source_tree
from tests.clients.programs import Program, installed
from tests.sync.hard_project import HardProject, make_hard_project

_SERVER = re.compile(
    r"^(?P<name>[^:\n]+): (?P<shown>.*?) +(?:\((?P<kind>HTTP|SSE|WS)\) )?- (?P<status>[✘✔⏸!].*)$", re.MULTILINE
)
_KINDS = {"HTTP": "http", "SSE": "sse", "WS": "ws", None: "stdio"}


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> HardProject:
    return make_hard_project(tmp_path_factory.mktemp("claude"), with_foreign=True)


@pytest.fixture(scope="module")
def tree(hard: HardProject) -> SourceTree:
    return read_source_tree(hard.places)


@pytest.fixture(scope="module")
def judge(hard: HardProject) -> Program:
    return installed("claude", hard.home)


def _loaded(tree: SourceTree) -> dict[str, McpServer]:
    """What would be listed: not what another hides, is switched off, or comes with a plugin of a missing market."""
    servers = (server for server in tree.mcp_servers if server.provenance.scope is not Scope.PLUGIN)
    return {each.name: each for each in servers if not each.shadowed_by and each.state is not McpState.DISABLED}


def test_claude_code_loads_exactly_the_servers_of_the_model(
    hard: HardProject, tree: SourceTree, judge: Program
) -> None:
    ended = judge.run("mcp", "list", folder=hard.project)
    assert ended.code == 0, ended.err
    listed = {match["name"]: match for match in _SERVER.finditer(ended.out)}
    expected = _loaded(tree)
    assert set(listed) == set(expected)
    for name, server in expected.items():
        assert _KINDS[listed[name]["kind"]] == server.transport, name
        is_pending = "Pending approval" in listed[name]["status"]
        assert is_pending == (server.state is McpState.UNAPPROVED), name
        first = server.command or server.url
        assert first is not None
        assert listed[name]["shown"].startswith(first.text.replace("${TEAM:-core}", "${TEAM}")), name


def test_claude_code_leaves_out_what_the_model_has_a_problem_with(
    hard: HardProject, tree: SourceTree, judge: Program
) -> None:
    said = judge.run("mcp", "list", folder=hard.project).out
    problems = " ".join(problem.message for problem in tree.problems)
    for name in ("no-type", "workspace"):
        assert f"mcpServers.{name}" in said
        assert name in problems
        assert name not in _loaded(tree)


def test_references_are_references_for_claude_code_too(hard: HardProject, judge: Program) -> None:
    said = judge.run("mcp", "get", "files", folder=hard.project).out
    assert "Scope: Project config" in said
    assert "API_TOKEN=${API_TOKEN}" in said


def test_claude_code_knows_the_plugins_of_the_model(hard: HardProject, tree: SourceTree, judge: Program) -> None:
    ended = judge.run("plugin", "list", "--json", folder=hard.project)
    listed = {each["id"]: each["enabled"] for each in json.loads(ended.out)}
    known = {f"{each.name}@{each.marketplace}": each.is_enabled for each in tree.plugins}
    assert listed == {name: known[name] for name in listed}
    assert listed["kit@market"] is True
