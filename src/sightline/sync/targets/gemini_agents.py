"""Agents as Gemini CLI's strict Markdown files: one unknown key or tool name and it rejects the agent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.frontmatter import render
from sightline.sync.formats.values import Value
from sightline.sync.model import Agent
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.gemini_commands import Inexpressible

TOOLS: Mapping[str, str] = {
    "Bash": "run_shell_command",
    "Read": "read_file",
    "Write": "write_file",
    "Edit": "replace",
    "MultiEdit": "replace",
    "Glob": "glob",
    "Grep": "grep_search",
    "LS": "list_directory",
    "WebFetch": "web_fetch",
    "WebSearch": "google_web_search",
    "TodoWrite": "write_todos",
    "Skill": "activate_skill",
}
_WRITING = frozenset({"run_shell_command", "write_file", "replace"})
_TEMPLATE = re.compile(r"\$\{(\w+)\}")

AGENT_FATES: Mapping[str, Fate] = {
    "name": ("exact", ""),
    "description": ("exact", ""),
    "tools": ("equivalent", "by Gemini CLI's names; a tool limited by a pattern is left out"),
    "disallowedTools": ("equivalent", "left out of the list of tools"),
    "model": ("dropped", "models have other names"),
    "permissionMode": ("approximated", "`plan` leaves the writing tools out; no mode makes anything laxer"),
    "maxTurns": ("exact", "`max_turns`"),
    "skills": ("dropped", "no equivalent"),
    "mcpServers": ("dropped", "the agent sees the servers of its scope"),
    "hooks": ("dropped", "no equivalent"),
    "memory": ("dropped", "no equivalent"),
    "background": ("dropped", "no equivalent"),
    "effort": ("dropped", "no equivalent"),
    "isolation": ("dropped", "no equivalent"),
    "color": ("dropped", "an unknown key would make Gemini CLI reject the agent"),
    "initialPrompt": ("dropped", "no equivalent"),
}


def render_agent(agent: Agent, name: str, servers: Mapping[str, str]) -> bytes:
    """The file; raises `Inexpressible` if nothing is left of its tools."""
    if not agent.description.strip():
        raise Inexpressible("Gemini CLI wants a description")
    values: dict[str, Value] = {"name": name, "description": agent.description}
    tools = gemini_tools(agent, servers)
    if tools is not None:
        if not tools:
            raise Inexpressible("none of its tools has an equivalent")
        values["tools"] = tools
    if agent.max_turns is not None and agent.max_turns > 0:
        values["max_turns"] = agent.max_turns
    # Gemini CLI takes `${word}` for an input of the agent, and fails on one that is not declared.
    body = _TEMPLATE.sub(r"$\1", agent.body)
    try:
        return render(values, body)
    except Unrenderable as error:
        raise Inexpressible(str(error)) from error


def gemini_tools(agent: Agent, servers: Mapping[str, str]) -> list[str] | None:
    """The list of tools, none for all of them."""
    disallowed = {tool for text in agent.disallowed_tools for tool in _names(text, servers, is_denied=True)}
    is_plan = agent.permission_mode == "plan"
    if agent.tools is None or "*" in agent.tools:
        if not disallowed and not is_plan:
            return None
        wanted = [*dict.fromkeys(TOOLS.values()), *(f"mcp_{server}_*" for server in servers.values())]
    else:
        wanted = [tool for text in agent.tools for tool in _names(text, servers, is_denied=False)]
    kept = (tool for tool in dict.fromkeys(wanted) if not _is_covered(tool, disallowed))
    return [tool for tool in kept if not (is_plan and tool in _WRITING)]


def _is_covered(tool: str, disallowed: set[str]) -> bool:
    """Whether a denied name is the tool, or meets a whole server from either side."""
    for denied in disallowed:
        one, other = tool.removesuffix("*"), denied.removesuffix("*")
        is_wide = "*" in tool or "*" in denied
        if tool == denied or (is_wide and (one.startswith(other) or other.startswith(one))):
            return True
    return False


def _names(text: str, servers: Mapping[str, str], *, is_denied: bool) -> Iterator[str]:
    tool, has_pattern, _ = text.partition("(")
    if has_pattern and not is_denied:
        return
    if tool in TOOLS:
        yield TOOLS[tool]
    elif tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        if server in servers and re.fullmatch(r"[A-Za-z0-9_.:-]+|\*?", name):
            yield f"mcp_{servers[server]}_{name or '*'}"
        elif is_denied:
            yield "mcp_*"
