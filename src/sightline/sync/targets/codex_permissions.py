"""Permission rules for Codex: command rules, a permission profile for files and hosts, and what they do not hold.

Never wider than Claude Code: an allow that could let more through is left out, a deny or an ask may cover more.
Committed files are made from committed rules alone; what a person's own rules forbid of them is tightened in the
person's files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.model import PermissionKind, PermissionRule, SourceTree
from sightline.sync.model_values import Scope
from sightline.sync.outputs import OutputScope, OwnedFile
from sightline.sync.targets.codex_exec_rules import (
    ExecRule,
    allowed_words,
    cover_of,
    decision_for,
    is_command_rule,
    obstacle,
    rules_file,
)
from sightline.sync.targets.codex_file_rules import NotCoverable, file_keys
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.selection import Selection

_T = TypeVar("_T")
PROFILE = "sightline"
_HOST = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)
_ESCAPES = (
    "laxer: command rules do not see through variables before a command, wrappers such as `timeout` or `env`, other "
    "spellings (`rm -r -f` for `rm -rf`, a program by its path), redirections and substitutions; such commands run in "
    "the sandbox"
)
_BASELINE = (
    "laxer: Codex runs commands that no rule names inside its sandbox, and edits files of the project, without asking"
)


def _two_scopes(make: Callable[[], _T]) -> dict[OutputScope, _T]:
    return {"user": make(), "project": make()}


@dataclass(slots=True)
class PermissionOutputs:
    """What the rules become, per scope."""

    exec_rules: dict[OutputScope, list[tuple[ExecRule, str]]] = field(
        default_factory=lambda: _two_scopes(list[tuple[ExecRule, str]])
    )
    bound_rules: list[tuple[ExecRule, str]] = field(default_factory=list[tuple[ExecRule, str]])
    profiled: frozenset[OutputScope] = frozenset()
    values: dict[OutputScope, dict[KeyPath, Value]] = field(default_factory=lambda: _two_scopes(dict[KeyPath, Value]))
    sources: dict[OutputScope, dict[KeyPath, str]] = field(default_factory=lambda: _two_scopes(dict[KeyPath, str]))

    def own(self, scope: OutputScope, path: KeyPath, value: Value, item_id: str) -> None:
        self.values[scope].setdefault(path, value)
        self.sources[scope].setdefault(path, item_id)

    def run(self, scope: OutputScope, rule: ExecRule, item_id: str) -> None:
        self.exec_rules[scope].append((rule, item_id))

    def run_for_project(self, rule: ExecRule, item_id: str) -> None:
        """A rule for the person's files that is there because of this project: in a file of its own, so that a sync of
        another project neither needs nor loses it."""
        self.bound_rules.append((rule, item_id))

    def files(self, places: CodexPlaces) -> Iterator[OwnedFile]:
        digest = hashlib.sha256(places.project.as_posix().encode("utf-8", "surrogateescape")).hexdigest()[:12]
        files: list[tuple[OutputScope, str, list[tuple[ExecRule, str]]]] = [
            *((scope, "sightline.rules", rules) for scope, rules in self.exec_rules.items()),
            ("user", f"sightline-{digest}.rules", self.bound_rules),
        ]
        for scope, name, rules in files:
            if rules:
                sources = tuple(dict.fromkeys(item_id for _, item_id in rules))
                path = places.folder(scope) / "rules" / name
                yield OwnedFile(path, rules_file(rule for rule, _ in rules), scope, sources)


def scope_of_rule(rule: PermissionRule) -> OutputScope:
    return "project" if rule.scope.is_committed else "user"


def admitted_rules(tree: SourceTree, selection: Selection, findings: Findings) -> list[PermissionRule]:
    """The rules that may be written. Restrictions of a person for this project, or of the organisation, are: they only
    tighten the person's files."""
    rules: list[PermissionRule] = []
    for rule in tree.permissions:
        is_restriction = rule.effect is not PermissionKind.ALLOW
        if is_restriction and rule.scope in {Scope.LOCAL, Scope.MANAGED}:
            reason = selection.refusal(rule)
            if selection.is_asked_for(rule) and reason:
                findings.note(rule.item_id, "", "refused", reason)
            is_admitted = selection.is_asked_for(rule) and not reason
        else:
            is_admitted = selection.admit(rule) is not None
        if is_admitted:
            rules.append(rule)
        elif is_restriction:
            findings.delta(f"laxer: `{rule.item_id}` is not written")
    return rules


