"""MCP servers as tables of `config.toml`, in the forms that Codex starts with; what it cannot say refuses the server.

Codex merges the tables of the user and the project field by field. So a server of the user is left out where the
project has one of the same name, unless the mixture would be the project's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sightline.sync.formats.values import Value, is_mapping
from sightline.sync.model import McpServer, McpState, Transport
from sightline.sync.model_values import Reference, Template
from sightline.sync.outputs import Grade, OutputScope
from sightline.sync.targets.findings import Findings

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_BEARER = re.compile(r"bearer\s+", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ROOT_VARIABLE = "CLAUDE_PLUGIN_ROOT"


class Inexpressible(ValueError):
    """A server that Codex cannot be told about; the message names the place, never a value."""


@dataclass(slots=True)
class ServerEntry:
    """The table of one server while it is put together, and the fate of its fields."""

    table: dict[str, Value] = field(default_factory=dict[str, Value])
    grades: dict[str, tuple[Grade, str]] = field(default_factory=dict[str, tuple[Grade, str]])

    def say(self, name: str, grade: Grade, reason: str = "") -> None:
        self.grades.setdefault(name, (grade, reason))


def server_entry(server: McpServer, state: McpState, plugin_root: Path | None = None) -> ServerEntry:
    """The table for a server; raises `Inexpressible`."""
    if server.transport in {Transport.SSE, Transport.WS}:
        raise Inexpressible(f"Codex speaks no `{server.transport}`")
    entry = ServerEntry()
    entry.say("type", "equivalent", "told by the fields that are there")
    if server.transport is Transport.STDIO:
        _stdio(server, entry, plugin_root)
    else:
        _http(server, entry, plugin_root)
    if server.timeout_ms is not None:
        entry.table["tool_timeout_sec"] = server.timeout_ms / 1000
        entry.say("timeout", "equivalent", "`tool_timeout_sec`, in seconds")
    if state is not McpState.ENABLED:
        entry.table["enabled"] = False
    if server.always_load is not None:
        entry.say("alwaysLoad", "dropped", "Codex has no such field")
    for key in server.extra:
        entry.say(key, "dropped", "this version does not know the field")
    return entry


def _stdio(server: McpServer, entry: ServerEntry, root: Path | None) -> None:
    if server.url is not None or server.headers or server.headers_helper is not None:
        raise Inexpressible("a command together with an address")
    entry.table["command"] = _literal(server.command, "command", root)
    entry.say("command", "exact")
    if server.args:
        entry.table["args"] = [_literal(arg, f"args[{at}]", root) for at, arg in enumerate(server.args)]
        entry.say("args", "exact")
    if server.cwd is not None:
        entry.table["cwd"] = _literal(server.cwd, "cwd", root)
        entry.say("cwd", "exact")
    _environment(server, entry, root)


def _environment(server: McpServer, entry: ServerEntry, root: Path | None) -> None:
    passed: list[Value] = []
    fixed: dict[str, Value] = {}
    for name, template in server.env.items():
        reference = template.only_reference
        if reference is not None and reference.name == name and reference.default is None:
            passed.append(name)
        elif reference is not None and reference.default is None and reference.name != _ROOT_VARIABLE:
            raise Inexpressible(f"env.{name} takes the value of another variable")
        else:
            fixed[name] = _literal(template, f"env.{name}", root)
    if passed:
        entry.table["env_vars"] = passed
    if fixed:
        entry.table["env"] = fixed
    if server.env:
        entry.say("env", "equivalent" if passed else "exact", "variables are passed on by name" if passed else "")


def _http(server: McpServer, entry: ServerEntry, root: Path | None) -> None:
    if server.command is not None or server.args or server.env or server.cwd is not None:
        raise Inexpressible("an address together with a command, `env` or `cwd`")
    url = _literal(server.url, "url", root)
    if not url.lower().startswith(("http://", "https://")):
        raise Inexpressible("the address is neither http nor https")
    entry.table["url"] = url
    entry.say("url", "exact")
    _headers(server, entry, root)
    if server.headers_helper is not None:
        entry.table["http_headers_helper"] = _literal(server.headers_helper, "headersHelper", root)
        entry.say("headersHelper", "equivalent", "`http_headers_helper`")
    _oauth(server, entry)


def _headers(server: McpServer, entry: ServerEntry, root: Path | None) -> None:
    fixed: dict[str, Value] = {}
    by_variable: dict[str, Value] = {}
    for name, template in server.headers.items():
        match template.parts:
            case (Reference(name=variable, default=None),) if _VARIABLE.fullmatch(variable):
                by_variable[name] = variable
            case (str() as scheme, Reference(name=variable, default=None)) if (
                name.lower() == "authorization" and _BEARER.fullmatch(scheme) and _VARIABLE.fullmatch(variable)
            ):
                entry.table["bearer_token_env_var"] = variable
            case _:
                fixed[name] = _literal(template, f"headers.{name}", root)
    if fixed:
        entry.table["http_headers"] = fixed
    if by_variable:
        entry.table["env_http_headers"] = by_variable
    if server.headers:
        entry.say("headers", "equivalent", "references stay references")


def _oauth(server: McpServer, entry: ServerEntry) -> None:
    if server.oauth is None:
        return
    known: dict[str, Value] = {}
    client, port, scopes = (server.oauth.get(key) for key in ("clientId", "callbackPort", "scopes"))
    if isinstance(client, str):
        known["client_id"] = client
    if isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65536:
        known["callback_port"] = port
    if known:
        entry.table["oauth"] = known
    words = scopes.split() if isinstance(scopes, str) else scopes
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        entry.table["scopes"] = list[Value](words)
    lost = sorted(set(server.oauth) - {"clientId", "callbackPort", "scopes"})
    entry.say("oauth", "approximated" if lost else "equivalent", f"without {', '.join(lost)}" if lost else "")


def _literal(template: Template | None, place: str, root: Path | None) -> str:
    if template is None:
        raise Inexpressible(f"there is no {place}")
    pieces: list[str] = []
    for part in template.parts:
        if isinstance(part, str):
            pieces.append(part)
        elif part.name == _ROOT_VARIABLE and root is not None:
            pieces.append(root.as_posix())
        else:
            raise Inexpressible(f"a reference in {place}: Codex expands none there")
    return "".join(pieces)


def codex_names(servers: Iterable[tuple[McpServer, OutputScope]]) -> dict[str, str]:
    """A valid name for each server; where two become one in a scope, only an unchanged one keeps it."""
    names: dict[str, str] = {}
    groups: dict[tuple[OutputScope, str], list[McpServer]] = {}
    for server, scope in servers:
        groups.setdefault((scope, _NOT_IN_NAMES.sub("_", server.name)), []).append(server)
    for (_scope, valid), members in groups.items():
        is_alone = len(members) == 1
        for server in members:
            digest = hashlib.sha256(server.item_id.encode("utf-8", "surrogatepass")).hexdigest()[:6]
            names[server.item_id] = valid if is_alone or server.name == valid else f"{valid}_{digest}"
    return names


def is_covered_by(user: Value, project: Value) -> bool:
    """Whether the project's table, merged over the user's, is still the project's."""
    if is_mapping(user) and is_mapping(project):
        return all(key in project and is_covered_by(value, project[key]) for key, value in user.items())
    return not is_mapping(user) and not is_mapping(project)


def note_server(server: McpServer, name: str, entry: ServerEntry, findings: Findings) -> None:
    is_same = name == server.name
    findings.note(server.item_id, "", "equivalent", f"`[mcp_servers.{name}]`")
    findings.note(server.item_id, "name", "exact" if is_same else "approximated", "" if is_same else f"`{name}` here")
    for key, (grade, reason) in entry.grades.items():
        findings.note(server.item_id, key, grade, reason)
