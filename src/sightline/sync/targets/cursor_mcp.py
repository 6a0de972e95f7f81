"""MCP servers as Cursor's `mcp.json`, with `${env:NAME}` for references; it has no defaults for variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sightline.sync.formats.values import Value
from sightline.sync.model import McpServer, Template, Transport
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.servers import templates_of

_EXPANDED = re.compile(r"\$\{(?:env:|userHome|workspaceFolder|pathSeparator|/)")

MCP_FATES: Mapping[str, Fate] = {
    "type": ("equivalent", "said by `command` or `url`"),
    "command": ("exact", ""),
    "args": ("exact", ""),
    "env": ("equivalent", "references as `${env:NAME}`"),
    "cwd": ("dropped", "Cursor starts servers in the folder of the project"),
    "url": ("exact", ""),
    "headers": ("equivalent", "references as `${env:NAME}`"),
    "headersHelper": ("dropped", "Cursor has no command for headers"),
    "oauth": ("approximated", "client and scopes only"),
    "alwaysLoad": ("dropped", "Cursor always loads the tools of a server"),
    "timeout": ("dropped", "Cursor has no such field"),
}


class CursorServers:
    """How Cursor writes a server."""

    title = "Cursor"
    fates = MCP_FATES
    keeps_switched_off = False
    switches_off = False

    def refusal(self, server: McpServer) -> str:
        for text in templates_of(server):
            if any(_EXPANDED.search(piece) for piece in text.literals):
                return "Cursor would replace a fixed text of the form `${env:...}`"
            if any(reference.default is not None for reference in text.references):
                return "Cursor has no default for a variable that is not set"
        return ""

    def entry(self, server: McpServer, selection: Selection, *, is_enabled: bool) -> dict[str, Value]:
        if server.transport is Transport.STDIO:
            entry: dict[str, Value] = {"command": _text(server.command) if server.command else ""}
            if server.args:
                entry["args"] = [_text(word) for word in server.args]
            if server.env:
                entry["env"] = {key: _text(text) for key, text in server.env.items()}
            return entry
        entry = {"url": _text(server.url) if server.url else ""}
        if server.headers:
            entry["headers"] = {key: _text(text) for key, text in server.headers.items()}
        if auth := _auth(server.oauth or {}):
            entry["auth"] = auth
        return entry


def _text(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"${{env:{part.name}}}" for part in template.parts)


def _auth(oauth: Mapping[str, object]) -> dict[str, Value]:
    entry: dict[str, Value] = {}
    client, scopes = oauth.get("clientId"), oauth.get("scopes")
    if isinstance(client, str):
        entry["CLIENT_ID"] = client
        if isinstance(scopes, str):
            entry["scopes"] = list(scopes.split())
    return entry
