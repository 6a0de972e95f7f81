"""MCP servers for all targets: names, fields, references, and whether a file may switch one on.

What a committed file says depends on what is committed alone: the approval of one person is not that of all others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from sightline.frozen import frozen
from sightline.sync.formats.values import Missing, Value, is_mapping
from sightline.sync.model import McpServer, McpState, Scope, SourceTree, Template, Transport
from sightline.sync.outputs import OutputScope
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.names import Names
from sightline.sync.targets.plugin_folders import note_plugin_folder, with_plugin_folder
from sightline.sync.targets.selection import Selection

_ONLY_CLAUDE = re.compile(r"CLAUDE_|user_config\.")
_APPROVE = "list it in `enabledMcpjsonServers` of `.claude/settings.json`"


class ServerDialect(Protocol):
    """How one target writes a server."""

    @property
    def title(self) -> str: ...
    @property
    def fates(self) -> Mapping[str, Fate]: ...
    @property
    def keeps_switched_off(self) -> bool:
        """Whether an entry can say that it is off; if not, such a server is not written."""
        ...

    @property
    def switches_off(self) -> bool:
        """Whether a file of the person's own can switch off what a committed file has."""
        ...

    def refusal(self, server: McpServer) -> str:
        """Why the target cannot have the server as it is; empty if it can."""
        ...

    def entry(self, server: McpServer, selection: Selection, *, is_enabled: bool) -> dict[str, Value]: ...


@frozen
class WrittenServer:
    """One entry, with the item that it comes from."""

    item_id: str
    entry: dict[str, Value]


def full_name(server: McpServer) -> str:
    """The name by which Claude Code's rules call the server."""
    plugin = server.provenance.plugin.partition("@")[0]
    return f"plugin_{plugin}_{server.name.removeprefix(f'{plugin}:')}" if plugin else server.name


def name_servers(tree: SourceTree, cleaned: Callable[[str], str] = str) -> dict[str, str]:
    """A valid name for each server, by Claude Code's; those that need no change keep theirs."""
    names = Names()
    wanted = dict.fromkeys(full_name(server) for server in tree.mcp_servers)
    in_order = sorted(wanted, key=lambda name: names.valid(cleaned(name)) != name)
    given = {name: names.give(cleaned(name), name) for name in in_order}
    return {name: given[name] for name in wanted}


def servers_by_scope(tree: SourceTree, names: Mapping[str, str]) -> dict[OutputScope, dict[str, str]]:
    """The servers that a file of a scope may name: committed ones, or those that are the same in every project."""
    every_project = {Scope.MANAGED, Scope.USER, Scope.PLUGIN}
    return {"project": _named_in({Scope.PROJECT}, tree, names), "user": _named_in(every_project, tree, names)}


def _named_in(scopes: set[Scope], tree: SourceTree, names: Mapping[str, str]) -> dict[str, str]:
    seen = (server for server in tree.mcp_servers if server.provenance.scope in scopes)
    return {name: names[name] for name in dict.fromkeys(full_name(server) for server in seen)}


def fields_of(server: McpServer) -> Iterator[str]:
    """The fields of the entry, by Claude Code's names."""
    yield "type"
    values: Mapping[str, object] = {
        "command": server.command,
        "args": server.args,
        "env": server.env,
        "cwd": server.cwd,
        "url": server.url,
        "headers": server.headers,
        "headersHelper": server.headers_helper,
        "oauth": server.oauth,
        "timeout": server.timeout_ms is not None,
        "alwaysLoad": server.always_load is not None,
    }
    yield from (name for name, value in values.items() if value)
    yield from server.extra


def templates_of(server: McpServer) -> Iterator[Template]:
    """Every text of the entry that a target gets."""
    yield from filter(None, (server.command, server.cwd, server.url))
    yield from (*server.args, *server.env.values(), *server.headers.values())


def common_refusal(server: McpServer) -> str:
    """Why no target can have the server as it is, if so."""
    if server.transport is Transport.WS:
        return "the transport `ws` has no equivalent"
    references = [reference.name for text in templates_of(server) for reference in text.references]
    for name in references:
        if _ONLY_CLAUDE.match(name):
            return f"only Claude Code knows `${{{name}}}`"
    return ""


def written_state(tree: SourceTree, server: McpServer) -> McpState:
    """The state by which the server is written: in a committed file what committed settings say of it."""
    if server.provenance.scope is not Scope.PROJECT:
        return server.state
    committed = [each for each in tree.settings if each.provenance.scope is Scope.PROJECT]
    values = {each.key: each.value for each in committed}
    disabled, enabled = values.get("disabledMcpjsonServers"), values.get("enabledMcpjsonServers")
    if isinstance(disabled, list) and server.name in disabled:
        return McpState.DISABLED
    is_listed = isinstance(enabled, list) and server.name in enabled
    is_approved = is_listed or values.get("enableAllProjectMcpServers") is True
    return McpState.ENABLED if is_approved else McpState.UNAPPROVED


