"""MCP servers as OpenCode's `mcp` table, with `{env:NAME}` for references.

OpenCode pastes `{env:NAME}` and `{file:path}` into the raw text of the file before it reads it: a fixed text of that
form keeps a server out, and so does a default, which it does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sightline.sync.formats.values import Value
from sightline.sync.model import McpServer, McpState, SourceTree, Template, Transport
from sightline.sync.outputs import OutputScope
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.gemini_mcp import full_name, present_fields, reason_to_refuse, servers_for, templates_of
from sightline.sync.targets.names import Names
from sightline.sync.targets.selection import Selection

__all__ = ["MCP_FATES", "name_servers", "render_servers", "servers_for"]

_PASTED = re.compile(r"\{(?:env|file):")

MCP_FATES: Mapping[str, Fate] = {
    "type": ("equivalent", "`local` or `remote`"),
    "command": ("equivalent", "the first word of `command`"),
    "args": ("equivalent", "the other words of `command`"),
    "env": ("equivalent", "`environment`"),
    "cwd": ("exact", ""),
    "url": ("exact", ""),
    "headers": ("exact", ""),
    "headersHelper": ("dropped", "OpenCode has no command for headers"),
    "oauth": ("approximated", "without the address of the server's metadata"),
    "alwaysLoad": ("dropped", "OpenCode always loads the tools of a server"),
    "timeout": ("approximated", "it also limits connecting"),
}


def name_servers(tree: SourceTree) -> dict[str, str]:
    """A valid name for each server."""
    names = Names()
    wanted = dict.fromkeys(full_name(server) for server in tree.mcp_servers)
    in_order = sorted(wanted, key=lambda name: names.valid(name) != name)
    given = {name: names.give(name, name) for name in in_order}
    return {name: given[name] for name in wanted}


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
        if reason := _reason(server):
            findings.note(server.item_id, "", "refused", reason)
            continue
        entries[name] = (server.item_id, _entry(server))
        grade, why = ("exact", "") if name == server.name else ("equivalent", f"called `{name}`")
        if server.state is not McpState.ENABLED:
            grade, why = "equivalent", f"{server.state} in Claude Code, so it is switched off"
        findings.note(server.item_id, "", grade, why)
        findings.note_fields(server.item_id, present_fields(server), MCP_FATES)
        if any(not text.is_literal for text in templates_of(server)):
            findings.warn(
                "OpenCode pastes the values of variables into its configuration: one with a quote or a backslash in it "
                "keeps OpenCode from starting, and one that is not set is empty"
            )
    return entries


def _reason(server: McpServer) -> str:
    if reason := reason_to_refuse(server):
        return reason
    for text in templates_of(server):
        if any(_PASTED.search(piece) for piece in text.literals):
            return "OpenCode would replace a fixed text of the form `{env:...}` or `{file:...}`"
        if any(reference.default is not None for reference in text.references):
            return "OpenCode has no default for a variable that is not set"
    return ""


def _text(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"{{env:{part.name}}}" for part in template.parts)


def _entry(server: McpServer) -> dict[str, Value]:
    entry: dict[str, Value]
    if server.transport is Transport.STDIO:
        words = [*filter(None, [server.command]), *server.args]
        entry = {"type": "local", "command": [_text(word) for word in words]}
        if server.env:
            entry["environment"] = {key: _text(text) for key, text in server.env.items()}
        if server.cwd:
            entry["cwd"] = _text(server.cwd)
    else:
        entry = {"type": "remote", "url": _text(server.url) if server.url else ""}
        if server.headers:
            entry["headers"] = {key: _text(text) for key, text in server.headers.items()}
        if oauth := _oauth(server.oauth or {}):
            entry["oauth"] = oauth
    entry["enabled"] = server.state is McpState.ENABLED
    if server.timeout_ms:
        entry["timeout"] = server.timeout_ms
    return entry


def _oauth(oauth: Mapping[str, object]) -> dict[str, Value]:
    names = {"clientId": "clientId", "scopes": "scope", "callbackPort": "callbackPort"}
    found = {names[key]: value for key, value in oauth.items() if key in names}
    return {key: value for key, value in found.items() if isinstance(value, str | int)}
