"""Plugins: which are enabled, where they are installed, and the items that they bring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.model import Agent, Command, Hook, McpServer, McpState, Plugin, Skill
from sightline.sync.model_values import ItemKind, JsonValue, Provenance, Scope
from sightline.sync.source.agents import read_agent, read_agents
from sightline.sync.source.json_text import JsonText
from sightline.sync.source.known_keys import PLUGIN_FIELDS, UNSUPPORTED_PLUGIN_FILES, UNSUPPORTED_PLUGIN_KEYS
from sightline.sync.source.mcp import servers_in
from sightline.sync.source.reading import Reading
from sightline.sync.source.settings import SettingsFile, hooks_in
from sightline.sync.source.skills import Shelf, read_command, read_commands, read_skill, read_skills

_EMPTY = JsonText({}, {}, ())


@dataclass(slots=True)
class PluginItems:
    """What all enabled plugins bring."""

    plugins: list[Plugin] = field(default_factory=list[Plugin])
    skills: list[Skill] = field(default_factory=list[Skill])
    commands: list[Command] = field(default_factory=list[Command])
    agents: list[Agent] = field(default_factory=list[Agent])
    servers: list[McpServer] = field(default_factory=list[McpServer])
    hooks: list[Hook] = field(default_factory=list[Hook])


def read_plugins(reading: Reading, settings: list[SettingsFile]) -> PluginItems:
    """Every plugin that is installed or switched on, and the items of those that are both."""
    installed = _read_index(reading)
    switches = _read_switches(reading, settings)
    items = PluginItems()
    for identity in dict.fromkeys((*switches, *installed)):
        enabled, provenance = switches.get(identity, (False, None))
        root, version = installed.get(identity, (None, ""))
        index = Provenance(_index_file(reading), 1, Scope.USER)
        if enabled and root is None:
            place = provenance or index
            reading.warn(place.file, place.line, f"the plugin `{identity}` is switched on and not installed")
        name, _, marketplace = identity.partition("@")
        unsupported = _read_parts(reading, items, identity, root) if enabled and root is not None else ()
        plugin = Plugin(
            f"plugin:{identity}@{(provenance or index).scope}",
            provenance or index,
            name,
            marketplace,
            version,
            root,
            enabled,
            unsupported,
        )
        items.plugins.append(plugin)
    return items


def _index_file(reading: Reading) -> Path:
    return reading.places.config / "plugins" / "installed_plugins.json"


def _read_switches(reading: Reading, settings: list[SettingsFile]) -> dict[str, tuple[bool, Provenance]]:
    """Scalars: local over project over user, and managed over all."""
    rank = (Scope.USER, Scope.PROJECT, Scope.LOCAL, Scope.MANAGED)
    switches: dict[str, tuple[bool, Provenance]] = {}
    for file in sorted(settings, key=lambda each: rank.index(each.scope)):
        table = file.table.get("enabledPlugins")
        if table is not None and not isinstance(table, dict):
            line = file.at("enabledPlugins").line
            reading.block(file.file, line, "`enabledPlugins` is not a table", ItemKind.PLUGIN)
        for identity, value in table.items() if isinstance(table, dict) else ():
            switches[identity] = (bool(value), file.at("enabledPlugins", identity))
    return switches


def _read_index(reading: Reading) -> dict[str, tuple[Path | None, str]]:
    """Folder and version of each installed plugin, from both versions of the index."""
    file = _index_file(reading)
    parsed = reading.json_of(file, ItemKind.PLUGIN)
    if parsed is None:
        return {}
    table = parsed.value.get("plugins") if isinstance(parsed.value, dict) else None
    if not isinstance(table, dict):
        reading.block(file, 1, "`plugins` is not a table", ItemKind.PLUGIN)
        return {}
    return {identity: _installation(reading, entry) for identity, entry in table.items()}


def _installation(reading: Reading, entry: JsonValue) -> tuple[Path | None, str]:
    """Of several installations, the one for this project, else one that is for no project."""
    entries = entry if isinstance(entry, list) else [entry]
    chosen: dict[str, JsonValue] = {}
    for each in entries:
        if not isinstance(each, dict):
            continue
        project = each.get("projectPath")
        is_own = isinstance(project, str) and Path(project) == reading.places.project
        if is_own or (project is None and not chosen):
            chosen = each
    path, version = chosen.get("installPath"), chosen.get("version")
    root = reading.places.config / "plugins" / path if isinstance(path, str) else None
    return (root if root is not None and reading.files.is_dir(root) else None), version if isinstance(
        version, str
    ) else ""


@frozen
class _Manifest:
    """A plugin's folder with its manifest, if it has one."""

    root: Path
    identity: str
    name: str
    file: Path
    parsed: JsonText

    @property
    def table(self) -> dict[str, JsonValue]:
        return self.parsed.value if isinstance(self.parsed.value, dict) else {}

    def shelf(self, folder: Path) -> Shelf:
        return Shelf(folder, Scope.PLUGIN, self.identity, f"{self.name}:")

    def provenance(self, file: Path, line: int = 1) -> Provenance:
        return Provenance(file, line, Scope.PLUGIN, self.identity)

    def paths(self, reading: Reading, key: str) -> list[Path]:
        """The paths of a manifest key, given as one string or a list; those that leave the plugin are refused."""
        value = self.table.get(key)
        found: list[Path] = []
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str):
                continue
            path = self.root / item
            if not reading.files.exists(path):
                reading.warn(self.file, self.parsed.line_of(key), f"`{key}` names a path that does not exist")
            elif reading.files.resolve(path).is_relative_to(reading.files.resolve(self.root)):
                found.append(path)
            else:
                reading.warn(self.file, self.parsed.line_of(key), f"`{key}` names a path outside of the plugin")
        return found