def note_switched_on(server: McpServer, title: str, findings: Findings, *, by_sync: bool) -> None:
    """Say loudly that the target starts a server that the person has not got on; `by_sync` if a wider sync mends it."""
    findings.delta(
        f"laxer: `{server.item_id}` is {server.state} for you in Claude Code, but the project's settings switch it on, "
        f"and so do its files for {title}: it is started there",
        is_first=True,
    )
    how = ": `sightline sync --scope all` does it" if by_sync else ""
    findings.step(f"{title}: switch `{server.name}` off for yourself, as you have it in Claude Code{how}")


def note_state(server: McpServer, state: McpState, title: str, findings: Findings) -> None:
    """Say it where a committed file says less than the person has approved, and where the server is off."""
    if state is not McpState.ENABLED and server.state is McpState.ENABLED:
        reason = "you have approved it for yourself; a committed file cannot say so"
        findings.note(server.item_id, "state", "approximated", f"off: {reason}")
        findings.delta(
            f"stricter: `{server.item_id}` is on for you alone in Claude Code, so the project's files have it off"
        )
        findings.step(f"{title}: to have `{server.name}` switched on in the project's files, {_APPROVE}")
    elif state is not McpState.ENABLED:
        findings.note(server.item_id, "state", "exact", f"{state} in Claude Code: off")


def off_for_you(selection: Selection, names: Mapping[str, str], dialect: ServerDialect) -> dict[str, McpServer]:
    """The servers that committed files switch on and the person has not got on, by name: for the person's own file."""
    if "user" not in selection.scopes or not dialect.switches_off:
        return {}
    return {
        names[full_name(server)]: server
        for server in selection.tree.mcp_servers
        if is_on_against_you(selection.tree, server)
        and not (selection.refusal(server) or common_refusal(server) or dialect.refusal(server))
    }


def entries_off(servers: Value | Missing) -> dict[str, Mapping[str, Value]]:
    """The entries in a table of servers that say `enabled = false`, by their names."""
    entries = servers.items() if is_mapping(servers) else ()
    return {name: entry for name, entry in entries if is_mapping(entry) and entry.get("enabled") is False}


def is_on_against_you(tree: SourceTree, server: McpServer) -> bool:
    """Whether committed settings switch on what the person has off, or has not approved, in Claude Code."""
    is_off = server.provenance.scope is Scope.PROJECT and server.state is not McpState.ENABLED
    return is_off and written_state(tree, server) is McpState.ENABLED


def note_off_for_you(server: McpServer, name: str, title: str, findings: Findings) -> None:
    findings.note(server.item_id, "state", "exact", f"{server.state} in Claude Code: off in your configuration")
    findings.delta(
        f"stricter: `{server.item_id}` is {server.state} for you in Claude Code; {title} knows servers by name alone, "
        f"so `{name}` is off for you in every project"
    )


def note_without(server: McpServer, findings: Findings, reason: str, *, is_refused: bool = True) -> None:
    """The whole server, and each field that it has: none of them arrives."""
    grade = "refused" if is_refused else "dropped"
    findings.note(server.item_id, "", grade, reason)
    for key in fields_of(server):
        findings.note(server.item_id, key, grade, "goes with the server")


def render_servers(
    selection: Selection,
    names: Mapping[str, str],
    scope: OutputScope,
    dialect: ServerDialect,
    off: frozenset[str] = frozenset(),
) -> dict[str, WrittenServer]:
    """The entries of one scope, by their valid names; `off` are those that the person's own file switches off now."""
    findings = selection.findings
    entries: dict[str, WrittenServer] = {}
    for item, place in selection.choose(selection.tree.mcp_servers):
        if place != scope:
            continue
        server = with_plugin_folder(item, selection.tree) if scope == "user" else item
        name, state = names[full_name(server)], written_state(selection.tree, server)
        is_enabled = state is McpState.ENABLED
        if reason := common_refusal(server) or dialect.refusal(server):
            note_without(server, findings, reason)
            continue
        if not is_on_against_you(selection.tree, server):
            note_state(server, state, dialect.title, findings)
        elif not dialect.switches_off or ("user" not in selection.scopes and name not in off):
            note_switched_on(server, dialect.title, findings, by_sync=dialect.switches_off)
        if not is_enabled and not dialect.keeps_switched_off:
            note_without(server, findings, f"{state}, so it is not written", is_refused=False)
            continue
        entries[name] = WrittenServer(server.item_id, dialect.entry(server, selection, is_enabled=is_enabled))
        grade, why = ("exact", "") if name == server.name else ("equivalent", f"called `{name}`")
        findings.note(server.item_id, "", grade, why)
        findings.note(server.item_id, "name", "exact" if not why else "approximated", why)
        note_plugin_folder(item, server, findings)
        findings.note_fields(server.item_id, fields_of(server), dialect.fates)
    return entries
