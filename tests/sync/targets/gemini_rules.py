"""What Gemini CLI would decide about an action by policy files, and the calls that it would make for it."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sightline.sync.model import PermissionKind
from sightline.sync.permission_commands import split_command
from sightline.sync.permissions import Action, ActionKind

VERDICTS = {"allow": PermissionKind.ALLOW, "ask_user": PermissionKind.ASK, "deny": PermissionKind.DENY}


def tool_call(action: Action, servers: Mapping[str, str]) -> dict[str, Any]:
    """The call that Gemini CLI would make for an action."""
    match action.kind:
        case ActionKind.BASH:
            return {"name": "run_shell_command", "args": {"command": action.value}}
        case ActionKind.READ:
            return {"name": "read_file", "args": {"file_path": action.value}}
        case ActionKind.EDIT:
            edit = {"file_path": action.value, "old_string": "a", "new_string": "b"}
            return {"name": "replace", "args": edit}
        case ActionKind.WEBFETCH:
            return {"name": "web_fetch", "args": {"prompt": f"Read {action.value} for me"}}
        case ActionKind.MCP:
            server, _, tool = action.value.removeprefix("mcp__").partition("__")
            name = servers.get(server, server.replace("_", "-"))
            return {"name": f"mcp_{name}_{tool}", "args": {}, "server": name}


def is_out_of_reach(action: Action, home: Path, project: Path) -> bool:
    """The file tools refuse every path outside of the workspace, whatever the policies say."""
    if action.kind not in {ActionKind.READ, ActionKind.EDIT}:
        return False
    path = Path(action.value.replace("~", home.as_posix(), 1))
    return not Path(os.path.normpath(project / path)).is_relative_to(project)


def verdict_by_files(files: Sequence[bytes], action: Action, home: Path, project: Path) -> PermissionKind:
    """The same from the text of the policy files alone: the highest priority decides, every part of a command counts.

    What no rule of ours covers gets the CLI's own answer: reading is allowed, all else is asked.
    """
    rules = [rule for content in files for rule in tomllib.loads(content.decode())["rule"]]
    rules.sort(key=lambda rule: -rule["priority"])
    if is_out_of_reach(action, home, project):
        return PermissionKind.DENY
    call = tool_call(action, {})
    if action.kind is not ActionKind.BASH:
        return _decided(rules, call)
    line = split_command(action.value)
    calls = [{"name": call["name"], "args": {"command": text}} for text in (action.value, *line.parts)]
    found = [_decided(rules, each) for each in (calls if len(line.parts) != 1 else calls[:1])]
    has_redirection = bool(line.writes or line.reads) or line.is_doubtful
    found += [PermissionKind.ASK] if has_redirection else []
    return max(found, key=list(PermissionKind).index)


def _decided(rules: Sequence[Mapping[str, Any]], call: Mapping[str, Any]) -> PermissionKind:
    arguments = json.dumps(call["args"], separators=(",", ":"), ensure_ascii=False)
    for rule in rules:
        if "mcpName" in rule:
            name = f"mcp_{rule['mcpName']}_{rule['toolName']}"
            is_met = "server" in call and re.fullmatch(name.replace("*", ".*"), call["name"]) is not None
        else:
            is_met = rule["toolName"] in {"*", call["name"]}
        pattern = rule.get("argsPattern") or ('"command":"' + rule["commandRegex"] if "commandRegex" in rule else "")
        if is_met and re.search(pattern, arguments):
            return VERDICTS[rule["decision"]]
    return PermissionKind.ALLOW if call["name"] == "read_file" else PermissionKind.ASK