def _read_parts(reading: Reading, items: PluginItems, identity: str, root: Path) -> tuple[str, ...]:
    file = root / ".claude-plugin" / "plugin.json"
    parsed = reading.json_of(file, ItemKind.PLUGIN)
    manifest = _Manifest(root, identity, identity.partition("@")[0], file, parsed or _EMPTY)
    for key in manifest.table:
        if key not in PLUGIN_FIELDS:
            place = manifest.provenance(file, manifest.parsed.line_of(key))
            reading.report_unknown(key, "plugin manifest", place)
    items.skills.extend(_skills(reading, manifest))
    items.commands.extend(_commands(reading, manifest))
    items.agents.extend(_agents(reading, manifest))
    items.servers.extend(_servers(reading, manifest))
    items.hooks.extend(_hooks(reading, manifest))
    keys = [key for key in UNSUPPORTED_PLUGIN_KEYS if key in manifest.table]
    return (*keys, *(name for name in UNSUPPORTED_PLUGIN_FILES if reading.files.exists(root / name)))


def _skills(reading: Reading, manifest: _Manifest) -> Iterator[Skill]:
    """The default folder, and what the manifest adds; a plugin may also be one skill."""
    if reading.files.is_file(manifest.root / "SKILL.md"):
        skill = read_skill(reading, manifest.shelf(manifest.root), manifest.root, manifest.name)
        if skill is not None:
            yield skill
    for folder in (manifest.root / "skills", *manifest.paths(reading, "skills")):
        if reading.files.is_file(folder / "SKILL.md"):
            skill = read_skill(reading, manifest.shelf(folder.parent), folder, folder.name)
            if skill is not None:
                yield skill
        else:
            yield from read_skills(reading, manifest.shelf(folder))


def _commands(reading: Reading, manifest: _Manifest) -> Iterator[Command]:
    """The manifest's paths replace the default folder."""
    paths = manifest.paths(reading, "commands") if "commands" in manifest.table else [manifest.root / "commands"]
    for path in paths:
        if reading.files.is_file(path):
            command = read_command(reading, manifest.shelf(path.parent), path, (path.stem,))
            if command is not None:
                yield command
        else:
            yield from read_commands(reading, manifest.shelf(path))
    if isinstance(manifest.table.get("commands"), dict):
        reading.warn(manifest.file, manifest.parsed.line_of("commands"), "a table of `commands` is not supported")


def _agents(reading: Reading, manifest: _Manifest) -> Iterator[Agent]:
    paths = manifest.paths(reading, "agents") if "agents" in manifest.table else [manifest.root / "agents"]
    for path in paths:
        if reading.files.is_file(path):
            agent = read_agent(reading, manifest.shelf(path.parent), path)
            if agent is not None:
                yield agent
        else:
            yield from read_agents(reading, manifest.shelf(path))


def _enabled(_name: str, _scope: Scope) -> McpState:
    return McpState.ENABLED


def _servers(reading: Reading, manifest: _Manifest) -> Iterator[McpServer]:
    inline = manifest.table.get("mcpServers")
    prefix = f"{manifest.name}:"
    if isinstance(inline, dict):
        origin = manifest.provenance(manifest.file)
        yield from servers_in(reading, inline, manifest.parsed, ("mcpServers",), origin, _enabled, prefix)
    for file in (manifest.root / ".mcp.json", *manifest.paths(reading, "mcpServers")):
        parsed = reading.json_of(file, ItemKind.PLUGIN, ItemKind.MCP)
        if parsed is None or not isinstance(parsed.value, dict):
            continue
        # A plugin's file may hold the table itself, without the outer key.
        outer = "mcpServers" in parsed.value
        table = parsed.value["mcpServers"] if outer else parsed.value
        pointer = ("mcpServers",) if outer else ()
        yield from servers_in(reading, table, parsed, pointer, manifest.provenance(file), _enabled, prefix)


def _hooks(reading: Reading, manifest: _Manifest) -> Iterator[Hook]:
    inline = manifest.table.get("hooks")
    if isinstance(inline, dict):
        table, pointer = (inline["hooks"], ("hooks", "hooks")) if "hooks" in inline else (inline, ("hooks",))
        yield from hooks_in(reading, table, manifest.parsed, pointer, manifest.provenance(manifest.file))
    files = dict.fromkeys((manifest.root / "hooks" / "hooks.json", *manifest.paths(reading, "hooks")))
    for file in files:
        parsed = reading.json_of(file, ItemKind.PLUGIN, ItemKind.HOOK)
        if parsed is not None and isinstance(parsed.value, dict):
            yield from hooks_in(reading, parsed.value.get("hooks"), parsed, ("hooks",), manifest.provenance(file))
