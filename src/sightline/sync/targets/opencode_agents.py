"""Agents as OpenCode's Markdown files: subagents that lose tools by denials, and never gain any.

An agent's own rules come after all others, so an `allow` in them would undo a denial of the user's: there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.frontmatter import render
from sightline.sync.formats.values import Value
from sightline.sync.model import Agent
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.gemini_commands import Inexpressible
from sightline.sync.targets.opencode_permissions import MCP_TOOLS, tool_key

BUILT_IN = frozenset({"build", "plan", "general", "explore", "scout", "title", "summary", "compaction"})
TOOLS: Mapping[str, str] = {
    "Bash": "bash",
    "Read": "read",
    "Write": "edit",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Glob": "glob",
    "Grep": "grep",
    "LS": "list",
    "WebFetch": "webfetch",
    "WebSearch": "websearch",
    "TodoWrite": "todowrite",
    "Task": "task",
    "Agent": "task",
    "Skill": "skill",
}
_COLORS = re.compile(r"#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info")

AGENT_FATES: Mapping[str, Fate] = {
    "name": ("exact", "the file's name"),
    "description": ("exact", ""),
    "tools": ("equivalent", "all other tools are denied; one limited by a pattern is denied, too"),
    "disallowedTools": ("equivalent", "denied"),
    "model": ("dropped", "models have other names"),
    "permissionMode": ("approximated", "`plan` denies edits and commands; no mode makes anything laxer"),
    "maxTurns": ("exact", "`steps`"),
    "skills": ("dropped", "no equivalent"),
    "mcpServers": ("dropped", "the agent sees the servers of its scope"),
    "hooks": ("dropped", "no equivalent"),
    "memory": ("dropped", "no equivalent"),
    "background": ("dropped", "no equivalent"),
    "effort": ("dropped", "no equivalent"),
    "isolation": ("dropped", "no equivalent"),
    "color": ("approximated", "only colours that OpenCode knows"),
    "initialPrompt": ("dropped", "no equivalent"),
}


def render_agent(agent: Agent, servers: Mapping[str, str]) -> bytes:
    """The file; raises `Inexpressible`."""
    values: dict[str, Value] = {"description": agent.description, "mode": "subagent"}
    if agent.max_turns is not None and agent.max_turns > 0:
        values["steps"] = agent.max_turns
    if _COLORS.fullmatch(agent.color):
        values["color"] = agent.color
    if denied := denied_tools(agent, servers):
        values["permission"] = dict.fromkeys(denied, "deny")
    try:
        return render(values, agent.body)
    except Unrenderable as error:
        raise Inexpressible(str(error)) from error


def denied_tools(agent: Agent, servers: Mapping[str, str]) -> list[str]:
    """The permissions to take away, in a fixed order; `servers` are those that the file may name."""
    denied: dict[str, None] = {}
    if agent.tools is not None and "*" not in agent.tools:
        kept = set(_permissions(agent.tools, servers, is_denied=False))
        used = {key for key in kept if "_" in key}
        denied.update({} if used else {MCP_TOOLS: None})
        denied.update(dict.fromkeys(key for key in TOOLS.values() if key not in kept))
        names = [f"{name}_" for name in servers.values()] if used else []
        denied.update(dict.fromkeys(f"{name}*" for name in names if not any(key.startswith(name) for key in used)))
    denied.update(dict.fromkeys(_permissions(agent.disallowed_tools, servers, is_denied=True)))
    if agent.permission_mode == "plan":
        denied.update({"edit": None, "bash": None})
    return list(denied)


def _permissions(tools: Iterable[str], servers: Mapping[str, str], *, is_denied: bool) -> Iterable[str]:
    for text in tools:
        tool, has_pattern, _ = text.partition("(")
        if has_pattern and not is_denied:
            continue
        if tool in TOOLS:
            yield TOOLS[tool]
        elif tool.startswith("mcp__"):
            yield tool_key(tool, servers)