def render_permissions(
    tree: SourceTree,
    rules: Sequence[PermissionRule],
    selection: Selection,
    places: CodexPlaces,
    findings: Findings,
) -> PermissionOutputs:
    """Everything but the rules about tools of MCP servers, which stand with their servers."""
    outputs = PermissionOutputs(profiled=_profiled_scopes(places))
    judge = _Judge.of(tree, selection)
    for rule in rules:
        if rule.effect is not PermissionKind.ALLOW:
            _restrict(rule, outputs, places, findings)
        elif is_command_rule(rule):
            _allow_command(rule, judge, outputs, findings)
        else:
            findings.note(rule.item_id, "", "dropped", _why_no_allow(rule))
    if "user" in selection.scopes:
        _tighten(tree, judge, outputs, findings)
    _enforce(outputs)
    if rules:
        findings.delta(_BASELINE)
    if any(outputs.exec_rules.values()) or outputs.bound_rules:
        findings.delta(_ESCAPES)
    return outputs


def _why_no_allow(rule: PermissionRule) -> str:
    if rule.tool in {"Write", "MultiEdit", "NotebookEdit", "Glob"} and rule.pattern:
        return "Claude Code never consults it: paths count only on `Read` and `Edit`"
    if rule.tool.startswith("mcp__"):
        return "Codex asks by its own rules; nothing is approved in advance"
    return "the sandbox of Codex decides; nothing is opened for it"


@frozen
class _Judge:
    """Says why a command must not be allowed, by the committed rules alone or by all."""

    restrictions: Sequence[PermissionRule]
    unwritten: frozenset[str]
    sandboxed_scopes: frozenset[Scope]

    @classmethod
    def of(cls, tree: SourceTree, selection: Selection) -> _Judge:
        restrictions = [rule for rule in tree.permissions if rule.effect is not PermissionKind.ALLOW]
        unwritten = frozenset(rule.item_id for rule in restrictions if selection.refusal(rule))
        sandboxes = (each for each in tree.settings if each.key == "sandbox" and isinstance(each.value, dict))
        enabled = (each for each in sandboxes if isinstance(each.value, dict) and each.value.get("enabled") is True)
        return cls(restrictions, unwritten, frozenset(each.provenance.scope for each in enabled))

    def obstacle(self, words: Sequence[str], *, is_committed: bool) -> str:
        known = [rule for rule in self.restrictions if rule.scope.is_committed or not is_committed]
        is_sandboxed = Scope.PROJECT in self.sandboxed_scopes if is_committed else bool(self.sandboxed_scopes)
        return obstacle(words, known, has_sandbox=is_sandboxed, unwritten=self.unwritten)


def _allow_command(rule: PermissionRule, judge: _Judge, outputs: PermissionOutputs, findings: Findings) -> None:
    words = allowed_words(rule)
    if words is None:
        reason = "only `words *` can be allowed without allowing more; Codex asks or runs it in its sandbox"
        findings.note(rule.item_id, "", "dropped", reason)
    elif reason := judge.obstacle(words, is_committed=rule.scope.is_committed):
        findings.note(rule.item_id, "", "dropped", reason)
    else:
        outputs.run(scope_of_rule(rule), ExecRule(words, "allow"), rule.item_id)
        findings.note(rule.item_id, "", "equivalent", "such commands also leave the sandbox of Codex")


