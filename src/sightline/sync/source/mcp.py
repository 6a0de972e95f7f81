"""MCP server entries of all scopes, and whether Claude Code would start them.

An entry of the project file needs approval. What the folder's own settings approve, the local file included, counts
only once the person has trusted the folder, since otherwise a repository could approve itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from sightline.frozen import frozen
from sightline.sync.model import McpServer, McpState, Transport
from sightline.sync.model_values import InputFile, ItemKind, JsonValue, Provenance, Scope, Template
from sightline.sync.secret_shapes import shown_name
from sightline.sync.source.json_text import JsonText, Pointer
from sightline.sync.source.known_keys import MCP_FIELDS, OAUTH_FIELDS, RESERVED_SERVERS
from sightline.sync.source.reading import Reading
from sightline.sync.source.settings import SettingsFile
from sightline.sync.state_part import used_part

_TRANSPORTS = {
    "stdio": Transport.STDIO,
    "http": Transport.HTTP,
    "streamable-http": Transport.HTTP,
    "sse": Transport.SSE,
    "ws": Transport.WS,
}
_USED_OF_STATE = ("mcpServers", "enabledMcpjsonServers", "disabledMcpjsonServers", "disabledMcpServers")


class MalformedServer(ValueError):
    """An entry that Claude Code would refuse."""


@frozen
class Approvals:
    """Which servers a person has approved or switched off."""

    enabled: frozenset[str]
    disabled: frozenset[str]
    is_all_enabled: bool
    switched_off: frozenset[str]

    def state(self, name: str, scope: Scope) -> McpState:
        if name in self.switched_off:
            return McpState.DISABLED
        if scope is not Scope.PROJECT:
            return McpState.ENABLED
        if name in self.disabled:
            return McpState.DISABLED
        return McpState.ENABLED if self.is_all_enabled or name in self.enabled else McpState.UNAPPROVED


def read_servers(reading: Reading, settings: list[SettingsFile]) -> list[McpServer]:
    """The servers of all scopes but plugins."""
    state = _State.read(reading)
    approvals = _approvals(settings, state)
    places = reading.places
    servers: list[McpServer] = []
    for scope, file in (
        (Scope.MANAGED, places.managed / "managed-mcp.json"),
        (Scope.PROJECT, places.project / ".mcp.json"),
    ):
        parsed = reading.json_of(file, ItemKind.MCP)
        if parsed is not None:
            origin = Provenance(file, 1, scope)
            servers.extend(
                servers_in(
                    reading, _servers_table(reading, parsed, origin), parsed, ("mcpServers",), origin, approvals.state
                )
            )
    if state is not None:
        servers.extend(state.servers(reading, approvals))
    return servers


def _servers_table(reading: Reading, parsed: JsonText, origin: Provenance) -> JsonValue:
    if not isinstance(parsed.value, dict):
        reading.block(origin.file, 1, "the file is not a table", ItemKind.MCP)
        return None
    for key in parsed.value:
        if key != "mcpServers":
            reading.report_unknown(key, "mcp file", origin.at_line(parsed.line_of(key)))
    return parsed.value.get("mcpServers")


@frozen
class _State:
    """The part of the state file that matters here: user servers, and the entry of this project."""

    parsed: JsonText
    table: dict[str, JsonValue]
    project_key: str | None
    origin: Provenance

    @classmethod
    def read(cls, reading: Reading) -> _State | None:
        keys = _project_keys(reading)

        def is_wanted(pointer: Pointer) -> bool:
            if pointer[:1] == ("projects",):
                return len(pointer) < 2 or (pointer[1] in keys and (len(pointer) < 3 or pointer[2] in _USED_OF_STATE))
            return not pointer or pointer[0] == "mcpServers"

        parsed = reading.state_of(is_wanted, ItemKind.MCP)
        if parsed is None:
            return None
        origin = Provenance(reading.places.state_file, 1, Scope.USER)
        if not isinstance(parsed.value, dict):
            reading.block(origin.file, 1, "the file is not a table", ItemKind.MCP)
            return None
        projects = parsed.value.get("projects")
        found = next((key for key in keys if isinstance(projects, dict) and key in projects), None)
        state = cls(parsed, parsed.value, found, origin)
        _note_used_part(reading, state, keys)
        return state

    @property
    def project(self) -> dict[str, JsonValue]:
        projects = self.table.get("projects")
        entry = projects.get(self.project_key) if isinstance(projects, dict) and self.project_key else None
        return entry if isinstance(entry, dict) else {}

    def names(self, key: str) -> frozenset[str]:
        return _strings(self.project.get(key))

    def servers(self, reading: Reading, approvals: Approvals) -> Iterator[McpServer]:
        if self.project_key:
            local = Provenance(self.origin.file, 1, Scope.LOCAL)
            pointer = ("projects", self.project_key, "mcpServers")
            yield from servers_in(reading, self.project.get("mcpServers"), self.parsed, pointer, local, approvals.state)
        user = self.table.get("mcpServers")
        yield from servers_in(reading, user, self.parsed, ("mcpServers",), self.origin, approvals.state)


def _project_keys(reading: Reading) -> tuple[str, ...]:
    """The names under which the project may stand in the state file."""
    roots = (reading.places.start, reading.places.project)
    return tuple(dict.fromkeys(path.as_posix() for root in roots for path in (root, reading.files.resolve(root))))


def _note_used_part(reading: Reading, state: _State, keys: tuple[str, ...]) -> None:
    """Claude Code rewrites this file all the time: only what is used of it counts as input."""
    file, text = state.origin.file, used_part(state.table, keys)
    reading.files.note_state_part(file, keys, text)
    reading.inputs[file] = InputFile(file, hashlib.sha256(text.encode()).hexdigest())


def _strings(value: JsonValue) -> frozenset[str]:
    return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()


def _approvals(settings: list[SettingsFile], state: _State | None) -> Approvals:
    trusted = state is not None and state.project.get("hasTrustDialogAccepted") is True
    believed = [file for file in settings if trusted or file.scope not in {Scope.PROJECT, Scope.LOCAL}]
    enabled = {name for file in believed for name in file.strings("enabledMcpjsonServers")}
    disabled = {name for file in settings for name in file.strings("disabledMcpjsonServers")}
    everything = any(file.table.get("enableAllProjectMcpServers") is True for file in believed)
    refused = {name for file in settings for name in _denied_names(file)}
    if state is not None:
        enabled |= state.names("enabledMcpjsonServers") if trusted else frozenset()
        disabled |= state.names("disabledMcpjsonServers")
        refused |= state.names("disabledMcpServers")
    return Approvals(frozenset(enabled), frozenset(disabled), everything, frozenset(refused))


def _denied_names(file: SettingsFile) -> Iterator[str]:
    entries = file.table.get("deniedMcpServers")
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("serverName") if isinstance(entry, dict) else None
        if isinstance(name, str):
            yield name


def servers_in(
    reading: Reading,
    table: JsonValue,
    parsed: JsonText,
    pointer: Pointer,
    origin: Provenance,
    state: Callable[[str, Scope], McpState],
    prefix: str = "",
) -> Iterator[McpServer]:
    """The servers of one `mcpServers` table; an entry that Claude Code would refuse is a problem of that item."""
    if table is None:
        return
    if not isinstance(table, dict):
        reading.block(origin.file, parsed.line_of(*pointer), "`mcpServers` is not a table", ItemKind.MCP)
        return
    for name, entry in table.items():
        provenance = origin.at_line(parsed.line_of(*pointer, name))
        item_id = f"mcp:{shown_name(f'{prefix}{name}')}@{origin.scope}"
        if name in RESERVED_SERVERS:
            reading.warn(origin.file, provenance.line, f"`{name}` is a reserved server name; Claude Code skips it")
            continue
        try:
            yield _server(reading, f"{prefix}{name}", entry, item_id, provenance, state(name, origin.scope))
        except MalformedServer as error:
            message = f"the MCP server `{shown_name(name)}`: {error}"
            reading.block(origin.file, provenance.line, message, items=frozenset({item_id}))


def _server(
    reading: Reading, name: str, entry: JsonValue, item_id: str, provenance: Provenance, state: McpState
) -> McpServer:
    if not isinstance(entry, dict):
        raise MalformedServer("the entry is not a table")
    transport = _transport(entry)
    for key in entry:
        if key not in MCP_FIELDS:
            reading.report_unknown(key, f"mcpServers.{shown_name(name)}", provenance)
    oauth = entry.get("oauth")
    for key in oauth if isinstance(oauth, dict) else ():
        if key not in OAUTH_FIELDS:
            reading.report_unknown(key, f"mcpServers.{shown_name(name)}.oauth", provenance)
    return McpServer(
        item_id=item_id,
        provenance=provenance,
        name=name,
        transport=transport,
        state=state,
        command=_template(entry, "command"),
        args=_templates(entry, "args"),
        env=_template_table(entry, "env"),
        cwd=_template(entry, "cwd"),
        url=_template(entry, "url"),
        headers=_template_table(entry, "headers"),
        headers_helper=_template(entry, "headersHelper"),
        oauth=oauth if isinstance(oauth, dict) else None,
        timeout_ms=_milliseconds(entry),
        always_load=cast("bool | None", entry.get("alwaysLoad")) if isinstance(entry.get("alwaysLoad"), bool) else None,
        extra={key: value for key, value in entry.items() if key not in MCP_FIELDS},
    )


def _transport(entry: dict[str, JsonValue]) -> Transport:
    kind = entry.get("type")
    if kind is None and "url" in entry:
        raise MalformedServer("`url` without `type`")
    if kind is not None and kind not in _TRANSPORTS:
        raise MalformedServer("`type` is none of stdio, http, sse, ws")
    transport = _TRANSPORTS[kind] if isinstance(kind, str) else Transport.STDIO
    needed = "command" if transport is Transport.STDIO else "url"
    if not entry.get(needed):
        raise MalformedServer(f"`{needed}` is missing")
    return transport


def _template(entry: Mapping[str, JsonValue], key: str) -> Template | None:
    value = entry.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise MalformedServer(f"`{key}` is not a string")
    return Template.parse(value)


def _templates(entry: Mapping[str, JsonValue], key: str) -> tuple[Template, ...]:
    values = entry.get(key)
    if values is None:
        return ()
    if not isinstance(values, list):
        raise MalformedServer(f"`{key}` is not a list of strings")
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        raise MalformedServer(f"`{key}` is not a list of strings")
    return tuple(Template.parse(text) for text in texts)


def _template_table(entry: Mapping[str, JsonValue], key: str) -> dict[str, Template]:
    table = entry.get(key)
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise MalformedServer(f"`{key}` is not a table of strings")
    texts = {name: value for name, value in table.items() if isinstance(value, str)}
    if len(texts) != len(table):
        raise MalformedServer(f"`{key}` is not a table of strings")
    return {name: Template.parse(text) for name, text in texts.items()}


def _milliseconds(entry: Mapping[str, JsonValue]) -> int | None:
    value = entry.get("timeout")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise MalformedServer("`timeout` is not a number of milliseconds")
    return int(value)
