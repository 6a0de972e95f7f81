"""Gemini CLI: `GEMINI.md`, `settings.json`, commands, agents and policies; skills are the shared `.agents/skills`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.files import Files
from sightline.sync.formats import jsonc
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import KeyPath, Missing, Value, entry_step, is_list
from sightline.sync.model import PermissionKind, PermissionRule, Scope, SourceTree
from sightline.sync.outputs import Output, OutputScope, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.gemini_agents import AGENT_FATES, render_agent
from sightline.sync.targets.gemini_commands import COMMAND_FATES, Inexpressible, render_command
from sightline.sync.targets.gemini_hooks import render_hooks
from sightline.sync.targets.gemini_instructions import render_instructions
from sightline.sync.targets.gemini_mcp import GeminiServers, gemini_names
from sightline.sync.targets.gemini_policies import (
    SUBSTITUTIONS_ASK,
    PolicyRule,
    policies_for,
    policy_file,
    project_file_name,
)
from sightline.sync.targets.names import Names
from sightline.sync.targets.other_items import note_other_items
from sightline.sync.targets.own_folders import own_folders
from sightline.sync.targets.read_twice import warn_of_imports, warn_of_sources
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.servers import note_off_for_you, off_for_you, render_servers, servers_by_scope
from sightline.sync.targets.shown_paths import shown
from sightline.sync.targets.skill_files import SKILL_FIELDS, render_skill_folders

_LOST = "Gemini CLI reads only the name and the description of a skill"
SKILL_FATES: Mapping[str, Fate] = {
    "disable-model-invocation": ("dropped", "Gemini CLI may call every skill by itself"),
    **dict.fromkeys(SKILL_FIELDS, ("dropped", _LOST)),
}

_SETTING_FATES: Mapping[str, Fate] = {"permissions.defaultMode": ("dropped", "no mode makes Gemini CLI laxer")}


@frozen
class GeminiPlaces:
    """The folders of one user and one project; `home` is what Gemini CLI takes for the user's."""

    project: Path
    home: Path
    user: Path
    files: Files

    @classmethod
    def of(cls, places: TargetPlaces) -> GeminiPlaces:
        moved = places.variables.get("GEMINI_CLI_HOME", "")
        home = Path(moved) if moved else places.home
        return cls(places.project, home, home / ".gemini", places.files)

    def folder(self, scope: OutputScope) -> Path:
        return self.user if scope == "user" else self.project / ".gemini"


@frozen
class GeminiTarget:
    """Gemini CLI 0.61."""

    allows_secrets: bool = False
    name: str = "gemini"
    title: str = "Gemini CLI"

    def folders(self, places: TargetPlaces, scopes: frozenset[OutputScope]) -> tuple[Path, ...]:
        own = GeminiPlaces.of(places)
        return own_folders(places, scopes, own.user, own.home / ".agents")

    def render(self, tree: SourceTree, places: TargetPlaces, scopes: frozenset[OutputScope]) -> Rendered:
        rendering = _Rendering(
            Selection.of(tree, scopes, Findings(), allows_secrets=self.allows_secrets),
            GeminiPlaces.of(places),
            gemini_names(tree),
        )
        return rendering.selection.findings.rendered(rendering.outputs())


