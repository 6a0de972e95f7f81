"""All MCP servers of a rendering, with the permission rules that concern their tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value, is_mapping
from sightline.sync.model import McpServer, McpState, PermissionKind, PermissionRule, SourceTree
from sightline.sync.model_values import Scope
from sightline.sync.outputs import OutputScope
from sightline.sync.targets.codex_mcp import (
    Inexpressible,
    ServerEntry,
    codex_names,
    is_covered_by,
    note_server,
    server_entry,
)
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.servers import (
    entries_off,
    is_on_against_you,
    note_off_for_you,
    note_state,
    note_switched_on,
    note_without,
    written_state,
)

_TOOL = re.compile(r"mcp__(?P<server>.+?)(?:__(?P<tool>.*))?", re.DOTALL)


@frozen
class ServerTables:
    """The owned keys per scope, with the item that each comes from."""

    values: Mapping[OutputScope, Mapping[KeyPath, Value]]
    sources: Mapping[OutputScope, Mapping[KeyPath, str]]


def render_servers(
    tree: SourceTree,
    selection: Selection,
    restrictions: Sequence[PermissionRule],
    findings: Findings,
    present: Value = None,
    elsewhere: Callable[[], Mapping[str, Value]] = dict[str, Value],
) -> ServerTables:
    """The tables; `restrictions` are the deny and ask rules that may be written, `present` the person's tables now.

    `elsewhere` tells the tables of the person's other projects.
    """
    off = entries_off(present)
    chosen: list[tuple[McpServer, OutputScope]] = [
        (each, scope) for each in tree.mcp_servers if (scope := selection.admit(each)) is not None
    ]
    names = codex_names(chosen)
    roots = {f"{each.name}@{each.marketplace}": each.root for each in tree.plugins}
    committed = {name: table for name, (_, table) in _committed(tree, selection).items()}
    values: dict[OutputScope, dict[KeyPath, Value]] = {"user": {}, "project": {}}
    sources: dict[OutputScope, dict[KeyPath, str]] = {"user": {}, "project": {}}
    for server, scope in chosen:
        name = names[server.item_id]
        state = written_state(tree, server)
        entry = _entry(server, state, name, scope, roots, committed, findings)
        if entry is None:
            continue
        if not is_on_against_you(tree, server):
            note_state(server, state, "Codex CLI", findings)
        elif "user" not in selection.scopes and name not in off:
            note_switched_on(server, "Codex CLI", findings, by_sync=True)
        for rule in restrictions:
            _restrict(rule, server, scope, entry, findings)
        path: KeyPath = ("mcp_servers", name)
        values[scope][path] = entry.table
        sources[scope][path] = server.item_id
        note_server(server, name, entry, findings)
    if "user" in selection.scopes:
        _switch_off(
            _committed(tree, selection), restrictions, off, values["user"], sources["user"], findings, elsewhere
        )
    _warn_of_mixtures(values, present, findings)
    return ServerTables(values, sources)


def _entry(
    server: McpServer,
    state: McpState,
    name: str,
    scope: OutputScope,
    roots: Mapping[str, Path | None],
    committed: Mapping[str, Mapping[str, Value]],
    findings: Findings,
) -> ServerEntry | None:
    try:
        entry = server_entry(server, state, roots.get(server.provenance.plugin))
    except Inexpressible as error:
        note_without(server, findings, str(error))
        return None
    if scope == "user" and name in committed and not is_covered_by(entry.table, committed[name]):
        note_without(server, findings, "the project has a server of this name, and Codex would mix the fields of both")
        return None
    return entry


def _committed(tree: SourceTree, selection: Selection) -> dict[str, tuple[McpServer, Mapping[str, Value]]]:
    """The project's servers that Codex can have, by name, whether they are asked for or not."""
    servers: list[tuple[McpServer, OutputScope]] = [
        (each, "project")
        for each in tree.mcp_servers
        if each.provenance.scope is Scope.PROJECT and not selection.refusal(each)
    ]
    names = codex_names(servers)
    found: dict[str, tuple[McpServer, Mapping[str, Value]]] = {}
    for server, _scope in servers:
        try:
            found[names[server.item_id]] = server, server_entry(server, written_state(tree, server)).table
        except Inexpressible:
            continue
    return found


