"""Asks the real Gemini CLI what it makes of rendered outputs, and its own policy engine about actions.

The CLI is the one that `SIGHTLINE_GEMINI` or the search path names. The policy engine is read out of the same package,
because no command of the CLI tells what it would decide.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.model import PermissionKind
from sightline.sync.permission_commands import split_command
from sightline.sync.permissions import Action, ActionKind

GEMINI = os.environ.get("SIGHTLINE_GEMINI") or shutil.which("gemini")
needs_gemini = pytest.mark.skipif(GEMINI is None, reason="no Gemini CLI: set SIGHTLINE_GEMINI or put it on the path")
_VERDICTS = {"allow": PermissionKind.ALLOW, "ask_user": PermissionKind.ASK, "deny": PermissionKind.DENY}
_SERVER = re.compile(r"^\S+ (?P<name>[^:\s]+): (?P<address>.*?)\s+\((?P<kind>\w+)\) - ", re.MULTILINE)
_SCRIPT = """
const core = await import(process.argv[1]);
const config = await core.createPolicyEngineConfig({}, 'default', process.argv[2]);
const engine = new core.PolicyEngine({ ...config, nonInteractive: false });
let text = '';
for await (const chunk of process.stdin) text += chunk;
const answers = [];
for (const { name, args, server } of JSON.parse(text)) {
  answers.push((await engine.check({ name, args }, server)).decision);
}
process.stdout.write('\\n@@' + JSON.stringify({ answers, rules: config.rules.length }) + '\\n');
process.exit(0);
"""


@dataclass(frozen=True, slots=True)
class Gemini:
    """The CLI in a home of its own, started in a folder that it trusts."""

    home: Path
    project: Path

    def run(self, *arguments: str, stdin: str = "", command: str = "") -> subprocess.CompletedProcess[str]:
        assert GEMINI is not None
        environment = {
            "HOME": self.home.as_posix(),
            "GEMINI_CLI_HOME": self.home.as_posix(),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "PATH": os.environ["PATH"],
        }
        return subprocess.run(
            [command or GEMINI, *arguments],
            cwd=self.project,
            env=environment,
            capture_output=True,
            text=True,
            input=stdin,
            timeout=180,
            check=False,
        )

    def servers(self) -> dict[str, tuple[str, str]]:
        """By name: command line or address, and transport."""
        done = self.run("mcp", "list")
        assert done.returncode == 0, done.stderr
        shown = done.stdout + done.stderr
        return {match["name"]: (match["address"].strip(), match["kind"]) for match in _SERVER.finditer(shown)}

    def skills(self) -> tuple[dict[str, str], str]:
        """The places of all skills by name, and everything that the CLI complained about."""
        done = self.run("skills", "list")
        assert done.returncode == 0, done.stderr
        names = re.findall(r"^(\S+) \[Enabled\]", done.stdout + done.stderr, re.MULTILINE)
        places = re.findall(r"^\s+Location:\s+(\S.*)$", done.stdout + done.stderr, re.MULTILINE)
        return dict(zip(names, places, strict=True)), done.stderr

    def verdicts(self, actions: Sequence[Action], servers: Mapping[str, str]) -> list[PermissionKind]:
        """What the CLI would decide about each action by its policies."""
        assert GEMINI is not None
        bundle = Path(GEMINI).resolve().parent
        core = next(file for file in sorted(bundle.glob("core-*.js")) if "PolicyEngine" in file.read_text())
        calls = [self.call(action, servers) for action in actions]
        arguments = ("--input-type=module", "-e", _SCRIPT, core.as_uri(), (bundle / "policies").as_posix())
        done = self.run(*arguments, stdin=json.dumps(calls), command="node")
        marked = next((line for line in done.stdout.splitlines() if line.startswith("@@")), "")
        assert marked, done.stderr
        answers = json.loads(marked[2:])["answers"]
        return [
            PermissionKind.DENY if self.is_out_of_reach(action) else _VERDICTS[answer]
            for action, answer in zip(actions, answers, strict=True)
        ]

    def call(self, action: Action, servers: Mapping[str, str]) -> dict[str, Any]:
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

    def is_out_of_reach(self, action: Action) -> bool:
        """The file tools refuse every path outside of the workspace, whatever the policies say."""
        if action.kind not in {ActionKind.READ, ActionKind.EDIT}:
            return False
        path = Path(action.value.replace("~", self.home.as_posix(), 1))
        return not Path(os.path.normpath(self.project / path)).is_relative_to(self.project)


def verdict_by_files(files: Sequence[bytes], action: Action, home: Path, project: Path) -> PermissionKind:
    """The same from the text of the policy files alone: the highest priority decides, every part of a command counts.

    What no rule of ours covers gets the CLI's own answer: reading is allowed, all else is asked.
    """
    gemini = Gemini(home, project)
    rules = [rule for content in files for rule in tomllib.loads(content.decode())["rule"]]
    rules.sort(key=lambda rule: -rule["priority"])
    if gemini.is_out_of_reach(action):
        return PermissionKind.DENY
    call = gemini.call(action, {})
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
            return _VERDICTS[rule["decision"]]
    return PermissionKind.ALLOW if call["name"] == "read_file" else PermissionKind.ASK
