"""Agents for Codex: one TOML file each, with known keys only, since an unknown one makes Codex drop the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import Value
from sightline.sync.formats.whole_files import render_toml
from sightline.sync.model import Agent
from sightline.sync.outputs import Grade, Output, OutputScope, OwnedFile
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.skill_files import distinct_names

_EFFORTS = {"low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "xhigh"}
_EDIT_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_NO_FIELD = "Codex has no such field"
AGENT_GRADES: Mapping[str, tuple[Grade, str]] = {
    "name": ("exact", ""),
    "description": ("exact", ""),
    "tools": ("dropped", "an agent has every tool of the session in Codex"),
    "disallowedTools": ("dropped", "an agent has every tool of the session in Codex"),
    "model": ("dropped", "names of models mean nothing to Codex"),
    "permissionMode": ("dropped", "the session's own mode holds"),
    "maxTurns": ("dropped", _NO_FIELD),
    "skills": ("dropped", "no skill is loaded in advance"),
    "mcpServers": ("dropped", "an agent has the servers of the session in Codex"),
    "hooks": ("dropped", "hooks of an agent have no equivalent"),
    "memory": ("dropped", _NO_FIELD),
    "background": ("dropped", _NO_FIELD),
    "effort": ("equivalent", "`model_reasoning_effort`"),
    "isolation": ("dropped", _NO_FIELD),
    "color": ("dropped", _NO_FIELD),
    "initialPrompt": ("dropped", _NO_FIELD),
}


def render_agents(agents: Iterable[tuple[Agent, OutputScope]], places: CodexPlaces, findings: Findings) -> list[Output]:
    """A file for each agent, named by a valid form of its name."""
    chosen = list(agents)
    roots: dict[OutputScope, Path] = {scope: places.folder(scope) / "agents" for scope in ("project", "user")}
    names = distinct_names([(agent.item_id, agent.name, roots[scope]) for agent, scope in chosen])
    outputs: list[Output] = []
    for agent, scope in chosen:
        name = names[agent.item_id]
        try:
            content = render_toml(_fields(agent, name, findings))
        except FormatFailed as error:
            findings.note(agent.item_id, "", "refused", f"TOML cannot hold it: {error}")
            continue
        outputs.append(OwnedFile(roots[scope] / f"{name}.toml", content, scope, (agent.item_id,)))
        _note_fields(agent, name, findings)
    return outputs


def _fields(agent: Agent, name: str, findings: Findings) -> dict[str, Value]:
    described = " ".join(agent.description.split()) or name
    fields: dict[str, Value] = {
        "name": _shown_name(agent, name),
        "description": described,
        "developer_instructions": agent.body if agent.body.strip() else described,
    }
    if effort := _EFFORTS.get(agent.effort):
        fields["model_reasoning_effort"] = effort
        if effort != agent.effort:
            findings.note(agent.item_id, "effort", "approximated", f"`{effort}` is the most that is sure to exist")
    elif agent.effort:
        findings.note(agent.item_id, "effort", "dropped", "no such effort in Codex")
    if reason := _read_only_reason(agent):
        fields["sandbox_mode"] = "read-only"
        findings.note(agent.item_id, reason, "approximated", 'sandbox_mode = "read-only"')
    return fields


def _shown_name(agent: Agent, valid: str) -> str:
    """The name as it is, if it is plain enough to be called by; Claude Code and Codex both go by it."""
    plain = agent.name.replace("-", "").replace("_", "")
    return agent.name if plain.isascii() and plain.isalnum() and len(agent.name) <= 64 else valid


def _read_only_reason(agent: Agent) -> str:
    """The field for which the agent must not edit; in Codex only the sandbox can keep it from that."""
    if agent.permission_mode == "plan":
        return "permissionMode"
    if agent.tools is not None and "*" not in agent.tools and not _EDIT_TOOLS.intersection(map(_tool, agent.tools)):
        return "tools"
    return "disallowedTools" if {"Edit", "Write"} & set(agent.disallowed_tools) else ""


def _tool(entry: str) -> str:
    return entry.partition("(")[0].strip()


def _note_fields(agent: Agent, name: str, findings: Findings) -> None:
    item_id = agent.item_id
    findings.note(item_id, "", "approximated", f"`{name}.toml`")
    findings.note(item_id, "text", "exact" if agent.body.strip() else "approximated")
    if _shown_name(agent, name) != agent.name:
        findings.note(item_id, "name", "approximated", f"`{name}` here")
    if agent.permission_mode in {"bypassPermissions", "auto", "dontAsk"}:
        findings.note(item_id, "permissionMode", "refused", "never mapped to anything looser")
    for key in agent.frontmatter.fields:
        grade, reason = AGENT_GRADES.get(key, ("dropped", "this version does not know the field"))
        findings.note(item_id, key, grade, reason)
    is_limited = agent.tools is not None and "*" not in agent.tools
    if is_limited or agent.disallowed_tools:
        findings.delta(f"laxer: `{item_id}` has more tools in Codex than in Claude Code")
