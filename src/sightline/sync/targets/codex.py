"""The target Codex CLI: from the model to its files. Facts as of 0.166.0.

`sandbox_mode`, `approval_policy` and the trust of a project are the person's own and never written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.model import Instructions, PermissionKind, Rule, SourceTree
from sightline.sync.model_values import ItemKind
from sightline.sync.outputs import Output, OutputScope, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.targets.codex_agents import render_agents
from sightline.sync.targets.codex_hooks import BLOCKING_EVENTS, render_hooks
from sightline.sync.targets.codex_instructions import TEXT_KINDS, render_instructions
from sightline.sync.targets.codex_permissions import PermissionOutputs, admitted_rules, render_permissions
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.codex_servers import ServerTables, render_servers
from sightline.sync.targets.codex_skills import render_commands, render_skills
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.other_items import note_other_items
from sightline.sync.targets.own_folders import own_folders
from sightline.sync.targets.selection import Selection

_SETTING_FATES: Mapping[str, Fate] = {
    "permissions.defaultMode": ("dropped", "Codex' own approval policy and sandbox stay as they are"),
    "sandbox": ("dropped", "commands that Claude Code runs in its sandbox are not allowed in advance"),
}


@frozen
class CodexTarget:
    """Renders for Codex CLI; `allows_secrets` only where the person has said so in the user settings."""

    allows_secrets: bool = False
    name: str = "codex"
    title: str = "Codex CLI"

    def folders(self, places: TargetPlaces, scopes: frozenset[OutputScope]) -> tuple[Path, ...]:
        return own_folders(places, scopes, CodexPlaces.of(places).codex_home, places.home / ".agents")

    def render(self, tree: SourceTree, places: TargetPlaces, scopes: frozenset[OutputScope]) -> Rendered:
        """What Codex should hold for these scopes."""
        findings = Findings()
        selection = Selection.of(tree, scopes, findings, allows_secrets=self.allows_secrets)
        codex = CodexPlaces.of(places)
        outputs: list[Output] = [
            *_instructions(tree, selection, codex, findings),
            *render_skills(selection.choose(tree.skills), codex, findings),
            *render_commands(selection.choose(tree.commands), codex, findings),
            *render_agents(selection.choose(tree.agents), codex, findings),
            *_configuration(tree, selection, codex, findings),
        ]
        _note_settings(selection)
        if any(output.scope == "project" for output in outputs) and not codex.is_trusted:
            findings.step("trust this project in Codex; an untrusted project loses its configuration")
        return findings.rendered(outputs)


def _instructions(tree: SourceTree, selection: Selection, places: CodexPlaces, findings: Findings) -> Iterable[Output]:
    texts: tuple[Instructions | Rule, ...] = (*tree.instructions, *tree.rules)
    chosen = list(selection.choose(texts))
    # One block holds both kinds: with either unread, it must stay as it is.
    return [] if TEXT_KINDS & tree.blocked_kinds else render_instructions(chosen, places, findings)


def _configuration(tree: SourceTree, selection: Selection, places: CodexPlaces, findings: Findings) -> Iterable[Output]:
    rules = admitted_rules(tree, selection, findings)
    if ItemKind.PERMISSION in tree.blocked_kinds:
        permissions, servers = PermissionOutputs(), ServerTables({}, {})
        for server in tree.mcp_servers:
            if selection.is_asked_for(server):
                findings.note(server.item_id, "", "refused", "a rule about its tools may be unread")
    else:
        permissions = render_permissions(tree, rules, selection, places, findings)
        restrictions = [rule for rule in rules if rule.effect is not PermissionKind.ALLOW]
        present = places.present_value("user", "mcp_servers")
        servers = render_servers(tree, selection, restrictions, findings, present, places.servers_elsewhere)
    for rule in rules:
        findings.note(rule.item_id, "", "dropped", "nothing in Codex answers to it")
    yield from permissions.files(places)
    for scope in ("user", "project"):
        values: dict[KeyPath, Value] = {**permissions.values[scope], **servers.values.get(scope, {})}
        sources = {**permissions.sources[scope], **servers.sources.get(scope, {})}
        if values:
            yield OwnedKeys(places.config(scope), "toml", values, scope, sources)
    hooks = list(selection.choose(tree.hooks))
    written = {hook.item_id for hook, _ in hooks}
    for hook in tree.hooks:
        if hook.event in BLOCKING_EVENTS and hook.item_id not in written and not hook.shadowed_by:
            findings.delta(f"laxer: `{hook.item_id}` can stop nothing in Codex: it is not written")
    roots = {f"{each.name}@{each.marketplace}": each.root for each in tree.plugins}
    yield from render_hooks(hooks, places, roots, _server_names(tree, servers), findings)


def _server_names(tree: SourceTree, servers: ServerTables) -> dict[str, str]:
    """The names of written servers by those of Claude Code."""
    by_id = {item_id: str(path[-1]) for sources in servers.sources.values() for path, item_id in sources.items()}
    return {each.name: by_id[each.item_id] for each in tree.mcp_servers if each.item_id in by_id}


def _note_settings(selection: Selection) -> None:
    note_other_items(selection, _SETTING_FATES)
    mode = selection.tree.setting("permissions.defaultMode")
    if mode in {"plan", "dontAsk"}:
        selection.findings.delta(f"laxer: Claude Code's default mode is `{mode}`; that of Codex stays as it is")
