"""Settings files: scopes kept apart, arrays concatenated, no deny lost.

A settings file that cannot be read blocks every output that it could have restricted: permissions, hooks, servers
that it disables, plugins that it switches off, instructions that it excludes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.files import json_files
from sightline.sync.model import Hook, PermissionKind, PermissionRule, Setting
from sightline.sync.model_values import ItemKind, JsonValue, Provenance, Scope
from sightline.sync.secret_shapes import shown_name
from sightline.sync.secrets import holds_secret
from sightline.sync.source.json_text import JsonText
from sightline.sync.source.known_keys import HOOK_EVENTS, HOOK_FIELDS, HOOK_TYPES, PERMISSION_KEYS, SETTINGS_KEYS
from sightline.sync.source.reading import Reading
from sightline.sync.source.rule_text import MalformedRule, parse_rule, remark_on_rule

RESTRICTED_BY_SETTINGS = (
    ItemKind.PERMISSION,
    ItemKind.HOOK,
    ItemKind.SETTING,
    ItemKind.MCP,
    ItemKind.PLUGIN,
    ItemKind.INSTRUCTIONS,
)


@frozen
class SettingsFile:
    """One parsed settings file; `anchor` is the folder of its path rules with one leading slash."""

    scope: Scope
    file: Path
    parsed: JsonText
    table: dict[str, JsonValue]
    anchor: Path

    def at(self, *pointer: str | int) -> Provenance:
        return Provenance(self.file, self.parsed.line_of(*pointer), self.scope)

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.table.get(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def read_settings_files(reading: Reading) -> list[SettingsFile]:
    """The readable settings files in the order managed, user, project, local."""
    places = reading.places
    dropped_in = json_files(reading.files, places.managed / "managed-settings.d")
    project_file = places.project / ".claude" / "settings.json"
    candidates = [
        (Scope.MANAGED, places.managed / "managed-settings.json", places.managed),
        *((Scope.MANAGED, file, places.managed) for file in dropped_in),
        (Scope.USER, places.config / "settings.json", places.config),
    ]
    if project_file != places.config / "settings.json":
        candidates.append((Scope.PROJECT, project_file, places.project))
        candidates.append((Scope.LOCAL, places.project / ".claude" / "settings.local.json", places.start))
    read = (_read_file(reading, scope, file, anchor) for scope, file, anchor in candidates)
    return [each for each in read if each is not None]


def _read_file(reading: Reading, scope: Scope, file: Path, anchor: Path) -> SettingsFile | None:
    parsed = reading.json_of(file, *RESTRICTED_BY_SETTINGS)
    if parsed is None:
        return None
    if not isinstance(parsed.value, dict):
        reading.block(file, 1, "the settings are not a table", *RESTRICTED_BY_SETTINGS)
        return None
    return SettingsFile(scope, file, parsed, parsed.value, anchor)


def read_permissions(reading: Reading, files: list[SettingsFile]) -> list[PermissionRule]:
    """Every rule of every scope, each once per scope."""
    found: dict[str, PermissionRule] = {}
    for file in files:
        for rule in _rules_of(reading, file):
            found.setdefault(rule.item_id, rule)
    return list(found.values())


def _rules_of(reading: Reading, file: SettingsFile) -> Iterator[PermissionRule]:
    permissions = file.table.get("permissions")
    if permissions is None:
        return
    if not isinstance(permissions, dict):
        line = file.at("permissions").line
        reading.block(file.file, line, "`permissions` is not a table", ItemKind.PERMISSION)
        return
    for key in permissions:
        if key not in PERMISSION_KEYS:
            reading.report_unknown(key, "permissions", file.at("permissions", key))
    for effect in PermissionKind:
        yield from _rules_in_list(reading, file, effect, permissions.get(effect.value))


def _rules_in_list(
    reading: Reading, file: SettingsFile, effect: PermissionKind, entries: JsonValue
) -> Iterator[PermissionRule]:
    if entries is None:
        return
    # Losing an allow makes things stricter; losing a deny or an ask would widen.
    fatal = () if effect is PermissionKind.ALLOW else (ItemKind.PERMISSION,)
    if not isinstance(entries, list):
        line = file.at("permissions", effect.value).line
        reading.block(file.file, line, f"`permissions.{effect}` is not a list", *fatal)
        return
    for index, entry in enumerate(entries):
        provenance = file.at("permissions", effect.value, index)
        try:
            tool, pattern = parse_rule(entry)
        except MalformedRule as error:
            reading.block(file.file, provenance.line, f"`permissions.{effect}[{index}]`: {error}", *fatal)
            continue
        text = str(entry).strip()
        shown = f"{shown_name(tool)}#{_digest(text)}" if holds_secret(text) else text
        if remark := remark_on_rule(effect, tool, pattern):
            reading.warn(file.file, provenance.line, f"`{shown}` in `permissions.{effect}`: {remark}")
        item_id = f"permission:{effect}:{shown}@{file.scope}"
        yield PermissionRule(item_id, provenance, effect, tool, pattern, file.anchor, text)


def read_hooks(reading: Reading, files: list[SettingsFile]) -> list[Hook]:
    """The hooks of all settings files; all of them run, unless a setting switches them off."""
    off = next((file for file in files if file.table.get("disableAllHooks") is True), None)
    hidden_by = f"setting:disableAllHooks@{off.scope}" if off else ""
    hooks: list[Hook] = []
    for file in files:
        hooks.extend(hooks_in(reading, file.table.get("hooks"), file.parsed, ("hooks",), file.at(), hidden_by))
    return hooks


def hooks_in(
    reading: Reading,
    table: JsonValue,
    parsed: JsonText,
    pointer: tuple[str | int, ...],
    origin: Provenance,
    hidden_by: str = "",
) -> Iterator[Hook]:
    """The hooks of one `{event: [{matcher, hooks: [...]}]}` table; a malformed entry blocks hooks."""

    def broken(*place: str | int) -> None:
        line = parsed.line_of(*pointer, *place)
        reading.block(origin.file, line, f"`{'.'.join(map(str, place)) or 'hooks'}` is malformed", ItemKind.HOOK)

    if table is None:
        return
    if not isinstance(table, dict):
        broken()
        return
    for event, groups in table.items():
        if not isinstance(groups, list):
            broken(event)
            continue
        for index, group in enumerate(groups):
            entries = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(group, dict) or not isinstance(entries, list):
                broken(event, index)
                continue
            matcher = group.get("matcher")
            for position, entry in enumerate(entries):
                provenance = origin.at_line(parsed.line_of(*pointer, event, index, "hooks", position))
                if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
                    broken(event, index, "hooks", position)
                    continue
                yield _hook(reading, event, str(matcher or ""), entry, provenance, hidden_by)


def _hook(
    reading: Reading, event: str, matcher: str, entry: dict[str, JsonValue], provenance: Provenance, hidden_by: str
) -> Hook:
    fields = {key: value for key, value in entry.items() if key != "type"}
    kind = shown_name(str(entry["type"]))
    for key in fields:
        if key not in HOOK_FIELDS:
            reading.report_unknown(key, f"hooks.{shown_name(event)}", provenance)
    if event not in HOOK_EVENTS:
        reading.report_unknown(event, "hooks", provenance)
    if kind not in HOOK_TYPES:
        reading.report_unknown(kind, f"hooks.{shown_name(event)}.type", provenance)
    timeout = entry.get("timeout")
    seconds = float(timeout) if isinstance(timeout, int | float) and not isinstance(timeout, bool) else None
    mark = _digest(json.dumps([event, matcher, entry], sort_keys=True))
    source = f"{provenance.scope}:{provenance.plugin}" if provenance.plugin else provenance.scope
    item_id = f"hook:{shown_name(event)}:{shown_name(matcher)}:{mark}@{source}"
    return Hook(item_id, provenance, event, matcher, kind, fields, seconds, event in HOOK_EVENTS, hidden_by)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def read_other_settings(reading: Reading, files: list[SettingsFile]) -> list[Setting]:
    """What is left: other keys of each file, and of `permissions` what is no rule."""
    settings: list[Setting] = []
    for file in files:
        for key, value in file.table.items():
            if key not in SETTINGS_KEYS:
                reading.report_unknown(key, "settings", file.at(key))
            if key == "permissions" and isinstance(value, dict):
                rest = {name: item for name, item in value.items() if name not in {"allow", "ask", "deny"}}
                settings.extend(_setting(file, item, "permissions", name) for name, item in rest.items())
            elif key not in {"hooks", "enabledPlugins"}:
                settings.append(_setting(file, value, key))
    return settings


def _setting(file: SettingsFile, value: JsonValue, *pointer: str) -> Setting:
    key = ".".join(pointer)
    return Setting(f"setting:{key}@{file.scope}", file.at(*pointer), key, value)