def _tighten(tree: SourceTree, judge: _Judge, outputs: PermissionOutputs, findings: Findings) -> None:
    """Ask in the person's files where a committed allow passes by the person's own restrictions."""
    for rule in tree.permissions:
        if rule.effect is not PermissionKind.ALLOW or not rule.scope.is_committed or not is_command_rule(rule):
            continue
        words = allowed_words(rule)
        if words is None or judge.obstacle(words, is_committed=True):
            continue
        if judge.obstacle(words, is_committed=False):
            outputs.run_for_project(ExecRule(words, "prompt"), rule.item_id)
            findings.delta(f"stricter: `{rule.item_id}` asks, because of rules of your own")


def _restrict(rule: PermissionRule, outputs: PermissionOutputs, places: CodexPlaces, findings: Findings) -> None:
    if is_command_rule(rule):
        _restrict_command(rule, outputs, findings)
    if rule.tool in {"Read", "Edit"} and rule.pattern:
        _restrict_files(rule, outputs, places, findings)
    elif rule.tool in {"Edit", "Write"} and rule.pattern is None and rule.scope.is_committed:
        if "project" not in outputs.profiled:
            _note_open(rule, _unprofiled(places, findings), findings)
            return
        outputs.own("project", ("permissions", PROFILE, "extends"), ":read-only", rule.item_id)
        findings.note(rule.item_id, "", "approximated", "the sandbox of the project is read-only")
    elif rule.tool in {"WebFetch", "WebSearch"}:
        _restrict_web(rule, outputs, places, findings)
    elif rule.tool in {"Write", "MultiEdit", "NotebookEdit", "Glob"} and rule.pattern:
        findings.note(rule.item_id, "", "dropped", _why_no_allow(rule))
    elif not is_command_rule(rule) and not rule.tool.startswith("mcp__"):
        _note_open(rule, "Codex has no such tool, or no rule for it", findings)


def _note_open(rule: PermissionRule, reason: str, findings: Findings) -> None:
    findings.note(rule.item_id, "", "dropped", reason)
    findings.delta(f"laxer: `{rule.item_id}` is not held: {reason}")


def _restrict_command(rule: PermissionRule, outputs: PermissionOutputs, findings: Findings) -> None:
    cover = cover_of(rule)
    if cover.words:
        found = ExecRule(cover.words, decision_for(rule.effect))
        if rule.scope is Scope.LOCAL:
            outputs.run_for_project(found, rule.item_id)
            findings.delta(f"stricter: `{rule.item_id}` holds in every project that Codex opens")
        else:
            outputs.run(scope_of_rule(rule), found, rule.item_id)
    if not cover.is_complete:
        _note_open(rule, "Codex compares whole leading words; overlapping allows are left out", findings)
    elif cover.is_wider:
        findings.note(rule.item_id, "", "approximated", f"every command that starts with `{' '.join(cover.words)}`")
        findings.delta(f"stricter: `{rule.item_id}` holds for all of `{' '.join(cover.words)}`")
    else:
        findings.note(rule.item_id, "", "equivalent")


def _restrict_files(rule: PermissionRule, outputs: PermissionOutputs, places: CodexPlaces, findings: Findings) -> None:
    try:
        found = file_keys(rule, places)
    except NotCoverable as error:
        _note_open(rule, str(error), findings)
        return
    if rule.tool == "Edit" and found.is_outside:
        findings.note(rule.item_id, "", "approximated", "outside of the project the sandbox writes nothing")
        return
    if scope_of_rule(rule) not in outputs.profiled:
        _note_open(rule, _unprofiled(places, findings), findings)
        return
    for path in found.paths():
        outputs.own(scope_of_rule(rule), ("permissions", PROFILE, "filesystem", *path), "deny", rule.item_id)
    if rule.tool == "Edit":
        findings.note(rule.item_id, "", "approximated", "such files cannot be read either")
        findings.delta(f"stricter: what `{rule.item_id}` names cannot be read either")
    elif rule.effect is PermissionKind.ASK:
        findings.note(rule.item_id, "", "approximated", "denied; Codex cannot ask for single files")
        findings.delta(f"stricter: what `{rule.item_id}` names is denied")
    else:
        findings.note(rule.item_id, "", "equivalent", f"the permission profile `{PROFILE}`")


