"""Asks the real OpenCode what it makes of rendered outputs; its own printed rules decide about actions.

The CLI is the one that `SIGHTLINE_OPENCODE` or the search path names; it needs neither login nor network for this.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.model import PermissionKind
from sightline.sync.permission_commands import split_command
from sightline.sync.permissions import Action, ActionKind, Permissions
from sightline.sync.targets.opencode_wildcards import OrderedRule, decide

OPENCODE = os.environ.get("SIGHTLINE_OPENCODE") or shutil.which("opencode")
needs_opencode = pytest.mark.skipif(
    OPENCODE is None, reason="no OpenCode: set SIGHTLINE_OPENCODE or put it on the path"
)
_STRICTNESS = ("allow", "ask", "deny")


@dataclass(frozen=True, slots=True)
class OpenCode:
    """The CLI in a home of its own."""

    home: Path
    project: Path
    variables: Mapping[str, str]

    def run(self, *arguments: str) -> Any:
        assert OPENCODE is not None
        environment = {
            **self.variables,
            "HOME": self.home.as_posix(),
            "XDG_CONFIG_HOME": (self.home / ".config").as_posix(),
            "XDG_DATA_HOME": (self.home / ".data").as_posix(),
            "XDG_CACHE_HOME": (self.home / ".cache").as_posix(),
            "XDG_STATE_HOME": (self.home / ".state").as_posix(),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            [OPENCODE, "debug", *arguments, "--pure"],
            cwd=self.project,
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def rules(self, agent: str) -> list[OrderedRule]:
        """The rules that an agent is under, in their order."""
        found = self.run("agent", agent)["permission"]
        return [OrderedRule(each["permission"], each["pattern"], each["action"]) for each in found]


def verdict(
    rules: Sequence[OrderedRule], action: Action, places: tuple[Path, Path], servers: Mapping[str, str]
) -> PermissionKind:
    """What OpenCode would do by these rules: the strictest of all that it asks about for the action."""
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
    """The commands that OpenCode finds in a line, redirections included; it never asks about `cd`."""
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
