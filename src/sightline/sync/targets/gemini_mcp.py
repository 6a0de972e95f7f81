"""MCP servers as Gemini CLI's `settings.json` wants them.

Gemini CLI expands `$NAME`, `${NAME}` and `${NAME:-default}` in every string of the file, so references stay as they
are, and a fixed text that only looks like a reference keeps a server out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sightline.sync.formats.values import Value
from sightline.sync.model import McpServer, McpState, PermissionKind, SourceTree, Template, Transport
from sightline.sync.outputs import OutputScope
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.names import Names
from sightline.sync.targets.selection import Selection

_LOOKS_EXPANDED = re.compile(r"\$(?:[A-Za-z_]|\{)")
_ONLY_CLAUDE = re.compile(r"CLAUDE_|user_config\.")

MCP_FATES: Mapping[str, Fate] = {
    "type": ("equivalent", "said by `command`, `httpUrl` or `url`"),
    "command": ("exact", ""),
    "args": ("exact", ""),
    "env": ("exact", ""),
    "cwd": ("exact", ""),
    "url": ("equivalent", "`httpUrl`, or `url` for server-sent events"),
    "headers": ("exact", ""),
    "headersHelper": ("dropped", "Gemini CLI has no command for headers"),
    "oauth": ("approximated", "client and scopes only; Gemini CLI finds the rest itself"),
    "alwaysLoad": ("dropped", "Gemini CLI always loads the tools of a server"),
    "timeout": ("exact", "milliseconds in both"),
}


def full_name(server: McpServer) -> str:
    """The name by which Claude Code's rules call the server."""
    plugin = server.provenance.plugin.partition("@")[0]
    return f"plugin_{plugin}_{server.name.removeprefix(f'{plugin}:')}" if plugin else server.name


def name_servers(tree: SourceTree) -> dict[str, str]:
    """A valid name for each server, without underscores: policies split the names of tools at the first one."""
    names = Names()
    wanted = dict.fromkeys(full_name(server) for server in tree.mcp_servers)
    in_order = sorted(wanted, key=lambda name: names.valid(name.replace("_", "-")) != name)
    given = {name: names.give(name.replace("_", "-"), name) for name in in_order}
    return {name: given[name] for name in wanted}


def servers_for(scope: OutputScope, tree: SourceTree, names: Mapping[str, str]) -> dict[str, str]:
    """The servers that a file of this scope may name: a committed one only those that are committed."""
    seen = (server for server in tree.mcp_servers if scope == "user" or server.provenance.scope.is_committed)
    return {name: names[name] for name in dict.fromkeys(full_name(server) for server in seen)}


def present_fields(server: McpServer) -> Iterator[str]:
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
        "timeout": server.timeout_ms,
        "alwaysLoad": server.always_load,
    }
    yield from (name for name, value in values.items() if value)
    yield from server.extra


def templates_of(server: McpServer) -> Iterator[Template]:
    """Every text of the entry that a target gets."""
    yield from filter(None, (server.command, server.cwd, server.url))
    yield from (*server.args, *server.env.values(), *server.headers.values())


def reason_to_refuse(server: McpServer) -> str:
    """Why no target can have the server as it is, if so."""
    if server.transport is Transport.WS:
        return "the transport `ws` has no equivalent"
    references = [reference.name for text in templates_of(server) for reference in text.references]
    for name in references:
        if _ONLY_CLAUDE.match(name):
            return f"only Claude Code knows `${{{name}}}`"
    return ""


def _reason(server: McpServer) -> str:
    if reason := reason_to_refuse(server):
        return reason
    fixed = (piece for text in templates_of(server) for piece in text.literals)
    if any(_LOOKS_EXPANDED.search(piece) for piece in fixed):
        return "Gemini CLI would expand a fixed text with a dollar sign"
    return ""


def render_servers(
    selection: Selection, names: Mapping[str, str], scope: OutputScope
) -> dict[str, tuple[str, dict[str, Value]]]:
    """By valid name: the id of the item and its entry."""
    findings = selection.findings
    entries: dict[str, tuple[str, dict[str, Value]]] = {}
    for server, place in selection.choose(selection.tree.mcp_servers):
        if place != scope:
            continue
        name = names[full_name(server)]
        if server.state is not McpState.ENABLED:
            findings.note(server.item_id, "", "dropped", f"{server.state} in Claude Code, so it is not written")
        elif reason := _reason(server):
            findings.note(server.item_id, "", "refused", reason)
        else:
            entries[name] = (server.item_id, _entry(server, _excluded(selection, server)))
            grade, why = ("exact", "") if name == server.name else ("equivalent", f"called `{name}`")
            findings.note(server.item_id, "", grade, why)
            findings.note_fields(server.item_id, present_fields(server), MCP_FATES)
    return entries


def _excluded(selection: Selection, server: McpServer) -> list[Value]:
    """The tools that rules of the same scope deny."""
    prefix = f"mcp__{full_name(server)}__"
    return [
        rule.tool.removeprefix(prefix)
        for rule in selection.tree.permissions
        if rule.effect is PermissionKind.DENY
        and rule.scope is server.provenance.scope
        and rule.tool.startswith(prefix)
        and "*" not in rule.tool
        and rule.pattern is None
    ]


def _entry(server: McpServer, excluded: list[Value]) -> dict[str, Value]:
    entry: dict[str, Value] = {}
    if server.transport is Transport.STDIO:
        entry["command"] = server.command.text if server.command else ""
        if server.args:
            entry["args"] = [text.text for text in server.args]
        if server.env:
            entry["env"] = {key: text.text for key, text in server.env.items()}
        if server.cwd:
            entry["cwd"] = server.cwd.text
    else:
        address = server.url.text if server.url else ""
        entry |= {"url": address, "type": "sse"} if server.transport is Transport.SSE else {"httpUrl": address}
        if server.headers:
            entry["headers"] = {key: text.text for key, text in server.headers.items()}
        if server.oauth:
            entry["oauth"] = _oauth(server.oauth)
    if server.timeout_ms is not None:
        entry["timeout"] = server.timeout_ms
    if excluded:
        entry["excludeTools"] = excluded
    return entry


def _oauth(oauth: Mapping[str, object]) -> dict[str, Value]:
    entry: dict[str, Value] = {}
    client, scopes = oauth.get("clientId"), oauth.get("scopes")
    if isinstance(client, str):
        entry["clientId"] = client
    if isinstance(scopes, str):
        entry["scopes"] = list(scopes.split())
    return entry
