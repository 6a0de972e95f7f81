"""A project, and the home of its owner, with everything that makes a sync hard.

`make_hard_project(root)` writes `root/home` and `root/work/shop` and answers with their places. The tree holds

- every artefact kind of Claude Code in every scope: instructions (user, ancestor, project twice, local, on demand,
  excluded, overrides for one target, tags), rules with and without paths, skills with files, modes and links, nested,
  shadowed and reserved ones, nested commands, agents, MCP servers, permissions, hooks, other settings, a plugin;
- imports: alone, in a sentence, nested, circular, missing, outside of the project, in code;
- every transport (stdio, http, sse, ws), every placeholder position (command, args, env, url, headers, with and without
  default), approved, disabled and unapproved servers, a reserved and a malformed one;
- every escape of the argument syntax, every hook type, every form of permission rule, unknown keys in each kind;
- private text, which always starts with `PRIVATE:` or `PERSONAL:` and must never reach a committed output.

`with_secrets=True` adds literal secrets at every known position; their values are built at run time and listed in
`secrets`. `with_hostile_names=True` adds names that try to leave a folder, to break a format or a terminal, or to
collide where case does not count. `with_foreign=True` adds target files of the person's own, with comments, CRLF and a
byte order mark. `environment` has values for all referenced variables; none of them may ever appear in an output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.sync.source import SourcePlaces, find_places
from tests.sync.hard_project_texts import (
    FOREIGN_HOME,
    FOREIGN_PROJECT,
    HOME_TEXTS,
    HOSTILE_SERVERS,
    HOSTILE_TEXTS,
    PLUGIN_TEXTS,
    PROJECT_TEXTS,
)

PLUGIN = "kit@market"


@dataclass(frozen=True, slots=True)
class HardProject:
    """Where everything is, the environment to give, and the literal secrets that were put in."""

    root: Path
    home: Path
    project: Path
    environment: Mapping[str, str]
    secrets: tuple[str, ...]

    @property
    def places(self) -> SourcePlaces:
        found = find_places(self.project, home=self.home, environment={}, platform="linux")
        # The organisation's folder of this machine must not take part in a test.
        return SourcePlaces(
            found.home, found.config, found.state_file, found.project, found.start, self.root / "managed"
        )


def fake_secret(kind: str) -> str:
    """A secret of a known format that is none; put together here, so that no scanner trips over this file."""
    tail = "q7Zk2Pw9" + "Lx4Vb1Nt6" + "Ry8Hs3Md5"
    prefixes = {"github": "gh" + "p_", "anthropic": "sk-" + "ant-", "slack": "xo" + "xb-", "plain": ""}
    return prefixes[kind] + tail + kind.upper()[:2] * 4


def make_hard_project(
    root: Path, *, with_secrets: bool = False, with_foreign: bool = False, with_hostile_names: bool = False
) -> HardProject:
    """Write the tree below an empty folder."""
    root = root.resolve()
    home, project = root / "home", root / "work" / "shop"
    _write_texts(project, PROJECT_TEXTS)
    _write_texts(home, HOME_TEXTS)
    _write_texts(root / "work", {"CLAUDE.md": "PRIVATE: above the project.\n"})
    (project / ".git").mkdir()
    (project / ".claude/skills/release/scripts/tag.sh").chmod(0o755)
    (project / ".claude/skills/release/reference/style.md").symlink_to("../../../../docs/style.md")
    _write_texts(root / "elsewhere", {"linked/SKILL.md": "---\ndescription: behind a link\n---\nLinked.\n"})
    (project / ".claude/skills/linked").symlink_to(root / "elsewhere/linked")
    secrets = {name: fake_secret(name) for name in ("github", "anthropic", "slack", "plain")} if with_secrets else {}
    servers = _project_servers(secrets)
    if with_hostile_names:
        _write_texts(project, HOSTILE_TEXTS)
        servers |= {name: {"command": "hostile"} for name in HOSTILE_SERVERS}
    _write_json(project / ".mcp.json", {"mcpServers": servers})
    _write_json(home / ".claude.json", _state(project, secrets))
    _write_json(home / ".claude/settings.json", _user_settings(secrets))
    _write_json(project / ".claude/settings.json", _project_settings(secrets))
    _write_json(project / ".claude/settings.local.json", _local_settings())
    _write_plugin(home)
    if with_secrets:
        with (project / "docs/testing.md").open("a") as stream:
            stream.write(f"Use the token {secrets['github']} for now.\n")
    if with_foreign:
        _write_texts(home, FOREIGN_HOME)
        _write_texts(project, FOREIGN_PROJECT)
    return HardProject(root, home, project, _environment(), tuple(secrets.values()))


def _environment() -> dict[str, str]:
    names = ("API_TOKEN", "DB_PASSWORD", "SEARCH_HOST", "TOOL_BIN", "TEAM", "OTHER_TOKEN")
    return {name: f"resolved-{name.lower()}-{index}7c41" for index, name in enumerate(names)}


def _project_servers(secrets: Mapping[str, str]) -> dict[str, Any]:
    servers: dict[str, Any] = {
        "files": {"command": "files-server", "args": ["--root", "."], "env": {"API_TOKEN": "${API_TOKEN}"}},
        "renamed": {
            "command": "s",
            "env": {"TOKEN": "${OTHER_TOKEN}", "MODE": "fast"},
            "cwd": "tools",
            "timeout": 90000,
        },
        "in-command": {
            "type": "stdio",
            "command": "${TOOL_BIN}/server",
            "args": ["--team=${TEAM:-core}", "$HOME", "a b"],
        },
        "search": {"type": "http", "url": "https://${SEARCH_HOST}/mcp", "headers": {"X-Team": "${TEAM:-core}"}},
        "bearer": {
            "type": "streamable-http",
            "url": "https://mcp.example.com/v1",
            "headers": {"Authorization": "Bearer ${API_TOKEN}", "X-Key": "${OTHER_TOKEN}", "X-Mixed": "a-${TEAM}-b"},
            "oauth": {"clientId": "shop", "callbackPort": 8123, "scopes": "read write"},
            "alwaysLoad": True,
        },
        "events": {"type": "sse", "url": "https://events.example.com/sse", "headersHelper": "./print-headers.sh"},
        "socket": {"type": "ws", "url": "wss://socket.example.com"},
        "switched-off": {"command": "off-server"},
        "unapproved": {"command": "never-approved"},
        "only-by-me": {"command": "approved-by-one-person"},
        "both": {"command": "project-version"},
        "my server": {"command": "odd-name"},
        "my_server": {"command": "odd-name-too"},
        "future": {"command": "f", "futureField": {"a": 1}},
        "no-type": {"url": "https://no-type.example.com"},
        "workspace": {"command": "reserved"},
    }
    if secrets:
        servers["leaky"] = {
            "command": "leaky",
            "args": ["--api-key", secrets["plain"], f"--header=Authorization: Bearer {secrets['github']}"],
            "env": {"GITHUB_TOKEN": secrets["github"], "NOTE": secrets["anthropic"]},
        }
        servers["leaky-http"] = {
            "type": "http",
            "url": f"https://user:{secrets['plain']}@leaky.example.com/?api_key={secrets['slack']}",
            "headers": {
                "Authorization": f"Bearer {secrets['slack']}",
                "X-Default": "${DB_PASSWORD:-" + secrets["plain"] + "}",
            },
        }
    return servers


def _state(project: Path, secrets: Mapping[str, str]) -> dict[str, Any]:
    local = {"both": {"command": "local-version"}, "local-only": {"command": "l", "env": {"P": "${DB_PASSWORD}"}}}
    user = {"both": {"command": "user-version"}, "user-only": {"type": "http", "url": "https://user.example.com/mcp"}}
    return {
        "numStartups": 12,
        "mcpServers": {
            **user,
            **({"user-leak": {"command": "u", "env": {"KEY": secrets["plain"]}}} if secrets else {}),
        },
        "projects": {
            "/some/other/project": {"mcpServers": {"foreign": {"command": "not-ours"}}},
            project.as_posix(): {
                "hasTrustDialogAccepted": True,
                "mcpServers": local,
                "disabledMcpServers": ["user-off"],
                "history": [{"display": "x" * 100}],
            },
        },
    }


def _user_settings(secrets: Mapping[str, str]) -> dict[str, Any]:
    return {
        "model": "opus",
        "env": {"EDITOR_TOKEN": secrets.get("anthropic", "${API_TOKEN}")},
        "permissions": {
            "allow": ["Bash(git status)", "Bash(npm run test *)", "Read(~/notes/**)", "mcp__github__get_*"],
            "ask": ["Bash(git push:*)", "Read(/private-notes/**)"],
            "deny": ["Bash(curl *)", "Read(~/.ssh/**)", "WebFetch(domain:evil.example)"],
            "additionalDirectories": ["~/shared"],
        },
        "enabledPlugins": {PLUGIN: True, "ghost@market": True, "off@market": False},
        "enabledMcpjsonServers": ["both", "only-by-me"],
        "claudeMdExcludes": ["**/legacy/CLAUDE.md"],
        "hooks": {"Notification": [{"hooks": [{"type": "command", "command": "notify-send hi", "async": True}]}]},
    }


def _project_settings(secrets: Mapping[str, str]) -> dict[str, Any]:
    command = {"type": "command", "command": "./check.sh", "timeout": 30, "statusMessage": "checking"}
    headers = {"Authorization": f"Bearer {secrets['slack']}" if secrets else "Bearer $API_TOKEN"}
    return {
        "permissions": {
            "defaultMode": "acceptEdits",
            "allow": [
                "Bash(npm test)",
                "Bash(make *)",
                "Bash(docker * --rm *)",
                "Bash(ls*)",
                "Edit(/src/**)",
                "Write(src/**)",
            ],
            "ask": ["Bash(npm publish)", "WebFetch"],
            "deny": ["Bash(rm -rf *)", "Read(./.env)", "Read(secrets/**)", "Edit(//etc/**)", "mcp__files__write"],
        },
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [command, {"type": "prompt", "prompt": "Is $ARGUMENTS safe?"}]},
                {
                    "matcher": "Edit|Write",
                    "hooks": [{"type": "command", "command": "fmt", "args": ["-w"], "once": True}],
                },
                {
                    "matcher": "mcp__.*",
                    "hooks": [{"type": "http", "url": "https://hook.example.com", "headers": headers}],
                },
            ],
            "PostToolUse": [
                {"matcher": "*", "hooks": [{"type": "mcp_tool", "server": "files", "tool": "log", "input": {}}]}
            ],
            "Stop": [{"hooks": [{"type": "agent", "prompt": "verify", "if": "Bash(git *)"}]}],
            "SessionStart": [
                {"matcher": "startup", "hooks": [{"type": "command", "command": "${CLAUDE_PROJECT_DIR}/hi.sh"}]}
            ],
            "FutureEvent": [{"hooks": [{"type": "command", "command": "x", "shell": "bash", "novel": 1}]}],
        },
        "enabledMcpjsonServers": [
            *("files", "renamed", "in-command", "search", "bearer", "events", "socket", "both"),
            *("my server", "my_server", "future", "leaky", "leaky-http", *HOSTILE_SERVERS),
        ],
        "disabledMcpjsonServers": ["switched-off"],
        "futureSetting": {"a": [1, 2]},
    }


def _local_settings() -> dict[str, Any]:
    return {
        "permissions": {
            "allow": ["Bash(terraform plan *)"],
            "deny": ["Bash(terraform apply *)", "Edit(/local-only/**)"],
        },
        "statusLine": {"type": "command", "command": "status.sh"},
    }


def _write_plugin(home: Path) -> None:
    root = home / ".claude/plugins/cache/market/kit/1.2.0"
    _write_texts(root, PLUGIN_TEXTS)
    manifest = {"name": "kit", "version": "1.2.0", "skills": "./extra-skills", "commands": ["./cmds"], "novelKey": 1}
    _write_json(root / ".claude-plugin/plugin.json", manifest)
    search = {"command": "${CLAUDE_PLUGIN_ROOT}/search", "env": {"K": "${user_config.KEY}"}}
    _write_json(root / ".mcp.json", {"mcpServers": {"search": search}})
    hook = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hook.sh"}
    _write_json(root / "hooks/hooks.json", {"hooks": {"SessionEnd": [{"hooks": [hook]}]}})
    installed = {"scope": "user", "installPath": root.as_posix(), "version": "1.2.0"}
    off = {"scope": "user", "installPath": (home / "nowhere").as_posix(), "version": "0.1.0"}
    index = {"version": 2, "plugins": {PLUGIN: [installed], "off@market": [off]}}
    _write_json(home / ".claude/plugins/installed_plugins.json", index)


def _write_texts(root: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def _write_json(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=2) + "\n")