def _switch_off(
    committed: Mapping[str, tuple[McpServer, Mapping[str, Value]]],
    restrictions: Sequence[PermissionRule],
    off: Mapping[str, Mapping[str, Value]],
    values: dict[KeyPath, Value],
    sources: dict[KeyPath, str],
    findings: Findings,
    elsewhere: Callable[[], Mapping[str, Value]],
) -> None:
    """Switch a server of the project off in the person's file, if it is off for the person in Claude Code, or the
    person's own rules restrict its tools.

    A table there must be whole, or Codex does not start; so it is the project's own, with `enabled = false`. The
    project's table does not say `enabled` and leaves it at that. One that is off already, by another project or by the
    person, does as well, if the project's table hides the rest of it.
    """
    personal = [rule for rule in restrictions if not rule.scope.is_committed]
    for name, (server, table) in committed.items():
        rules = [rule for rule in personal if _tools_of(rule, server) is not None]
        path: KeyPath = ("mcp_servers", name)
        is_off = server.state is not McpState.ENABLED
        if not (rules or is_off) or "enabled" in table:
            continue
        if path in values:
            if is_off:
                note_switched_on(server, "Codex CLI", findings, by_sync=False)
            continue
        switched: dict[str, Value] = {**table, "enabled": False}
        is_there = name in off and is_covered_by(off[name], switched)
        if not is_there and (place := _clash(name, table, elsewhere())):
            _note_clash(server, name, place, rules, findings, is_off=is_off)
            continue
        values[path] = dict(off[name]) if is_there else switched
        # The project's, so that a sync of another one, which has no such server, leaves the table alone.
        sources[path] = server.item_id
        if is_off:
            note_off_for_you(server, name, "Codex CLI", findings)
            kind = "http" if "command" in table else "stdio"
            findings.warn(f"Codex CLI does not start in a project of yours that has another `{name}`, of type `{kind}`")
        for rule in rules:
            findings.note(rule.item_id, "", "approximated", "the whole server is off in your own configuration")
            findings.delta(f"stricter: `{server.item_id}` is switched off for you, because of `{rule.item_id}`")


def _clash(name: str, table: Value, elsewhere: Mapping[str, Value]) -> str:
    """A project where Codex would not start with such a table in the person's file; empty if none is known."""
    for place, servers in elsewhere.items():
        other = servers.get(name) if is_mapping(servers) else None
        if _has_url(other) is not None and _has_url(other) != _has_url(table):
            return place
    return ""


def _note_clash(
    server: McpServer, name: str, place: str, rules: Sequence[PermissionRule], findings: Findings, *, is_off: bool
) -> None:
    why = f"`{place}` has another `{name}` of another kind, and Codex would not start there"
    if is_off:
        note_switched_on(server, "Codex CLI", findings, by_sync=False)
    for rule in rules:
        findings.note(rule.item_id, "", "dropped", why)
        findings.delta(f"laxer: `{rule.item_id}` does not hold for `{server.item_id}` in Codex CLI: {why}")
    findings.warn(f"`{name}` is not switched off in your own configuration: {why}; rename one of them")


def _warn_of_mixtures(
    values: Mapping[OutputScope, Mapping[KeyPath, Value]], present: Value, findings: Findings
) -> None:
    """Codex merges tables of one name, and does not start with a `command` and a `url` in one of them (0.166.0)."""
    for path, table in values["project"].items():
        name = str(path[-1])
        own = present.get(name) if is_mapping(present) else None
        if path not in values["user"] and _has_url(own) is not None and _has_url(own) != _has_url(table):
            findings.warn(
                f"Codex CLI does not start in this project: `[mcp_servers.{name}]` in your own configuration is of "
                "another kind, and Codex mixes both; rename one of them"
            )


def _has_url(table: Value) -> bool | None:
    """Whether a server is reached by its address; none if the table does not tell."""
    is_told = is_mapping(table) and ("url" in table or "command" in table)
    return "url" in table if is_mapping(table) and is_told else None


def _restrict(
    rule: PermissionRule, server: McpServer, scope: OutputScope, entry: ServerEntry, findings: Findings
) -> None:
    tools = _tools_of(rule, server)
    if tools is None:
        return
    if scope == "project" and not rule.scope.is_committed:
        return
    if scope == "user" and rule.scope.is_committed:
        findings.delta(f"laxer: `{rule.item_id}` cannot be held for `{server.item_id}`, which stands in other files")
        findings.note(rule.item_id, "", "dropped", "the server stands in a file of another scope")
        return
    is_deny = rule.effect is PermissionKind.DENY
    if tools and is_deny:
        present = entry.table.get("disabled_tools")
        listed = list(present) if isinstance(present, list) else list[Value]()
        entry.table["disabled_tools"] = [*listed, *(tool for tool in tools if tool not in listed)]
        findings.note(rule.item_id, "", "exact", "`disabled_tools` of the server")
    elif tools:
        table = entry.table.get("tools")
        modes: dict[str, Value] = dict(table) if isinstance(table, dict) else {}
        modes.update({tool: {"approval_mode": "prompt"} for tool in tools})
        entry.table["tools"] = modes
        findings.note(rule.item_id, "", "exact", "`approval_mode` of the tool")
    elif is_deny:
        entry.table["enabled"] = False
        findings.note(rule.item_id, "", "approximated", "the whole server is switched off")
    else:
        entry.table["default_tools_approval_mode"] = "prompt"
        findings.note(rule.item_id, "", "approximated", "every tool of the server asks")


def _tools_of(rule: PermissionRule, server: McpServer) -> list[str] | None:
    """The single tools that the rule names, an empty list for any number of them, none if it is not concerned."""
    found = _TOOL.fullmatch(rule.tool)
    if found is None or not any(_matches(found["server"], name) for name in _claude_names(server)):
        return None
    tool = found["tool"]
    return [tool] if tool and "*" not in tool and "*" not in found["server"] else []


def _matches(pattern: str, name: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name) is not None


def _claude_names(server: McpServer) -> Iterator[str]:
    yield server.name
    yield re.sub(r"[^A-Za-z0-9_-]", "_", server.name)
    if server.provenance.plugin:
        plugin, _, name = server.name.partition(":")
        yield f"plugin_{plugin}_{name}"
