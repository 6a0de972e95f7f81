"""Sources with a canary in every field of every artefact kind.

The fields come from the lists of keys that the readers know, so that a new one cannot be forgotten. A canary is made
from its place by a function that is handed in: a literal token, or a reference to a variable.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sightline.sync.source.known_keys import (
    AGENT_FIELDS,
    HOOK_EVENTS,
    HOOK_FIELDS,
    HOOK_TYPES,
    MCP_FIELDS,
    OAUTH_FIELDS,
    PERMISSION_KEYS,
    PLUGIN_FIELDS,
    SETTINGS_KEYS,
    SKILL_FIELDS,
)
from tests.sync.end_to_end.desk import Files
from tests.sync.end_to_end.sources import Artefact

Canary = Callable[[str], str]
PROJECT, HOME = "work/shop", "home"
_TABLES = frozenset({"env", "headers", "input", "metadata", "pluginConfigs", "sandbox", "statusLine", "hooks"})
_LISTS = frozenset({"args", "allowedEnvVars", "tools", "disallowedTools", "paths", "mcpServers", "skills"})
# Keys that would switch off what is looked at here.
_SWITCHES = frozenset({"disableAllHooks", "enableAllProjectMcpServers", "enabledPlugins", "permissions", "hooks"})


def literal(place: str) -> str:
    """A token of a known format that is none; put together here, so that no scanner trips over this file."""
    digest = hashlib.sha256(place.encode()).hexdigest()[:34]
    return "gh" + "p_" + "A7" + digest.upper()[:12] + digest[12:]


def variable(place: str) -> str:
    """The name of a variable that announces a secret."""
    return f"CANARY_{hashlib.sha256(place.encode()).hexdigest()[:12].upper()}_TOKEN"


def reference(place: str) -> str:
    return f"${{{variable(place)}}}"


def canary_artefacts(canary: Canary) -> Iterator[Artefact]:
    """One artefact for each field, in which nothing but that field holds a canary; its marker is the place."""
    yield from _servers(canary)
    yield from _documents(canary)
    yield from _hooks(canary)
    yield from _settings(canary)
    yield from _texts(canary)
    yield from _plugins(canary)


def _server(place: str, name: str, entry: Mapping[str, Any]) -> Iterator[Artefact]:
    for scope, file, path in (
        ("project", f"{PROJECT}/.mcp.json", ("mcpServers",)),
        ("user", f"{HOME}/.claude.json", ("mcpServers",)),
        ("local", f"{HOME}/.claude.json", ("projects", f"/ROOT/{PROJECT}", "mcpServers")),
    ):
        marker = f"mcp {place} {scope}"
        filled = json.loads(json.dumps(entry).replace("CANARY", marker))
        yield Artefact("mcp", marker, entries=[(file, (*path, f"{name}-{scope}"), filled)])


def _servers(canary: Canary) -> Iterator[Artefact]:
    for number, field in enumerate(sorted({*MCP_FIELDS, "novelField"})):
        base = {"type": "http", "url": "https://mcp.example.com"} if field in ("url", "headers", "oauth") else {}
        base = base or {"command": "run"}
        for made in _servers_of(f"s{number}", field, base):
            yield _with(made, canary)
    for number, field in enumerate(sorted(OAUTH_FIELDS)):
        entry = {"type": "http", "url": "https://mcp.example.com", "oauth": {field: "CANARY"}}
        for made in _server(f"oauth.{field}", f"o{number}", entry):
            yield _with(made, canary)


def _servers_of(name: str, field: str, base: Mapping[str, Any]) -> Iterator[Artefact]:
    values: list[Any] = ["CANARY"]
    if field in ("env", "headers"):
        values = [{"X-NOTE": "CANARY"}, {"API_TOKEN": "Bearer CANARY"}]
    if field in ("args", "url", "command", "cwd"):
        values = [["--note", "CANARY"], ["--api-key=CANARY"]] if field == "args" else values
        values = ["https://user:CANARY@mcp.example.com/?key=CANARY"] if field == "url" else values
    for number, value in enumerate(values):
        yield from _server(f"{field}{number}", f"{name}{number}", {**base, field: value})


def _with(artefact: Artefact, canary: Canary) -> Artefact:
    """The place of each canary, which stands for it until here, made into the canary."""
    text = canary(artefact.marker)
    entries = [
        (file, path, json.loads(json.dumps(value).replace(json.dumps(artefact.marker)[1:-1], text)))
        for file, path, value in artefact.entries
    ]
    return Artefact(artefact.kind, artefact.marker, artefact.files, artefact.paragraphs, entries, artefact.elements)


def _documents(canary: Canary) -> Iterator[Artefact]:
    for scope, top in (("project", f"{PROJECT}/.claude"), ("user", f"{HOME}/.claude")):
        for kind, fields in (
            ("skill", SKILL_FIELDS),
            ("command", SKILL_FIELDS),
            ("agent", AGENT_FIELDS),
            ("rule", frozenset({"paths"})),
        ):
            for number, field in enumerate(sorted({*fields, "novel", ""})):
                place = f"{kind} {field or 'body'} {scope}"
                file = f"{top}/{kind}s/{kind}{number}{'/SKILL' if kind == 'skill' else ''}.md"
                text = _document(kind, number, field, canary(place))
                yield Artefact(kind, place, {file: (text.encode(), 0o644)})
        place = f"skill file {scope}"
        files = {
            f"{top}/skills/with-file/SKILL.md": (b"---\ndescription: has files\n---\nText.\n", 0o644),
            f"{top}/skills/with-file/data.bin": (b"\x00\xff" + canary(place).encode(), 0o755),
            f"{top}/skills/with-file/notes.txt": (f"token = {canary(place)}\n".encode(), 0o644),
        }
        yield Artefact("skill", place, files)


def _document(kind: str, number: int, field: str, text: str) -> str:
    known: dict[str, Any] = {"name": f"{kind}{number}", "description": "does things"} if kind != "rule" else {}
    if field:
        known[field] = [text] if field in _LISTS else {"note": text} if field in _TABLES else f"see {text}"
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in known.items())
    return f"---\n{head}\n---\nText.\n{'' if field else text}\n"


def _hooks(canary: Canary) -> Iterator[Artefact]:
    for number, event in enumerate(sorted({*HOOK_EVENTS, "Novel"})):
        place = f"hook event {event}"
        hook = {"type": "command", "command": f"run{number} {canary(place)}"}
        yield _hook(place, event, "Bash", hook)
    yield _hook("hook type", "PreToolUse", "Read", {"type": canary("hook type"), "command": "run"})
    for kind in sorted(HOOK_TYPES):
        for field in sorted({*HOOK_FIELDS, "novel"}):
            place = f"hook {kind} {field}"
            value: Any = canary(place)
            value = {"note": value} if field in _TABLES else [value] if field in _LISTS else value
            yield _hook(place, "PreToolUse", "Edit", {"type": kind, "command": "run", field: value})
    yield _hook("hook matcher", "PreToolUse", canary("hook matcher"), {"type": "command", "command": "run"})


def _hook(place: str, event: str, matcher: str, hook: Mapping[str, Any]) -> Artefact:
    group = {"matcher": matcher, "hooks": [hook]}
    return Artefact("hook", place, elements=[(f"{PROJECT}/.claude/settings.json", ("hooks", event), group)])


def _settings(canary: Canary) -> Iterator[Artefact]:
    files = {
        "project": f"{PROJECT}/.claude/settings.json",
        "local": f"{PROJECT}/.claude/settings.local.json",
        "user": f"{HOME}/.claude/settings.json",
    }
    for scope, file in files.items():
        for key in sorted({*SETTINGS_KEYS, "novelSetting"} - _SWITCHES):
            place = f"setting {key} {scope}"
            value: Any = {"NOTE": canary(place)} if key in _TABLES else canary(place)
            yield Artefact("setting", place, entries=[(file, (key,), value)])
        for key in sorted({*PERMISSION_KEYS, "novel"}):
            place = f"permission {key} {scope}"
            if key in ("allow", "ask", "deny"):
                for number, rule in enumerate(
                    ("Bash(curl -H {} *)", "Read(~/{})", "WebFetch(domain:{})", "mcp__s__{}")
                ):
                    each = f"{place} {number}"
                    yield Artefact(
                        "permission", each, elements=[(file, ("permissions", key), rule.format(canary(each)))]
                    )
            else:
                yield Artefact("permission", place, entries=[(file, ("permissions", key), canary(place))])


def _texts(canary: Canary) -> Iterator[Artefact]:
    for file in (
        f"{HOME}/.claude/CLAUDE.md",
        f"{HOME}/.claude/CLAUDE.codex.md",
        f"{PROJECT}/CLAUDE.md",
        f"{PROJECT}/CLAUDE.gemini.md",
        f"{PROJECT}/CLAUDE.local.md",
        f"{PROJECT}/web/CLAUDE.md",
        "work/CLAUDE.md",
    ):
        place = f"instructions {file}"
        yield Artefact("instructions", place, paragraphs={file: f"Use {canary(place)} for now."})
        place, folder = f"import {file}", file.rpartition("/")[0]
        name = hashlib.sha256(place.encode()).hexdigest()[:6]
        imported: Files = {f"{folder}/docs/{name}.md": (f"token: {canary(place)}\n".encode(), 0o644)}
        yield Artefact("instructions", place, imported, {file: f"@docs/{name}.md"})


def _plugins(canary: Canary) -> Iterator[Artefact]:
    for number, field in enumerate(sorted({*PLUGIN_FIELDS, "novel"})):
        place, name = f"plugin {field}", f"kit{number}"
        root = f"{HOME}/.claude/plugins/cache/market/{name}"
        value: Any = canary(place)
        if field == "mcpServers":
            value = {"s": {"command": "run", "env": {"NOTE": value}}}
        if field == "hooks":
            value = {"PreToolUse": [{"hooks": [{"type": "command", "command": f"run {value}"}]}]}
        manifest = {"name": name, field: value}
        files: Files = {
            f"{root}/.claude-plugin/plugin.json": (json.dumps(manifest).encode(), 0o644),
            f"{root}/skills/brew/SKILL.md": (b"---\ndescription: brews\n---\nBrew.\n", 0o644),
        }
        installed = [{"scope": "user", "installPath": f"/ROOT/{root}", "version": "1"}]
        entries = [
            (f"{HOME}/.claude/settings.json", ("enabledPlugins", f"{name}@market"), True),
            (f"{HOME}/.claude/plugins/installed_plugins.json", ("plugins", f"{name}@market"), installed),
        ]
        yield Artefact("plugin", place, files, entries=entries)