@frozen
class _Rendering:
    selection: Selection
    places: GeminiPlaces
    servers: Mapping[str, str]

    @property
    def findings(self) -> Findings:
        return self.selection.findings

    def outputs(self) -> Iterator[Output]:
        user_file, reading = self.places.user / "GEMINI.md", self.places.files
        texts = list(render_instructions(self.selection, user_file, self.places.project, reading))
        written = [each.path for each in texts]
        warn_of_imports(written, self.places.project, self.places.home, reading.read, self.findings)
        items = (*self.selection.tree.instructions, *self.selection.tree.rules)
        show = partial(shown, project=self.places.project, home=self.places.home)
        warn_of_sources(texts, items, reading, show, self.findings)
        yield from texts
        yield from self._skills()
        yield from self._commands()
        yield from self._agents()
        for scope in sorted(self.selection.scopes):
            yield from self._settings(scope)
        yield from self._policies()
        self._note_the_rest()

    def _skills(self) -> Iterator[Output]:
        chosen = list(self.selection.choose(self.selection.tree.skills))
        rendered = render_skill_folders(
            chosen, project=self.places.project, home=self.places.home, files=self.places.files
        )
        for line in rendered.lines:
            self.findings.note(line.item_id, line.field, line.grade, line.reason)
        for folder in rendered.folders:
            yield from folder.files
        for skill, _ in chosen:
            grade, reason = ("approximated", "seen only from its folder") if skill.nested_in else ("equivalent", "")
            self.findings.note(skill.item_id, "", grade, reason)
            self.findings.note_fields(skill.item_id, skill.frontmatter.fields, SKILL_FATES)
            if skill.disable_model_invocation:
                self.findings.delta(f"laxer: Gemini CLI may call the skill `{skill.item_id}` by itself")
            if skill.disallowed_tools:
                self.findings.delta(f"laxer: `{skill.item_id}` may use tools that Claude Code denies to it")

    def _commands(self) -> Iterator[Output]:
        names = Names()
        for command, scope in self.selection.choose(self.selection.tree.commands):
            segments = names.give_path(command.segments, command.item_id, scope)
            try:
                content, remark = render_command(command)
            except Inexpressible as error:
                self.findings.note(command.item_id, "", "refused", str(error))
                continue
            folder = self.places.folder(scope).joinpath("commands", *segments[:-1])
            self.findings.note(command.item_id, "", "approximated" if remark else "equivalent", remark)
            self.findings.note_fields(command.item_id, command.frontmatter.fields, COMMAND_FATES)
            yield OwnedFile(folder / f"{segments[-1]}.toml", content, scope, (command.item_id,))

    def _agents(self) -> Iterator[Output]:
        names = Names(lower=True)
        servers = servers_by_scope(self.selection.tree, self.servers)
        for agent, scope in self.selection.choose(self.selection.tree.agents):
            name = names.give(agent.name, agent.item_id, scope)
            try:
                content = render_agent(agent, name, servers[scope])
            except Inexpressible as error:
                self.findings.note(agent.item_id, "", "refused", str(error))
                continue
            if name != agent.name:
                self.findings.note(agent.item_id, "name", "approximated", f"`{name}` here")
            if agent.permission_mode == "dontAsk":
                self.findings.delta(f"laxer: `{agent.item_id}` is asked in Gemini CLI where `dontAsk` denies")
            self.findings.note(agent.item_id, "", "equivalent")
            self.findings.note_fields(agent.item_id, agent.frontmatter.fields, AGENT_FATES)
            yield OwnedFile(self.places.folder(scope) / "agents" / f"{name}.md", content, scope, (agent.item_id,))

    def _settings(self, scope: OutputScope) -> Iterator[Output]:
        values: dict[KeyPath, Value] = {}
        sources: dict[KeyPath, str | tuple[str, ...]] = {}
        for name, server in render_servers(
            self.selection, self.servers, scope, GeminiServers(), self._excluded()
        ).items():
            values["mcpServers", name], sources["mcpServers", name] = server.entry, server.item_id
        for name, server in (
            off_for_you(self.selection, self.servers, GeminiServers()).items() if scope == "user" else ()
        ):
            # Lists of both files are joined, so that the project cannot take it back (0.61.0).
            key: KeyPath = ("mcp", "excluded", entry_step(name))
            values[key], sources[key] = name, server.item_id
            note_off_for_you(server, name, "Gemini CLI", self.findings)
        for key, (entry, items) in render_hooks(self.selection, scope).items():
            values[key], sources[key] = entry, items
        path = self.places.folder(scope) / "settings.json"
        self._check_file_names(path)
        if values:
            yield OwnedKeys(path, "jsonc", values, scope, sources)
            self.findings.step(
                "Gemini CLI: trust this folder when it asks; until then its servers, skills, agents, commands and "
                "hooks are off"
            )

    def _excluded(self) -> frozenset[str]:
        """The servers that the person's own file switches off now."""
        try:
            found = jsonc.get_value(self.places.files.read(self.places.user / "settings.json"), ("mcp", "excluded"))
        except (OSError, FormatFailed):
            return frozenset()
        return frozenset(map(str, found)) if is_list(found) else frozenset()

    def _check_file_names(self, settings: Path) -> None:
        """Whether the user renamed the instruction file; then it would not be read, or another one as well."""
        try:
            found = jsonc.get_value(self.places.files.read(settings), ("context", "fileName"))
        except (OSError, FormatFailed):
            return
        names = list(found) if is_list(found) else [] if found is None or isinstance(found, Missing) else [found]
        if names and "GEMINI.md" not in names:
            self.findings.step(f"Gemini CLI: add `GEMINI.md` to `context.fileName` in `{settings.name}`")
        if "GEMINI.md" in names and "AGENTS.md" in names:
            self.findings.warn("Gemini CLI reads `GEMINI.md` and `AGENTS.md`: the instructions come twice")

    def _policies(self) -> Iterator[Output]:
        """The user's rules in one file, those of this project in another; both in the user's folder."""
        own: list[PolicyRule] = []
        projects: list[PolicyRule] = []
        own_ids: list[str] = []
        project_ids: list[str] = []
        for rule in self.selection.tree.permissions:
            if self.selection.is_refused(rule):
                if rule.effect is not PermissionKind.ALLOW:
                    self.findings.delta(f"laxer: `{rule.item_id}` cannot be written; Gemini CLI asks")
                continue
            if not self._is_wanted(rule):
                continue
            is_own = rule.scope in {Scope.USER, Scope.MANAGED}
            found = policies_for(rule, self.servers, self.findings)
            (own if is_own else projects).extend(found)
            (own_ids if is_own else project_ids).extend([rule.item_id] if found else [])
        folder = self.places.user / "policies"
        if any(policy.decision == "allow" for policy in own):
            own.append(SUBSTITUTIONS_ASK)
        if own:
            yield OwnedFile(folder / "sightline.toml", policy_file(own), "user", tuple(own_ids))
        if projects:
            name = project_file_name(self.places.project)
            yield OwnedFile(folder / name, policy_file(projects), "user", tuple(project_ids))

    def _is_wanted(self, rule: PermissionRule) -> bool:
        if "user" in self.selection.scopes:
            return True
        reason = "Gemini CLI reads policies from the user's folder only, and the user scope is left out"
        self.findings.note(rule.item_id, "", "dropped", reason)
        if rule.effect is not PermissionKind.ALLOW:
            self.findings.delta(f"laxer: `{rule.item_id}` does not hold in Gemini CLI: {reason}")
        return False

    def _note_the_rest(self) -> None:
        note_other_items(self.selection, _SETTING_FATES)
        if any(rule.tool == "Read" and rule.effect is PermissionKind.DENY for rule in self.selection.tree.permissions):
            self.findings.delta(
                "laxer: a search over a whole folder, or a shell command that the user approves, can still show files "
                "that `Read` rules deny to Gemini CLI"
            )
