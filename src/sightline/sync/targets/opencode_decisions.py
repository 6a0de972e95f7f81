"""What OpenCode would decide about an action by its ordered rules, and where rules of the person's own make it laxer.

OpenCode asks about each part of a command line by itself, never about `cd`, and about the folder of a file that is
outside of the project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value, is_mapping
from sightline.sync.model import PermissionKind
from sightline.sync.permission_commands import split_command
from sightline.sync.permissions import Action, ActionKind, Permissions, is_at_most
from sightline.sync.targets.opencode_wildcards import OrderedRule, decide, flatten, merged

_STRICTNESS = ("allow", "ask", "deny")
DEFAULTS = (
    OrderedRule("*", "*", "allow"),
    OrderedRule("external_directory", "*", "ask"),
    OrderedRule("read", "*", "allow"),
    OrderedRule("read", "*.env", "ask"),
)
"""OpenCode's own rules, which come before all others."""


def verdict(
    rules: Sequence[OrderedRule], action: Action, places: tuple[Path, Path], servers: Mapping[str, str]
) -> PermissionKind:
    """The strictest answer of all that OpenCode asks about for the action; `places` are project and home."""
    project, home = places
    answers = [decide(rules, permission, text) for permission, text in _questions(action, project, home, servers)]
    return PermissionKind(max(answers, key=_STRICTNESS.index, default="allow"))


def _questions(action: Action, project: Path, home: Path, servers: Mapping[str, str]) -> list[tuple[str, str]]:
    match action.kind:
        case ActionKind.BASH:
            return [("bash", text) for text in _commands(action.value)]
        case ActionKind.READ | ActionKind.EDIT:
            path = Path(os.path.normpath(project / action.value.replace("~", home.as_posix(), 1)))
            outside = [] if path.is_relative_to(project) else [("external_directory", f"{path.parent}/*")]
            return [(action.kind.value, os.path.relpath(path, project)), *outside]
        case ActionKind.WEBFETCH:
            return [("webfetch", action.value)]
        case ActionKind.MCP:
            server, _, tool = action.value.removeprefix("mcp__").partition("__")
            return [(f"{servers.get(server, server)}_{tool}", "*")]


def _commands(line: str) -> list[str]:
    """The commands that OpenCode finds in a line, redirections included."""
    split = split_command(line)
    redirected = "".join(f" > {file}" for file in split.writes) + "".join(f" < {file}" for file in split.reads)
    return [f"{part}{redirected}" for part in split.parts if part.split()[0] != "cd"]


def limit(permissions: Permissions, action: Action) -> PermissionKind:
    """What Claude Code says; about a group of commands, what it says about each, since a group alone is no danger."""
    said = permissions.decide(action).verdict
    if action.kind is not ActionKind.BASH or re.search(r"[$`<>]", action.value):
        return said
    split = split_command(action.value)
    if said is not PermissionKind.ASK or not split.is_doubtful or not split.parts:
        return said
    each = [permissions.decide(Action(ActionKind.BASH, part)).verdict for part in split.parts]
    return max(each, key=list(PermissionKind).index)


@frozen
class PermissionLayer:
    """The `permission` table of one file: as it stands there, and our values for it, by their keys below it."""

    present: Value
    ours: Mapping[KeyPath, Value]

    @property
    def foreign(self) -> list[str]:
        """The keys that are the person's own."""
        known = {path[0] for path in self.ours}
        return [key for key in self.present if key not in known] if is_mapping(self.present) else []

    def written(self) -> Value:
        """The table afterwards: what is there keeps its position, new keys come behind."""
        table: dict[str, Value] = dict(self.present) if is_mapping(self.present) else {}
        for path, value in self.ours.items():
            key = str(path[0])
            if len(path) == 1:
                table[key] = value
            else:
                inner = table.get(key)
                table[key] = {**(inner if is_mapping(inner) else {}), str(path[1]): value}
        return table


def laxer_actions(
    layers: Sequence[PermissionLayer],
    actions: Sequence[Action],
    permissions: Permissions,
    places: tuple[Path, Path],
    servers: Mapping[str, str],
) -> Iterator[Action]:
    """The actions that the files, merged as OpenCode does it, let through though Claude Code would not."""
    table: Value = {}
    for layer in layers:
        table = merged(table, layer.written())
    rules = [*DEFAULTS, *flatten(table, places[1].as_posix())]
    for action in actions:
        if not is_at_most(verdict(rules, action, places, servers), limit(permissions, action)):
            yield action
