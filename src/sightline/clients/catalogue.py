"""The clients that Sightline can be registered with. Facts about each, with the version that they were tried on.

Claude Code 2.1, Codex 0.166, Gemini CLI 0.61 and OpenCode 1.18 were run; Cursor and VS Code are by their documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sightline.clients.client import (
    NAME,
    Client,
    Inquiry,
    NameList,
    OtherWay,
    OwnCommand,
    Scope,
    ServerCommand,
    Surroundings,
)
from sightline.sync.formats.values import Value

_PLUGIN = f"{NAME}@{NAME}"
_WORKSPACE = ("--project", "${workspaceFolder}")


def client_named(name: str) -> Client:
    return next(client for client in CLIENTS if client.id == name)


def _plain(command: ServerCommand) -> Mapping[str, Value]:
    return {"command": command.program, "args": list(command.args)}


def _typed(command: ServerCommand) -> Mapping[str, Value]:
    return {"type": "stdio", **_plain(command)}


def _opencode_entry(command: ServerCommand) -> Mapping[str, Value]:
    return {"type": "local", "command": [command.program, *command.args], "enabled": True}


def _claude_files(scope: Scope, around: Surroundings) -> Sequence[Path]:
    """With `CLAUDE_CONFIG_DIR` the file moves into that folder; without, it is beside `~/.claude`, not in it."""
    if scope == "project":
        return (around.project / ".mcp.json",)
    return (around.folder("CLAUDE_CONFIG_DIR", around.home) / ".claude.json",)


def _codex_files(scope: Scope, around: Surroundings) -> Sequence[Path]:
    user = around.folder("CODEX_HOME", around.home / ".codex")
    return ((user if scope == "user" else around.project / ".codex") / "config.toml",)


def _gemini_files(scope: Scope, around: Surroundings) -> Sequence[Path]:
    folder = around.folder("GEMINI_CLI_HOME", around.home) if scope == "user" else around.project
    return (folder / ".gemini" / "settings.json",)


def _opencode_files(scope: Scope, around: Surroundings) -> Sequence[Path]:
    """Both are read, `opencode.jsonc` last; a new one is `opencode.json`."""
    user = around.folder("XDG_CONFIG_HOME", around.home / ".config") / "opencode"
    folder = user if scope == "user" else around.project
    return (folder / "opencode.jsonc", folder / "opencode.json")


def _cursor_files(scope: Scope, around: Surroundings) -> Sequence[Path]:
    return ((around.home if scope == "user" else around.project) / ".cursor" / "mcp.json",)


def _vscode_files(scope: Scope, around: Surroundings) -> Sequence[Path]:
    if scope == "project":
        return (around.project / ".vscode" / "mcp.json",)
    if around.platform == "darwin":
        folder = around.home / "Library" / "Application Support"
    elif around.platform == "win32":
        folder = around.folder("APPDATA", around.home / "AppData" / "Roaming")
    else:
        folder = around.folder("XDG_CONFIG_HOME", around.home / ".config")
    return (folder / "Code" / "User" / "mcp.json",)


def _claude_ways(around: Surroundings) -> Sequence[OtherWay]:
    """`claude mcp add` without a scope writes for one person and one project."""
    (file,) = _claude_files("user", around)
    settings = around.folder("CLAUDE_CONFIG_DIR", around.home / ".claude") / "settings.json"
    return (
        OtherWay("an entry for you in this project", file, ("projects", str(around.project), "mcpServers", NAME)),
        OtherWay("the plugin", settings, ("enabledPlugins", _PLUGIN)),
    )


def _codex_ways(around: Surroundings) -> Sequence[OtherWay]:
    (file,) = _codex_files("user", around)
    return (OtherWay("the plugin", file, ("plugins", _PLUGIN, "enabled")),)


def _gemini_ways(around: Surroundings) -> Sequence[OtherWay]:
    folder = around.folder("GEMINI_CLI_HOME", around.home) / ".gemini" / "extensions" / NAME
    return (OtherWay("the extension", folder),)


def _opencode_ways(around: Surroundings) -> Sequence[OtherWay]:
    """A file that the variable names is read after the user's own, so that its entry wins."""
    named = around.variables.get("OPENCODE_CONFIG")
    return (OtherWay("an entry in OPENCODE_CONFIG", Path(named).absolute(), ("mcp", NAME)),) if named else ()


def _add_to_claude(entry: str) -> Sequence[str]:
    return ("mcp", "add-json", "--scope", "user", NAME, entry)


CLIENTS: tuple[Client, ...] = (
    Client(
        id="claude",
        title="Claude Code",
        program="claude",
        format="jsonc",
        table="mcpServers",
        files=_claude_files,
        entry=_typed,
        context="claude",
        other_ways=_claude_ways,
        special=("${",),
        # Claude Code rewrites `.claude.json` while it runs, under a lock that only itself knows.
        own_command=OwnCommand(frozenset({"user"}), _add_to_claude, ("mcp", "remove", "--scope", "user", NAME)),
        inquiry=Inquiry(("mcp", "get", NAME)),
        variables={"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        steps={"project": "Claude Code asks each person once whether to use the server of this project."},
    ),
    Client(
        id="codex",
        title="Codex",
        program="codex",
        format="toml",
        table="mcp_servers",
        files=_codex_files,
        entry=_plain,
        context="codex",
        other_ways=_codex_ways,
        inquiry=Inquiry(("mcp", "get", NAME, "--json"), is_json=True, hides_untrusted=True),
        steps={
            "project": "Codex reads a project's configuration only once the project is trusted: it asks at its start."
        },
    ),
    Client(
        id="gemini",
        title="Gemini CLI",
        program="gemini",
        format="jsonc",
        table="mcpServers",
        files=_gemini_files,
        entry=_plain,
        context="gemini",
        other_ways=_gemini_ways,
        special=("$",),
        name_lists=(NameList(("mcp", "excluded"), is_refusal=True), NameList(("mcp", "allowed"), is_refusal=False)),
        inquiry=Inquiry(("mcp", "list")),
        steps={
            "user": "Gemini CLI uses no MCP server in a folder that is not trusted: `/permissions` trusts one.",
            "project": "Gemini CLI uses no MCP server in a folder that is not trusted: `/permissions` trusts one.",
        },
    ),
    Client(
        id="opencode",
        title="OpenCode",
        program="opencode",
        format="jsonc",
        table="mcp",
        files=_opencode_files,
        entry=_opencode_entry,
        context="opencode",
        other_ways=_opencode_ways,
        special=("{env:", "{file:"),
        inquiry=Inquiry(("mcp", "list")),
        variables={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    ),
    Client(
        id="cursor",
        title="Cursor",
        program="cursor",
        format="jsonc",
        table="mcpServers",
        files=_cursor_files,
        entry=_typed,
        project_args=_WORKSPACE,
        special=("${",),
        steps={
            "user": "Cursor lists the server under Settings, MCP; switch it on there.",
            "project": "Cursor lists the server under Settings, MCP; switch it on there.",
        },
    ),
    Client(
        id="vscode",
        title="VS Code",
        program="code",
        format="jsonc",
        table="servers",
        files=_vscode_files,
        entry=_typed,
        project_args=_WORKSPACE,
        special=("${",),
        steps={
            "user": "VS Code asks whether to trust the server when it first starts it.",
            "project": "VS Code asks whether to trust the server when it first starts it.",
        },
    ),
)
