"""MCP servers: fields, references, scopes, approval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.sync.model import ItemKind, McpServer, McpState, Reference, Scope, SourceTree, Template, Transport
from sightline.sync.source import find_places, read_source_tree
from tests.sync.source.trees import SmallSource, only_problem


def _servers(tree: SourceTree) -> dict[str, McpServer]:
    return {server.item_id: server for server in tree.mcp_servers}


def _project(source: SmallSource, **servers: Any) -> SourceTree:
    source.write(source.project / ".mcp.json", {"mcpServers": servers})
    return source.read()


def _state(source: SmallSource, entry: dict[str, Any], **top: Any) -> None:
    source.write(source.home / ".claude.json", {"projects": {source.project.as_posix(): entry}, **top})


@settings(deadline=None)
@given(st.text() | st.from_regex(r"(?:[a-z]|\$\{[A-Z_]{1,3}(?::-[a-z${]{0,3})?\}){0,6}", fullmatch=True))
def test_a_template_keeps_its_text(text: str) -> None:
    template = Template.parse(text)
    assert template.text == text
    assert "" not in template.parts
    assert not any(
        isinstance(a, str) and isinstance(b, str) for a, b in zip(template.parts, template.parts[1:], strict=False)
    )


def test_references_are_told_from_text() -> None:
    template = Template.parse("Bearer ${A}-${B:-x y}$C ${ } ${D:-}")
    assert template.parts == ("Bearer ", Reference("A"), "-", Reference("B", "x y"), "$C ${ } ", Reference("D", ""))
    assert template.literals == ("Bearer ", "-", "x y", "$C ${ } ")
    assert Template.parse("${A}").only_reference == Reference("A")
    assert template.only_reference is None
    assert Template.parse("plain").is_literal


def test_every_field_is_read(source: SmallSource) -> None:
    entry = {
        "type": "streamable-http",
        "url": "https://${HOST}/mcp",
        "headers": {"Authorization": "Bearer ${T}"},
        "headersHelper": "./h.sh",
        "oauth": {"clientId": "c", "novel": 1},
        "alwaysLoad": True,
        "timeout": 90000,
        "novel": 1,
    }
    tree = _project(
        source, web=entry, local={"command": "c", "args": ["-x", "${A:-b}"], "env": {"K": "${K}"}, "cwd": "d"}
    )
    web, local = tree.mcp_servers
    assert (web.transport, web.timeout_ms, web.always_load, web.extra) == (Transport.HTTP, 90000, True, {"novel": 1})
    assert web.url == Template(("https://", Reference("HOST"), "/mcp"))
    assert web.headers == {"Authorization": Template(("Bearer ", Reference("T")))}
    assert web.headers_helper == Template(("./h.sh",))
    assert web.oauth == {"clientId": "c", "novel": 1}
    assert (local.transport, local.command, local.cwd) == (Transport.STDIO, Template(("c",)), Template(("d",)))
    assert local.args == (Template(("-x",)), Template((Reference("A", "b"),)))
    assert local.env == {"K": Template((Reference("K"),))}
    assert {(key.key, key.place) for key in tree.unknown_keys} == {
        ("novel", "mcpServers.web"),
        ("novel", "mcpServers.web.oauth"),
    }


@pytest.mark.parametrize(
    ("kind", "transport"), [("sse", Transport.SSE), ("ws", Transport.WS), ("http", Transport.HTTP)]
)
def test_transports(source: SmallSource, kind: str, transport: Transport) -> None:
    assert _project(source, s={"type": kind, "url": "x"}).mcp_servers[0].transport is transport


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://x"},
        {"type": "novel", "url": "x"},
        {"type": "http"},
        {"args": ["x"]},
        {"command": 1},
        {"command": "c", "args": "x"},
        {"command": "c", "args": ["x", 1]},
        {"command": "c", "env": {"A": 1}},
        {"command": "c", "env": []},
        {"command": "c", "timeout": "5"},
        {"command": "c", "timeout": True},
        "x",
    ],
)
def test_an_entry_that_claude_code_refuses_blocks_itself_alone(source: SmallSource, entry: Any) -> None:
    tree = _project(source, good={"command": "c"}, bad=entry)
    assert list(_servers(tree)) == ["mcp:good@project"]
    assert tree.blocked_items == {"mcp:bad@project"}
    assert tree.blocked_kinds == frozenset()
    assert only_problem(tree).line == json.dumps({"mcpServers": {"good": {"command": "c"}}}, indent=1).count("\n")


def test_reserved_names_are_skipped_with_a_warning(source: SmallSource) -> None:
    tree = _project(source, **{"workspace": {"command": "x"}, "Claude Browser": {"command": "x"}})
    assert tree.mcp_servers == ()
    assert [problem.is_warning for problem in tree.problems] == [True, True]


@pytest.mark.parametrize("content", ["{", "[]", '{"mcpServers": []}'])
def test_a_malformed_file_blocks_all_servers(source: SmallSource, content: str) -> None:
    source.write(source.project / ".mcp.json", content)
    assert source.read().blocked_kinds == {ItemKind.MCP}


def test_the_whole_entry_of_the_nearest_scope_wins(source: SmallSource) -> None:
    _state(
        source, {"mcpServers": {"s": {"command": "local"}}}, mcpServers={"s": {"command": "user", "env": {"A": "1"}}}
    )
    servers = _servers(_project(source, s={"command": "project"}))
    assert servers["mcp:s@local"].shadowed_by == ""
    assert servers["mcp:s@project"].shadowed_by == "mcp:s@local"
    assert servers["mcp:s@user"].shadowed_by == "mcp:s@local"
    assert servers["mcp:s@local"].env == {}
    assert servers["mcp:s@local"].provenance.scope is Scope.LOCAL


def test_servers_of_other_projects_are_not_ours(source: SmallSource) -> None:
    source.write(source.home / ".claude.json", {"projects": {"/other": {"mcpServers": {"s": {"command": "x"}}}}})
    assert source.read().mcp_servers == ()


def test_project_servers_need_approval(source: SmallSource) -> None:
    source.write(source.config / "settings.json", {"enabledMcpjsonServers": ["yes", "both"]})
    source.write(source.project / ".claude/settings.local.json", {"disabledMcpjsonServers": ["both"]})
    tree = _project(source, yes={"command": "x"}, both={"command": "x"}, neither={"command": "x"})
    states = {server.name: server.state for server in tree.mcp_servers}
    assert states == {"yes": McpState.ENABLED, "both": McpState.DISABLED, "neither": McpState.UNAPPROVED}
    assert [server.is_enabled for server in tree.mcp_servers] == [True, False, False]


@pytest.mark.parametrize("file", [".claude/settings.json", ".claude/settings.local.json"])
@pytest.mark.parametrize("approval", [{"enableAllProjectMcpServers": True}, {"enabledMcpjsonServers": ["s"]}])
def test_a_repository_cannot_approve_its_own_servers_before_it_is_trusted(
    source: SmallSource, approval: dict[str, Any], file: str
) -> None:
    source.write(source.project / file, approval)
    assert _project(source, s={"command": "x"}).mcp_servers[0].state is McpState.UNAPPROVED
    _state(source, {"hasTrustDialogAccepted": True})
    assert source.read().mcp_servers[0].state is McpState.ENABLED
    source.write(source.project / file, {})
    source.write(source.config / "settings.json", approval)
    _state(source, {})
    assert source.read().mcp_servers[0].state is McpState.ENABLED


def test_an_approval_in_the_state_file_counts_once_the_folder_is_trusted(source: SmallSource) -> None:
    _state(source, {"enabledMcpjsonServers": ["s"]})
    assert _project(source, s={"command": "x"}).mcp_servers[0].state is McpState.UNAPPROVED
    _state(source, {"enabledMcpjsonServers": ["s"], "hasTrustDialogAccepted": True})
    assert source.read().mcp_servers[0].state is McpState.ENABLED


def test_approvals_and_switches_in_the_state_file_count(source: SmallSource) -> None:
    entry = {"enabledMcpjsonServers": ["a"], "disabledMcpjsonServers": ["b"], "disabledMcpServers": ["u"]}
    _state(source, entry, mcpServers={"u": {"command": "x"}})
    source.write(
        source.config / "settings.json", {"enableAllProjectMcpServers": True, "deniedMcpServers": [{"serverName": "d"}]}
    )
    tree = _project(source, a={"command": "x"}, b={"command": "x"}, d={"command": "x"})
    assert [server.state for server in tree.mcp_servers] == [
        McpState.ENABLED,
        McpState.DISABLED,
        McpState.DISABLED,
        McpState.DISABLED,
    ]


def test_a_torn_state_file_is_read_again(source: SmallSource) -> None:
    whole = json.dumps({"mcpServers": {"s": {"command": "x"}}})
    file = source.write(source.home / ".claude.json", whole[:20])
    source.project.mkdir(parents=True)
    pauses: list[int] = []

    def write_more() -> None:
        pauses.append(1)
        if len(pauses) == 2:
            file.write_text(whole)

    tree = read_source_tree(source.places(), pause=write_more)
    assert (len(pauses), list(_servers(tree)), tree.problems) == (2, ["mcp:s@user"], ())


def test_a_state_file_that_stays_torn_blocks_servers(source: SmallSource) -> None:
    source.write(source.home / ".claude.json", '{"mcpServers": {')
    tree = source.read()
    assert tree.blocked_kinds == {ItemKind.MCP}


def test_only_the_used_part_of_the_state_file_is_an_input(source: SmallSource) -> None:
    def digest() -> str | None:
        file = source.home / ".claude.json"
        return next(each.digest for each in source.read().inputs if each.path == file)

    _state(source, {"history": ["a"]}, numStartups=1)
    before = digest()
    _state(source, {"history": ["a", "b"]}, numStartups=2)
    assert digest() == before
    _state(source, {"mcpServers": {"s": {"command": "x"}}})
    assert digest() != before


def test_the_configuration_folder_can_be_moved(tmp_path: Path) -> None:
    moved = find_places(
        tmp_path / "p", home=tmp_path, environment={"CLAUDE_CONFIG_DIR": "/elsewhere"}, platform="linux"
    )
    assert (moved.config, moved.state_file) == (Path("/elsewhere"), Path("/elsewhere/.claude.json"))
    usual = find_places(tmp_path / "p", home=tmp_path, environment={}, platform="linux")
    assert (usual.config, usual.state_file) == (tmp_path / ".claude", tmp_path / ".claude.json")
    assert usual.managed == Path("/etc/claude-code")