def _restrict_web(rule: PermissionRule, outputs: PermissionOutputs, places: CodexPlaces, findings: Findings) -> None:
    scope = scope_of_rule(rule)
    if rule.pattern is None:
        outputs.own(scope, ("web_search",), "disabled", rule.item_id)
        findings.note(rule.item_id, "", "approximated", "web search is off, and the sandbox has no network")
        return
    host = rule.pattern.removeprefix("domain:").strip().lower()
    if scope not in outputs.profiled:
        _note_open(rule, _unprofiled(places, findings), findings)
    elif rule.pattern.startswith("domain:") and _HOST.fullmatch(host):
        outputs.own(scope, ("permissions", PROFILE, "network", "domains", host), "deny", rule.item_id)
        findings.note(rule.item_id, "", "approximated", f"the permission profile `{PROFILE}`")
        findings.delta(f"laxer: Codex' own web search does not know `{rule.item_id}`")
    else:
        _note_open(rule, "the sandbox has no network, but web search knows no such pattern", findings)


def _profiled_scopes(places: CodexPlaces) -> frozenset[OutputScope]:
    """Where a permission profile may be written.

    Codex 0.166.0 does not start anywhere if the person's file has a profile and none is in force; so the person has to
    choose ours there first. And a profile of the project replaces a `sandbox_mode` of the person's own, even a stricter
    one: then none is written.
    """
    chosen = places.present_value("user", "default_permissions")
    if places.present_value("user", "sandbox_mode") is not None or chosen not in {None, PROFILE}:
        return frozenset()
    return frozenset({"project"}) if chosen is None else frozenset({"user", "project"})


def _unprofiled(places: CodexPlaces, findings: Findings) -> str:
    """Why a rule for files or hosts is not written, with what the person can do about it."""
    file = places.shown(places.config("user"))
    lines = f'`default_permissions = "{PROFILE}"` and `[permissions.{PROFILE}]` with `extends = ":workspace"`'
    own = next((key for key in ("sandbox_mode", "default_permissions") if places.present_value("user", key)), "")
    if not own:
        findings.step(f"to hold your own rules for files and hosts in Codex, put {lines} into `{file}` and sync again")
        return "your own rules for files and hosts need a permission profile of yours in force"
    findings.step(f"to hold rules for files and hosts in Codex, replace `{own}` in `{file}` by {lines}, and sync again")
    return f"`{own}` of your own is in force, and is not replaced"


def _enforce(outputs: PermissionOutputs) -> None:
    """Complete the profile, and put it in force for a project that needs it."""
    for scope in ("user", "project"):
        owned, sources = outputs.values[scope], outputs.sources[scope]
        needing = {path: sources[path] for path in owned if path[0] == "permissions"}
        # What only the rules of one project need must not come and go in the person's file for all of them.
        lasting = [item for item in needing.values() if not item.endswith("@local")]
        if not needing or (scope == "user" and not lasting):
            continue
        outputs.own(scope, ("permissions", PROFILE, "extends"), ":workspace", lasting[0])
        if any(path[2:3] == ("filesystem",) for path in needing):
            # Without it Codex warns of every key; a small number would leave deep files open.
            outputs.own(scope, ("permissions", PROFILE, "filesystem", "glob_scan_max_depth"), 64, lasting[0])
    profile: KeyPath = ("permissions", PROFILE, "extends")
    if profile in outputs.values["project"]:
        outputs.own("project", ("default_permissions",), PROFILE, outputs.sources["project"][profile])
