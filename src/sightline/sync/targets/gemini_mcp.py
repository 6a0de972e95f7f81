"""MCP servers as Gemini CLI's `settings.json` wants them.

Gemini CLI expands `$NAME`, `${NAME}` and `${NAME:-default}` in every string of the file, so references stay as they
are, and a fixed text that only looks like a reference keeps a server out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sightline.sync.formats.values import Value
from sightline.sync.model import McpServer, PermissionKind, SourceTree, Transport
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.servers import full_name, name_servers, templates_of

_LOOKS_EXPANDED = re.compile(r"\$(?:[A-Za-z_]|\{)")

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


def gemini_names(tree: SourceTree) -> dict[str, str]:
    """Names without underscores: policies split the names of tools at the first one."""
    return name_servers(tree, lambda name: name.replace("_", "-"))


class GeminiServers:
    """How Gemini CLI writes a server."""

    title = "Gemini CLI"
    fates = MCP_FATES
    keeps_switched_off = False
    switches_off = True

    def refusal(self, server: McpServer) -> str:
        fixed = (piece for text in templates_of(server) for piece in text.literals)
        if any(_LOOKS_EXPANDED.search(piece) for piece in fixed):
            return "Gemini CLI would expand a fixed text with a dollar sign"
        return ""

    def entry(self, server: McpServer, selection: Selection, *, is_enabled: bool) -> dict[str, Value]:
        entry = _started(server) if server.transport is Transport.STDIO else _reached(server)
        if server.timeout_ms is not None:
            entry["timeout"] = server.timeout_ms
        if excluded := _excluded(selection, server):
            entry["excludeTools"] = excluded
        return entry


def _started(server: McpServer) -> dict[str, Value]:
    entry: dict[str, Value] = {"command": server.command.text if server.command else ""}
    if server.args:
        entry["args"] = [text.text for text in server.args]
    if server.env:
        entry["env"] = {key: text.text for key, text in server.env.items()}
    if server.cwd:
        entry["cwd"] = server.cwd.text
    return entry


def _reached(server: McpServer) -> dict[str, Value]:
    address = server.url.text if server.url else ""
    is_sse = server.transport is Transport.SSE
    entry: dict[str, Value] = {"url": address, "type": "sse"} if is_sse else {"httpUrl": address}
    if server.headers:
        entry["headers"] = {key: text.text for key, text in server.headers.items()}
    if server.oauth:
        entry["oauth"] = _oauth(server.oauth)
    return entry


def _oauth(oauth: Mapping[str, object]) -> dict[str, Value]:
    entry: dict[str, Value] = {}
    client, scopes = oauth.get("clientId"), oauth.get("scopes")
    if isinstance(client, str):
        entry["clientId"] = client
    if isinstance(scopes, str):
        entry["scopes"] = list(scopes.split())
    return entry


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
