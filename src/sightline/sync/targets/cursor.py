"""Cursor: `AGENTS.md`, `.cursor` and `~/.cursor`. From its documentation of 2026 alone; nothing was run.

It reads Claude Code's own skill folders, so that only those of plugins are copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.model import ItemKind, PermissionKind, PermissionRule, Scope, SourceTree
from sightline.sync.outputs import Output, OutputScope, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.cursor_hooks import render_hooks
from sightline.sync.targets.cursor_mcp import CursorServers
from sightline.sync.targets.cursor_permissions import denied_tokens
from sightline.sync.targets.cursor_texts import render_agents, render_commands, render_texts
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.other_items import note_other_items
from sightline.sync.targets.own_folders import own_folders
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.servers import name_servers, render_servers
from sightline.sync.targets.skill_files import SKILL_FIELDS, render_skill_folders

_READ_THERE = "Cursor reads it where it stands"
SKILL_FATES: Mapping[str, Fate] = {
    "disable-model-invocation": ("exact", _READ_THERE),
    **dict.fromkeys(SKILL_FIELDS, ("dropped", "Cursor has no such field")),
}


@frozen
class CursorTarget:
    """Cursor, editor and CLI."""

    allows_secrets: bool = False
    name: str = "cursor"
    title: str = "Cursor"

    def folders(self, places: TargetPlaces, scopes: frozenset[OutputScope]) -> tuple[Path, ...]:
        return own_folders(places, scopes, places.home / ".cursor")

    def render(self, tree: SourceTree, places: TargetPlaces, scopes: frozenset[OutputScope]) -> Rendered:
        selection = Selection.of(tree, scopes, Findings(), allows_secrets=self.allows_secrets)
        user = places.home / ".cursor"
        own = CodexPlaces(places.project, places.home, user, places.files)
        rendering = _Rendering(selection, own, name_servers(tree))
        return selection.findings.rendered(rendering.outputs())


@frozen
class _Rendering:
    selection: Selection
    places: CodexPlaces
    servers: Mapping[str, str]

    @property
    def folder(self) -> dict[OutputScope, Path]:
        return {"user": self.places.codex_home, "project": self.places.project / ".cursor"}

    def outputs(self) -> Iterator[Output]:
        yield from render_texts(self.selection, self.places)
        yield from self._skills()
        yield from render_commands(self.selection, self.folder)
        yield from render_agents(self.selection, self.folder)
        for scope in sorted(self.selection.scopes):
            yield from self._servers(scope)
            values, sources = render_hooks(self.selection, scope)
            if values:
                yield OwnedKeys(self.folder[scope] / "hooks.json", "jsonc", values, scope, dict(sources))
        yield from self._permissions()
        note_other_items(self.selection, {})

    def _skills(self) -> Iterator[OwnedFile]:
        findings = self.selection.findings
        chosen = list(self.selection.choose(self.selection.tree.skills))
        copied = [each for each in chosen if each[0].provenance.scope is Scope.PLUGIN]
        rendered = render_skill_folders(
            copied, project=self.places.project, home=self.places.home, files=self.places.files
        )
        findings.note_all(rendered.lines)
        for folder in rendered.folders:
            place = self.folder["user"] / "skills" / folder.name
            for file in folder.files:
                yield OwnedFile(place / file.path.relative_to(folder.directory), file.content, "user", file.sources)
        for skill, _ in chosen:
            is_copied = skill.provenance.scope is Scope.PLUGIN
            findings.note(skill.item_id, "", "equivalent" if is_copied else "exact", "" if is_copied else _READ_THERE)
            if is_copied and skill.disable_model_invocation:
                findings.note(skill.item_id, "disable-model-invocation", "dropped", "the copy has portable fields only")
                findings.delta(f"laxer: Cursor may call the skill `{skill.item_id}` by itself")
            known = dict.fromkeys(("name", "description", "license", "compatibility"), ("exact", _READ_THERE))
            findings.note_fields(skill.item_id, skill.frontmatter.fields, {**known, **_OTHER_FATES, **SKILL_FATES})

    def _servers(self, scope: OutputScope) -> Iterator[OwnedKeys]:
        found = render_servers(self.selection, self.servers, scope, CursorServers())
        values: dict[KeyPath, Value] = {("mcpServers", name): server.entry for name, server in found.items()}
        if values:
            sources: dict[KeyPath, str | tuple[str, ...]] = {
                ("mcpServers", name): server.item_id for name, server in found.items()
            }
            yield OwnedKeys(self.folder[scope] / "mcp.json", "jsonc", values, scope, sources)
            self.selection.findings.step("Cursor: approve the servers of `mcp.json` when it asks")

    def _permissions(self) -> Iterator[OwnedKeys]:
        """Committed rules in the project's file; the person's own where the CLI already has its file."""
        tokens: dict[OutputScope, dict[str, list[str]]] = {"user": {}, "project": {}}
        for rule in self.selection.tree.permissions:
            scope: OutputScope = "project" if rule.scope.is_committed else "user"
            if scope not in self.selection.scopes or self._is_left_out(rule):
                continue
            for token in denied_tokens(rule, self.servers, self.places, self.selection.findings):
                tokens[scope].setdefault(token, []).append(rule.item_id)
        if ItemKind.PERMISSION in self.selection.tree.blocked_kinds:
            return
        files = {"user": self.folder["user"] / "cli-config.json", "project": self.folder["project"] / "cli.json"}
        for scope, found in tokens.items():
            if found and (scope == "project" or self._has_own_file(files[scope])):
                keys: dict[str, KeyPath] = {token: ("permissions", "deny", entry_step(token)) for token in found}
                values: dict[KeyPath, Value] = {key: token for token, key in keys.items()}
                sources = {key: tuple(found[token]) for token, key in keys.items()}
                yield OwnedKeys(files[scope], "jsonc", values, scope, dict(sources))

    def _is_left_out(self, rule: PermissionRule) -> bool:
        findings = self.selection.findings
        if self.selection.is_refused(rule):
            reason = "it cannot be written"
        elif rule.scope is Scope.LOCAL:
            reason = "personal to this project, for which Cursor has no file"
            findings.note(rule.item_id, "", "dropped", reason)
        else:
            return False
        if rule.effect is not PermissionKind.ALLOW:
            findings.delta(f"laxer: `{rule.item_id}` is not held by Cursor: {reason}")
        return True

    def _has_own_file(self, file: Path) -> bool:
        """The CLI makes the file, and would not start with one that has nothing but our list."""
        if self.places.files.is_file(file):
            return True
        self.selection.findings.delta(
            f"laxer: your own denials do not hold in Cursor's CLI, which has no `{file.name}` yet"
        )
        return False


_OTHER_FATES: Mapping[str, Fate] = {
    "metadata": ("exact", _READ_THERE),
    "when_to_use": ("dropped", "Cursor reads only the description"),
    "argument-hint": ("dropped", "Cursor has no such field"),
    "arguments": ("dropped", "nothing is substituted"),
    "allowed-tools": ("dropped", "Cursor has no such field"),
}
