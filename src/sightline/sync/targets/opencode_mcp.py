"""MCP servers as OpenCode's `mcp` table, with `{env:NAME}` for references.

OpenCode pastes `{env:NAME}` and `{file:path}` into the raw text of the file before it reads it: a fixed text of that
form keeps a server out, and so does a default, which it does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sightline.sync.formats.values import Value
from sightline.sync.model import McpServer, Template, Transport
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.servers import templates_of

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


class OpenCodeServers:
    """How OpenCode writes a server."""

    title = "OpenCode"
    fates = MCP_FATES
    keeps_switched_off = True
    switches_off = True

    def refusal(self, server: McpServer) -> str:
        for text in templates_of(server):
            if any(_PASTED.search(piece) for piece in text.literals):
                return "OpenCode would replace a fixed text of the form `{env:...}` or `{file:...}`"
            if any(reference.default is not None for reference in text.references):
                return "OpenCode has no default for a variable that is not set"
        return ""

    def entry(self, server: McpServer, selection: Selection, *, is_enabled: bool) -> dict[str, Value]:
        entry = _started(server) if server.transport is Transport.STDIO else _reached(server)
        if not is_enabled:
            # An entry that says `true` would win over a person's own `false`; without it that one holds (1.18.33).
            entry["enabled"] = False
        if server.timeout_ms:
            entry["timeout"] = server.timeout_ms
        if any(not text.is_literal for text in templates_of(server)):
            selection.findings.warn(
                "OpenCode pastes the values of variables into its configuration: one with a quote or a backslash in it "
                "keeps OpenCode from starting, and one that is not set is empty"
            )
        return entry


def _text(template: Template) -> str:
    return "".join(part if isinstance(part, str) else f"{{env:{part.name}}}" for part in template.parts)


def _started(server: McpServer) -> dict[str, Value]:
    words = [*filter(None, [server.command]), *server.args]
    entry: dict[str, Value] = {"type": "local", "command": [_text(word) for word in words]}
    if server.env:
        entry["environment"] = {key: _text(text) for key, text in server.env.items()}
    if server.cwd:
        entry["cwd"] = _text(server.cwd)
    return entry


def _reached(server: McpServer) -> dict[str, Value]:
    entry: dict[str, Value] = {"type": "remote", "url": _text(server.url) if server.url else ""}
    if server.headers:
        entry["headers"] = {key: _text(text) for key, text in server.headers.items()}
    if oauth := _oauth(server.oauth or {}):
        entry["oauth"] = oauth
    return entry


def _oauth(oauth: Mapping[str, object]) -> dict[str, Value]:
    names = {"clientId": "clientId", "scopes": "scope", "callbackPort": "callbackPort"}
    found = {names[key]: value for key, value in oauth.items() if key in names}
    return {key: value for key, value in found.items() if isinstance(value, str | int)}
