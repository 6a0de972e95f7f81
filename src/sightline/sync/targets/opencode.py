"""OpenCode, the V1 line: `AGENTS.md`, `opencode.json`, commands and agents; skills are the shared `.agents/skills`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.files import Files
from sightline.sync.formats import jsonc
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import MISSING, KeyPath, Missing, Value, is_mapping
from sightline.sync.model import ItemKind, PermissionKind, PermissionRule, Scope, SourceTree
from sightline.sync.outputs import Output, OutputScope, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Action, ActionKind, Permissions
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.gemini_commands import Inexpressible
from sightline.sync.targets.names import Names
from sightline.sync.targets.opencode_agents import AGENT_FATES, BUILT_IN, render_agent
from sightline.sync.targets.opencode_commands import COMMAND_FATES, render_command
from sightline.sync.targets.opencode_decisions import PermissionLayer, laxer_actions
from sightline.sync.targets.opencode_instructions import render_instructions
from sightline.sync.targets.opencode_mcp import OpenCodeServers
from sightline.sync.targets.opencode_permissions import (
    BASELINE,
    MCP_TOOLS,
    PermissionValue,
    layer_of,
    permission_values,
)
from sightline.sync.targets.other_items import note_other_items
from sightline.sync.targets.own_folders import own_folders
from sightline.sync.targets.selection import Selection, home_of
from sightline.sync.targets.servers import (
    entries_off,
    name_servers,
    note_off_for_you,
    note_switched_on,
    off_for_you,
    render_servers,
    servers_by_scope,
)
from sightline.sync.targets.skill_files import SKILL_FIELDS, render_skill_folders

_LOST = "OpenCode has no such field"
SKILL_FATES: Mapping[str, Fate] = {
    "disable-model-invocation": ("equivalent", "`permission.skill` denies it to the model"),
    **dict.fromkeys(SKILL_FIELDS, ("dropped", _LOST)),
}

_SETTING_FATES: Mapping[str, Fate] = {
    "permissions.defaultMode": (
        "approximated",
        "a project's `acceptEdits` allows edits; no other mode makes anything laxer",
    )
}


@frozen
class OpenCodePlaces:
    """The folders of one user and one project."""

    project: Path
    home: Path
    user: Path
    files: Files

    @classmethod
    def of(cls, places: TargetPlaces) -> OpenCodePlaces:
        moved = places.variables.get("XDG_CONFIG_HOME", "")
        user = (Path(moved) if moved else places.home / ".config") / "opencode"
        return cls(places.project, places.home, user, places.files)

    def folder(self, scope: OutputScope) -> Path:
        return self.user if scope == "user" else self.project / ".opencode"

    def config(self, scope: OutputScope) -> Path:
        """The file that is there, or the usual one."""
        folder = self.user if scope == "user" else self.project
        with_comments = folder / "opencode.jsonc"
        return with_comments if self.files.is_file(with_comments) else folder / "opencode.json"


@frozen
class OpenCodeTarget:
    """OpenCode 1.18."""

    allows_secrets: bool = False
    name: str = "opencode"
    title: str = "OpenCode"

    def folders(self, places: TargetPlaces, scopes: frozenset[OutputScope]) -> tuple[Path, ...]:
        return own_folders(places, scopes, OpenCodePlaces.of(places).user, places.home / ".agents")

    def render(self, tree: SourceTree, places: TargetPlaces, scopes: frozenset[OutputScope]) -> Rendered:
        rendering = _Rendering(
            Selection.of(tree, scopes, Findings(), allows_secrets=self.allows_secrets),
            OpenCodePlaces.of(places),
            name_servers(tree),
        )
        return rendering.selection.findings.rendered(rendering.outputs())


@frozen
class _Rendering:
    selection: Selection
    places: OpenCodePlaces
    servers: Mapping[str, str]

    @property
    def findings(self) -> Findings:
        return self.selection.findings

    @property
    def tree(self) -> SourceTree:
        return self.selection.tree

    def outputs(self) -> Iterator[Output]:
        places = CodexPlaces(self.places.project, self.places.home, self.places.user, self.places.files)
        yield from render_instructions(self.selection, places)
        manual: dict[OutputScope, list[tuple[str, str]]] = {"project": [], "user": []}
        yield from self._skills(manual)
        yield from self._commands()
        yield from self._agents()
        found = [self._config(scope, manual[scope]) for scope in sorted(self.selection.scopes)]
        configs = [each for each in found if each is not None]
        self._check_foreign_rules(configs)
        yield from configs
        self._note_the_rest()

    def _skills(self, manual: Mapping[OutputScope, list[tuple[str, str]]]) -> Iterator[Output]:
        chosen = list(self.selection.choose(self.tree.skills))
        rendered = render_skill_folders(
            chosen, project=self.places.project, home=self.places.home, files=self.places.files
        )
        for line in rendered.lines:
            self.findings.note(line.item_id, line.field, line.grade, line.reason)
        names = {folder.item_id: folder.name for folder in rendered.folders}
        for folder in rendered.folders:
            yield from folder.files
        for skill, scope in chosen:
            grade, reason = ("approximated", "seen only from its folder") if skill.nested_in else ("equivalent", "")
            self.findings.note(skill.item_id, "", grade, reason)
            self.findings.note_fields(skill.item_id, skill.frontmatter.fields, SKILL_FATES)
            if skill.disable_model_invocation:
                manual[scope].append((names.get(skill.item_id, skill.name), skill.item_id))
            if skill.disallowed_tools:
                self.findings.delta(f"laxer: `{skill.item_id}` may use tools that Claude Code denies to it")
        if any(skill.item_id in names and not skill.provenance.plugin for skill, _ in chosen):
            self.findings.warn("OpenCode reads `.claude/skills` as well as `.agents/skills`: one of two wins")

    def _commands(self) -> Iterator[Output]:
        names = Names()
        for command, scope in self.selection.choose(self.tree.commands):
            segments = names.give_path(command.segments, command.item_id, scope)
            try:
                content, remark = render_command(command, lambda text, scope=scope: self._is_allowed(text, scope))
            except Inexpressible as error:
                self.findings.note(command.item_id, "", "refused", str(error))
                continue
            self.findings.note(command.item_id, "", "approximated" if remark else "equivalent", remark)
            self.findings.note_fields(command.item_id, command.frontmatter.fields, COMMAND_FATES)
            folder = self.places.folder(scope).joinpath("commands", *segments[:-1])
            yield OwnedFile(folder / f"{segments[-1]}.md", content, scope, (command.item_id,))

    def _is_allowed(self, text: str, scope: OutputScope) -> bool:
        """Whether Claude Code runs a command unasked, by all rules and by those of the scope alone."""
        of_scope = Scope.PROJECT if scope == "project" else Scope.USER
        some = [rule for rule in self.tree.permissions if rule.scope is of_scope]
        action = Action(ActionKind.BASH, text)
        return all(
            Permissions(rules, self.places.project, self.places.home).decide(action).verdict is PermissionKind.ALLOW
            for rules in (some, self.tree.permissions)
        )

    def _agents(self) -> Iterator[Output]:
        names = Names(taken={f"{scope}/{name}": "built in" for name in BUILT_IN for scope in ("user", "project")})
        servers = servers_by_scope(self.tree, self.servers)
        for agent, scope in self.selection.choose(self.tree.agents):
            name = names.give(agent.name, agent.item_id, scope)
            try:
                content = render_agent(agent, servers[scope])
            except Inexpressible as error:
                self.findings.note(agent.item_id, "", "refused", str(error))
                continue
            if name != agent.name:
                self.findings.note(agent.item_id, "name", "approximated", f"`{name}` here")
            if any(tool.startswith("mcp__") for tool in agent.tools or ()):
                self.findings.delta(f"laxer: `{agent.item_id}` may ask for other tools of the servers that it uses")
            if agent.permission_mode == "dontAsk":
                self.findings.delta(f"laxer: `{agent.item_id}` is asked in OpenCode where `dontAsk` denies")
            self.findings.note(agent.item_id, "", "equivalent")
            self.findings.note_fields(agent.item_id, agent.frontmatter.fields, AGENT_FATES)
            yield OwnedFile(self.places.folder(scope) / "agents" / f"{name}.md", content, scope, (agent.item_id,))

    def _config(self, scope: OutputScope, manual: list[tuple[str, str]]) -> OwnedKeys | None:
        values: dict[KeyPath, Value] = {}
        sources: dict[KeyPath, str | tuple[str, ...]] = {}
        for name, server in render_servers(self.selection, self.servers, scope, OpenCodeServers(), self._off()).items():
            values["mcp", name], sources["mcp", name] = server.entry, server.item_id
        if ItemKind.PERMISSION in self.tree.blocked_kinds:
            self._refuse_permissions()
        elif values or manual or self._speaks_of_permissions(scope):
            for each in self._permissions(scope, manual):
                values[each.key], sources[each.key] = each.value, each.sources
        if scope == "user":
            self._switch_off(values, sources)
        return OwnedKeys(self.places.config(scope), "jsonc", values, scope, sources) if values else None

    def _off(self) -> frozenset[str]:
        """The servers that the person's own file switches off now."""
        try:
            found = jsonc.get_value(self.places.files.read(self.places.config("user")), ("mcp",))
        except (OSError, FormatFailed):
            return frozenset()
        return frozenset(entries_off(found))

    def _switch_off(self, values: dict[KeyPath, Value], sources: dict[KeyPath, str | tuple[str, ...]]) -> None:
        """Servers of the project that the person has off: OpenCode takes the rest of the entry from the project."""
        for name, server in off_for_you(self.selection, self.servers, OpenCodeServers()).items():
            if ("mcp", name) in values:
                note_switched_on(server, "OpenCode", self.findings, by_sync=False)
                continue
            values["mcp", name], sources["mcp", name] = {"enabled": False}, server.item_id
            note_off_for_you(server, name, "OpenCode", self.findings)

    def _speaks_of_permissions(self, scope: OutputScope) -> bool:
        """Whether something of this scope is said that OpenCode's own defaults would be laxer than."""
        modes = (each for each in self.tree.settings if each.key == "permissions.defaultMode")
        return any(home_of(each) == scope for each in (*self.tree.permissions, *modes))

    def _check_foreign_rules(self, configs: Sequence[OwnedKeys]) -> None:
        """Rules of the person's own may stand behind ours, where they win: merge all files and look."""
        ours = {each.scope: each for each in configs}
        layers = [self._layer(self.places.config(scope), ours.get(scope)) for scope in ("user", "project")]
        # Merged last, and never ours (1.18.33).
        layers += [
            self._layer(self.places.folder("project") / name, None) for name in ("opencode.json", "opencode.jsonc")
        ]
        foreign = [key for layer in layers for key in layer.foreign]
        if not foreign or ItemKind.PERMISSION in self.tree.blocked_kinds:
            return
        places = (self.places.project, self.places.home)
        mode = self.tree.setting("permissions.defaultMode")
        permissions = Permissions(self.tree.permissions, *places, mode=mode if isinstance(mode, str) else "default")
        actions = sample_actions(self.tree.permissions, cwd=self.places.project)
        laxer = [action.value for action in laxer_actions(layers, actions, permissions, places, self.servers)]
        if laxer:
            shown = ", ".join(f"`{key}`" for key in foreign)
            self.findings.delta(
                f"laxer: by rules of your own in OpenCode ({shown}) it lets {len(laxer)} of {len(actions)} sample "
                f"actions through that Claude Code would stop, such as `{laxer[0]}`"
            )

    def _layer(self, file: Path, ours: OwnedKeys | None) -> PermissionLayer:
        values = ours.values.items() if ours is not None else ()
        own = {path[1:]: value for path, value in values if path[0] == "permission"}
        try:
            present = jsonc.get_value(self.places.files.read(file), ("permission",))
        except (OSError, FormatFailed):
            present = MISSING
        # One word stands for all permissions.
        whole: Value | Missing = {"*": present} if isinstance(present, str) else present
        return PermissionLayer(None if isinstance(whole, Missing) else whole, own)

    def _refuse_permissions(self) -> None:
        for rule in self.tree.permissions:
            self.selection.is_refused(rule)

    def _permissions(self, scope: OutputScope, manual: list[tuple[str, str]]) -> Iterator[PermissionValue]:
        rules = [rule for rule in self.tree.permissions if not self._is_unwritable(rule)]
        places = (self.places.project, self.places.home)
        own = [rule for rule in rules if rule.scope is not Scope.PROJECT]
        personal = layer_of(own, self.servers, places, None, self.findings if scope == "user" else Findings())
        layer = personal
        if scope == "project":
            committed = [rule for rule in rules if rule.scope is Scope.PROJECT]
            layer = layer_of(committed, self.servers, places, personal, self.findings)
        for name, item_id in manual:
            layer.add(PermissionKind.DENY, "skill", [name], item_id)
        edits = "allow" if scope == "project" and self._accepts_edits() else "ask"
        has_baseline = self._has_room_for_baseline(scope)
        splits = scope == "user"
        for each in permission_values(layer, edits=edits, has_mcp_baseline=has_baseline, splits=splits):
            yield PermissionValue(("permission", *each.key), each.value, self._shown_sources(each.sources, rules))
        # OpenCode's own agents come before these rules, which would turn their denials into questions.
        for agent, key in (("plan", "edit"), ("explore", "edit"), ("explore", MCP_TOOLS)):
            value = ("agent", agent, "permission", key)
            yield PermissionValue(value, "deny", self._shown_sources((BASELINE,), rules))

    def _shown_sources(self, sources: tuple[str, ...], rules: Sequence[PermissionRule]) -> tuple[str, ...]:
        """What is only there for rules of one project is theirs, so that a sync of another one leaves it alone."""
        bound = [rule.item_id for rule in rules if rule.scope is Scope.LOCAL]
        if sources != (BASELINE,) or len(bound) < sum(home_of(rule) == "user" for rule in rules) or not bound:
            return sources
        return (bound[0],)

    def _accepts_edits(self) -> bool:
        key = "permissions.defaultMode"
        is_committed = any(each.key == key and each.provenance.scope is Scope.PROJECT for each in self.tree.settings)
        return is_committed and self.tree.setting(key) == "acceptEdits"

    def _has_room_for_baseline(self, scope: OutputScope) -> bool:
        """Whether a rule for all MCP tools can stand in front of the user's own rules for some of them."""
        try:
            present = jsonc.get_value(self.places.files.read(self.places.config(scope)), ("permission",))
        except (OSError, FormatFailed):
            return True
        keys = list(present) if is_mapping(present) else []
        if MCP_TOOLS in keys or not any("_" in key for key in keys):
            return True
        self.findings.delta(
            f"laxer: in `{self.places.config(scope).name}` rules of your own leave no room for one that asks about "
            "every MCP tool"
        )
        return False

    def _is_unwritable(self, rule: PermissionRule) -> bool:
        is_refused = self.selection.is_refused(rule)
        if is_refused and rule.effect is not PermissionKind.ALLOW:
            self.findings.delta(f"laxer: `{rule.item_id}` cannot be written; OpenCode asks")
        return is_refused

    def _note_the_rest(self) -> None:
        for hook in self.tree.hooks:
            reason = "OpenCode has no hooks but those of plugins, which are programs"
            self.findings.note(hook.item_id, "", "dropped", reason)
            self.findings.note_fields(hook.item_id, hook.fields, dict.fromkeys(hook.fields, ("dropped", reason)))
            if hook.event == "PreToolUse" and not hook.shadowed_by:
                self.findings.delta(f"laxer: the hook `{hook.item_id}` does not guard OpenCode")
        note_other_items(self.selection, _SETTING_FATES)
        if any(rule.tool == "Read" and rule.effect is PermissionKind.DENY for rule in self.tree.permissions):
            self.findings.delta(
                "laxer: a search, or a shell command that the user approves, can still show files that `Read` rules "
                "deny to OpenCode"
            )
