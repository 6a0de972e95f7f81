"""Instructions, rules, agents and commands for Cursor.

It reads `AGENTS.md`, so the block for all targets serves it, too; what is for Cursor alone goes to a rule file, which
nobody else reads. Its user rules are no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.frontmatter import render
from sightline.sync.formats.values import Value
from sightline.sync.model import Agent, Command, Instructions, Rule
from sightline.sync.outputs import Output, OutputScope, OwnedFile
from sightline.sync.targets import codex_instructions
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.names import Names
from sightline.sync.targets.selection import Selection
from sightline.sync.targets.skill_text import plain_text

_NO_FIELD: Fate = ("dropped", "no equivalent")
_WRITING = frozenset({"Bash", "Edit", "Write", "MultiEdit", "NotebookEdit"})

AGENT_FATES: Mapping[str, Fate] = {
    "name": ("exact", ""),
    "description": ("exact", ""),
    "tools": ("approximated", "`readonly` if it has no tool that writes; otherwise all tools"),
    "disallowedTools": ("approximated", "`readonly` if it may not write"),
    "model": ("dropped", "models have other names"),
    "permissionMode": ("approximated", "`plan` is `readonly`; no mode makes anything laxer"),
    "background": ("exact", "`is_background`"),
    **dict.fromkeys(
        ("maxTurns", "skills", "mcpServers", "hooks", "memory", "effort", "isolation", "color", "initialPrompt"),
        _NO_FIELD,
    ),
}
COMMAND_FATES: Mapping[str, Fate] = {
    "description": ("dropped", "Cursor shows the text"),
    "argument-hint": ("approximated", "said in a note of the text"),
    "arguments": ("approximated", "said in a note of the text"),
    "allowed-tools": ("refused", "a grant is never copied"),
    "disable-model-invocation": ("exact", "only people call commands of Cursor"),
    **dict.fromkeys(
        (
            *("name", "when_to_use", "user-invocable", "disallowed-tools", "model", "effort", "context", "agent"),
            *("background", "hooks", "paths", "shell", "metadata", "license", "compatibility"),
        ),
        _NO_FIELD,
    ),
}


def render_texts(selection: Selection, places: CodexPlaces) -> Iterator[Output]:
    """The shared blocks, and one rule file with the text for Cursor alone."""
    texts: list[Instructions | Rule] = []
    for item, scope in selection.choose((*selection.tree.instructions, *selection.tree.rules)):
        if scope == "user":
            selection.findings.note(item.item_id, "", "dropped", "the rules of a person are no files in Cursor")
            _note_fields(item, selection.findings, "dropped")
        else:
            texts.append(item)
    shared: list[tuple[Instructions | Rule, OutputScope]] = [(item, "project") for item in texts]
    for block in codex_instructions.render_instructions(shared, places, Findings()):
        if block.block_id == codex_instructions.COMMON_BLOCK:
            yield block
    for item in texts:
        _note(item, selection.findings)
    own = {item.item_id: text for item in texts if (text := _own_text(item))}
    if own:
        header: dict[str, Value] = {"description": "For Cursor alone", "alwaysApply": True}
        path = places.project / ".cursor/rules/sightline.mdc"
        yield OwnedFile(path, render(header, "\n\n".join(own.values()) + "\n"), "project", tuple(own))


def _own_text(item: Instructions | Rule) -> str:
    is_override = isinstance(item, Instructions) and item.only_for == "cursor"
    parts = tuple(part for part in item.parts if is_override or part.targets is not None)
    return replace(item, parts=parts).text_for("cursor", committed=True).strip("\n")


def _note(item: Instructions | Rule, findings: Findings) -> None:
    if isinstance(item, Instructions) and item.only_for not in {"", "cursor"}:
        findings.note(item.item_id, "", "dropped", f"meant for `{item.only_for}` alone")
        return
    if any(part.is_private for part in item.parts):
        findings.note(item.item_id, "", "approximated", "without the text that is private to this machine")
    findings.note(item.item_id, "", "equivalent", "imports expanded, block comments left out")
    _note_fields(item, findings, "approximated")


def _note_fields(item: Instructions | Rule, findings: Findings, grade: str) -> None:
    if isinstance(item, Rule):
        fate: Fate = ("approximated", "always read") if grade == "approximated" else ("dropped", "goes with the rule")
        findings.note_fields(item.item_id, item.frontmatter.fields, {"paths": fate})


def render_agents(selection: Selection, folder: Mapping[OutputScope, Path]) -> Iterator[Output]:
    names = Names(lower=True)
    for agent, scope in selection.choose(selection.tree.agents):
        name = names.give(agent.name, agent.item_id, scope)
        try:
            content = render(_header(agent, name), agent.body)
        except Unrenderable as error:
            selection.findings.note(agent.item_id, "", "refused", str(error))
            continue
        _note_agent(agent, name, selection.findings)
        yield OwnedFile(folder[scope] / "agents" / f"{name}.md", content, scope, (agent.item_id,))


def _header(agent: Agent, name: str) -> dict[str, Value]:
    header: dict[str, Value] = {"name": name, "description": " ".join(agent.description.split()) or name}
    if _is_read_only(agent):
        header["readonly"] = True
    if agent.frontmatter.fields.get("background") is True:
        header["is_background"] = True
    return header


def _is_read_only(agent: Agent) -> bool:
    denied = {tool.partition("(")[0] for tool in agent.disallowed_tools}
    if agent.permission_mode == "plan" or {"Edit", "Write"} & denied:
        return True
    has_all = agent.tools is None or "*" in agent.tools
    return not has_all and not _WRITING & {tool.partition("(")[0] for tool in agent.tools or ()}


def _note_agent(agent: Agent, name: str, findings: Findings) -> None:
    findings.note(agent.item_id, "", "approximated", "Cursor knows no single tools of an agent")
    if name != agent.name:
        findings.note(agent.item_id, "name", "approximated", f"`{name}` here")
    findings.note_fields(agent.item_id, agent.frontmatter.fields, AGENT_FATES)
    if (agent.tools is not None and "*" not in agent.tools) or agent.disallowed_tools:
        findings.delta(f"laxer: `{agent.item_id}` has more tools in Cursor than in Claude Code")


def render_commands(selection: Selection, folder: Mapping[OutputScope, Path]) -> Iterator[Output]:
    names = Names()
    for command, scope in selection.choose(selection.tree.commands):
        name = names.give("-".join(command.segments), command.item_id, scope)
        selection.findings.note(command.item_id, "", "approximated", "nothing is substituted; notes say what was meant")
        selection.findings.note_fields(command.item_id, command.frontmatter.fields, COMMAND_FATES)
        yield OwnedFile(folder[scope] / "commands" / f"{name}.md", _body(command), scope, (command.item_id,))


def _body(command: Command) -> bytes:
    names, hint = command.argument_names, command.argument_hint
    text = plain_text(command.body, argument_names=names, hint=hint, is_command=True).text
    return text.encode("utf-8", "replace")
