"""What Claude Code would say to an action under a set of permission rules: allow, ask or deny, and by which rule.

The yardstick for never-widen: for every action a target's answer must not be laxer than this one. Deny beats ask beats
allow, in whatever order the rules stand. Where Claude Code's own behaviour is not sure, the stricter reading is taken.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from sightline.frozen import frozen
from sightline.sync.model import PermissionKind, PermissionRule
from sightline.sync.permission_commands import (
    CommandLine,
    forms_past_anything,
    forms_past_safe,
    split_command,
    words_of,
)
from sightline.sync.permission_patterns import (
    command_matches,
    host_matches,
    is_wide_pattern,
    path_matches,
    tool_matches,
)
from sightline.sync.permission_readonly import always_prompts, is_read_only, paths_read

_STRICTNESS = (PermissionKind.ALLOW, PermissionKind.ASK, PermissionKind.DENY)
_EDIT_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_READ_TOOLS = frozenset({"Read", "Grep", "Glob", "LS"})


# Folders that no mode edits without asking.
_PROTECTED = frozenset({".git", ".claude", ".vscode", ".idea", ".husky"})


class ActionKind(StrEnum):
    """What an agent wants to do."""

    BASH = "bash"
    READ = "read"
    EDIT = "edit"
    WEBFETCH = "webfetch"
    MCP = "mcp"


_TOOLS = {ActionKind.BASH: "Bash", ActionKind.READ: "Read", ActionKind.EDIT: "Edit", ActionKind.WEBFETCH: "WebFetch"}


@frozen
class Action:
    """One action. `value` is a command line, a path (absolute or from the working directory), an address, or the full
    name of an MCP tool. `leads_to` is where a path really leads, if it is a link."""

    kind: ActionKind
    value: str
    tool: str = ""
    leads_to: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def tool_name(self) -> str:
        return self.tool or _TOOLS.get(self.kind, self.value)


@frozen
class Decision:
    """The answer, the rule that gave it (none for the baseline), and why."""

    verdict: PermissionKind
    rule: PermissionRule | None
    reason: str


def is_at_most(verdict: PermissionKind, limit: PermissionKind) -> bool:
    """Whether a verdict is as strict as another, or stricter."""
    return _STRICTNESS.index(verdict) >= _STRICTNESS.index(limit)


@frozen
class Permissions:
    """A set of rules with what they depend on.

    `mode` is Claude Code's default mode; those that skip prompts (`auto`, `bypassPermissions`) count as the default
    one, because nothing may be derived from them. `checks_paths_in_commands` applies `Read` and `Edit` rules to the
    files that well-known commands name, as Claude Code does.
    """

    rules: Sequence[PermissionRule]
    cwd: Path
    home: Path
    additional_directories: tuple[Path, ...] = ()
    mode: str = "default"
    checks_paths_in_commands: bool = True

    def decide(self, action: Action) -> Decision:
        """The answer to one action."""
        match action.kind:
            case ActionKind.BASH:
                decision = self._decide_command(action)
            case ActionKind.READ | ActionKind.EDIT:
                decision = self._decide_path(action)
            case ActionKind.WEBFETCH | ActionKind.MCP:
                decision = self._decide_call(action)
        if self.mode == "dontAsk" and decision.verdict is PermissionKind.ASK:
            return Decision(PermissionKind.DENY, decision.rule, "the mode `dontAsk` denies what would be asked")
        return decision

    def _of(self, *effects: PermissionKind) -> Iterator[PermissionRule]:
        return (rule for effect in effects for rule in self.rules if rule.effect is effect)

    def _decide_command(self, action: Action) -> Decision:
        line = split_command(action.value)
        restricting = self._restriction(action, line)
        if restricting is not None and restricting.verdict is PermissionKind.DENY:
            return restricting
        written = [self._decide_path(Action(ActionKind.EDIT, file)) for file in line.writes]
        strictest = _strictest([*filter(None, [restricting]), *written])
        if strictest is not None and strictest.verdict is not PermissionKind.ALLOW:
            return strictest
        return self._permission(line)

    def _restriction(self, action: Action, line: CommandLine) -> Decision | None:
        """The strictest deny or ask rule that meets the whole line or any part of it."""
        parts = (*line.parts, *line.suspects)
        forms = [action.value.strip(), *(form for part in parts for form in forms_past_anything(part))]
        for rule in self._of(PermissionKind.DENY, PermissionKind.ASK):
            if not tool_matches(rule.tool, action.tool_name, is_allow=False):
                continue
            if any(command_matches(rule.pattern, form, is_allow=False) for form in forms):
                return Decision(rule.effect, rule, "a part of the command matches")
            if _parameter_matches(rule.pattern, action.parameters):
                return Decision(rule.effect, rule, "a parameter matches")
        return self._restricted_file(line) if self.checks_paths_in_commands else None

    def _restricted_file(self, line: CommandLine) -> Decision | None:
        named = (file for part in line.parts for file in paths_read(words_of(forms_past_anything(part)[-1])))
        decisions: list[Decision] = []
        for file in (*line.reads, *named):
            rule = self._path_rule(Action(ActionKind.READ, file), PermissionKind.DENY, PermissionKind.ASK)
            if rule is not None:
                decisions.append(Decision(rule.effect, rule, "the command reads a file that the rule covers"))
        return _strictest(decisions)

    def _permission(self, line: CommandLine) -> Decision:
        """Whether every part is allowed by a rule or reads only."""
        if line.is_doubtful:
            return Decision(PermissionKind.ASK, None, "the command cannot be taken apart with certainty")
        names = {words[0] for part in line.parts if (words := words_of(part))}
        if {"cd", "git"} <= names:
            return Decision(PermissionKind.ASK, None, "`cd` together with `git` is always asked")
        found: PermissionRule | None = None
        for part in line.parts:
            rule = self._allowing(part)
            if rule is None and not self._reads_only(part):
                return Decision(PermissionKind.ASK, None, "no rule allows a part of the command")
            found = found or rule
        if not line.parts:
            return Decision(PermissionKind.ASK, None, "there is no command")
        return Decision(PermissionKind.ALLOW, found, "every part is allowed")

    def _allowing(self, part: str) -> PermissionRule | None:
        forms = forms_past_safe(part)
        is_exact_only = any(always_prompts(words_of(form)) for form in forms)
        for rule in self._of(PermissionKind.ALLOW):
            if rule.tool != "Bash" or (is_exact_only and is_wide_pattern(rule.pattern)):
                continue
            if any(command_matches(rule.pattern, form, is_allow=True) for form in forms):
                return rule
        return None

    def _reads_only(self, part: str) -> bool:
        words = words_of(forms_past_safe(part)[-1])
        if not is_read_only(words):
            return False
        files = paths_read(words)
        return all(self._is_in_reach(self._absolute(file)) for file in files)

    def _decide_path(self, action: Action) -> Decision:
        for effect in (PermissionKind.DENY, PermissionKind.ASK):
            rule = self._path_rule(action, effect)
            if rule is not None:
                return Decision(effect, rule, "the path matches")
        rule = self._path_rule(action, PermissionKind.ALLOW)
        if rule is not None:
            return Decision(PermissionKind.ALLOW, rule, "the path matches")
        return self._path_baseline(action)

    def _path_rule(self, action: Action, *effects: PermissionKind) -> PermissionRule | None:
        is_edit = action.kind is ActionKind.EDIT
        for rule in self._of(*effects):
            is_allow = rule.effect is PermissionKind.ALLOW
            names = ("Edit",) if is_edit else ("Read",)
            if is_edit and not is_allow:
                names = ("Edit", "Read") if rule.effect is PermissionKind.DENY else names
            if self._covers_path(rule, names, action, is_allow):
                return rule
        return None

    def _covers_path(self, rule: PermissionRule, names: tuple[str, ...], action: Action, is_allow: bool) -> bool:
        if rule.pattern is None:
            family = _EDIT_TOOLS if action.kind is ActionKind.EDIT else _READ_TOOLS
            is_family = rule.tool in names and action.tool_name in family
            return is_family or tool_matches(rule.tool, action.tool_name, is_allow=is_allow)
        if rule.tool not in names:
            return False
        spellings = [self._absolute(path) for path in (action.value, action.leads_to) if path]
        results = [self._path_matches(rule, path, is_allow) for path in spellings]
        return all(results) if is_allow else any(results)

    def _path_matches(self, rule: PermissionRule, path: str, is_allow: bool) -> bool:
        return path_matches(
            rule.pattern or "",
            path,
            anchor=rule.anchor.as_posix(),
            cwd=self.cwd.as_posix(),
            home=self.home.as_posix(),
            is_allow=is_allow,
        )

    def _path_baseline(self, action: Action) -> Decision:
        paths = [self._absolute(path) for path in (action.value, action.leads_to) if path]
        is_near = all(self._is_in_reach(path) for path in paths)
        if action.kind is ActionKind.READ and is_near:
            return Decision(PermissionKind.ALLOW, None, "reading in the working directory needs no approval")
        is_protected = any(_PROTECTED.intersection(path.split("/")) for path in paths)
        if action.kind is ActionKind.EDIT and is_near and self.mode == "acceptEdits" and not is_protected:
            return Decision(PermissionKind.ALLOW, None, "the mode `acceptEdits` allows edits in the working directory")
        return Decision(PermissionKind.ASK, None, "no rule matches")

    def _absolute(self, path: str) -> str:
        if path == "~" or path.startswith("~/"):
            path = self.home.as_posix() + path[1:]
        return posixpath.normpath(posixpath.join(self.cwd.as_posix(), path))

    def _is_in_reach(self, path: str) -> bool:
        roots = (self.cwd, *self.additional_directories)
        return any(path == root.as_posix() or path.startswith(root.as_posix() + "/") for root in roots)

    def _decide_call(self, action: Action) -> Decision:
        for effect in (PermissionKind.DENY, PermissionKind.ASK, PermissionKind.ALLOW):
            for rule in self._of(effect):
                if self._covers_call(rule, action):
                    return Decision(effect, rule, "the rule matches")
        return Decision(PermissionKind.ASK, None, "no rule matches")

    def _covers_call(self, rule: PermissionRule, action: Action) -> bool:
        is_allow = rule.effect is PermissionKind.ALLOW
        if not tool_matches(rule.tool, action.tool_name, is_allow=is_allow):
            return False
        if action.kind is ActionKind.WEBFETCH and host_matches(rule.pattern, _host(action.value)):
            return True
        if rule.pattern is None:
            return True
        return not is_allow and _parameter_matches(rule.pattern, action.parameters)


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _parameter_matches(pattern: str | None, parameters: Mapping[str, str]) -> bool:
    name, separator, value = (pattern or "").partition(":")
    given = parameters.get(name.strip())
    if not separator or given is None:
        return False
    return command_matches(value.strip(), given, is_allow=False)


def _strictest(decisions: Iterable[Decision]) -> Decision | None:
    return max(decisions, key=lambda each: _STRICTNESS.index(each.verdict), default=None)
