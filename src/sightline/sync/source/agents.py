"""Subagents: Markdown files whose identity is the field `name`, not the file's name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sightline.sync.model import Agent
from sightline.sync.model_values import Frontmatter, ItemKind, JsonValue, Scope
from sightline.sync.source.frontmatter import as_text, as_words
from sightline.sync.source.known_keys import AGENT_FIELDS
from sightline.sync.source.reading import Reading
from sightline.sync.source.skills import Shelf, read_document, report_unknown_fields

_IGNORED_IN_PLUGINS = ("hooks", "mcpServers", "permissionMode")


def read_agents(reading: Reading, shelf: Shelf) -> Iterator[Agent]:
    """Every agent below the folder."""
    for file in reading.files_below(shelf.folder, ItemKind.AGENT):
        if file.suffix == ".md":
            agent = read_agent(reading, shelf, file)
            if agent is not None:
                yield agent


def read_agent(reading: Reading, shelf: Shelf, file: Path) -> Agent | None:
    """One agent file, or none if Claude Code would not load it."""
    # The name is in the file: of one that cannot be read, nobody knows which agent it was.
    document = read_document(reading, file, shelf.item_id(ItemKind.AGENT, file.stem), ItemKind.AGENT)
    if document is None:
        return None
    provenance = shelf.provenance(file)
    fields = document.frontmatter.fields
    name, description = as_text(fields.get("name")), as_text(fields.get("description"))
    if not name or not description:
        reading.warn(file, 1, "an agent needs `name` and `description`; Claude Code does not load this file")
        return None
    report_unknown_fields(reading, document.frontmatter, AGENT_FIELDS, "agent frontmatter", provenance)
    frontmatter = _without_ignored(reading, document.frontmatter, shelf, file)
    return Agent(
        item_id=shelf.item_id(ItemKind.AGENT, name),
        provenance=provenance,
        name=f"{shelf.prefix}{name}",
        description=description,
        body=document.body,
        frontmatter=frontmatter,
        tools=_tools(frontmatter.fields.get("tools")),
        disallowed_tools=as_words(frontmatter.fields.get("disallowedTools")),
        model=as_text(frontmatter.fields.get("model")),
        permission_mode=as_text(frontmatter.fields.get("permissionMode")),
        max_turns=_count(frontmatter.fields.get("maxTurns")),
        skills=as_words(frontmatter.fields.get("skills")),
        effort=as_text(frontmatter.fields.get("effort")),
        color=as_text(frontmatter.fields.get("color")),
    )


def _tools(value: JsonValue) -> tuple[str, ...] | None:
    words = as_words(value)
    return None if value is None or words == ("*",) else words


def _count(value: JsonValue) -> int | None:
    text = as_text(value)
    return int(text) if text.isascii() and text.isdigit() else None


def _without_ignored(reading: Reading, frontmatter: Frontmatter, shelf: Shelf, file: Path) -> Frontmatter:
    """Claude Code ignores three fields of a plugin's agents; so do we, and say it."""
    if shelf.scope is not Scope.PLUGIN:
        return frontmatter
    for key in _IGNORED_IN_PLUGINS:
        if key in frontmatter.fields:
            reading.warn(file, frontmatter.line_of(key), f"`{key}` is ignored in a plugin's agent")
    kept = {key: value for key, value in frontmatter.fields.items() if key not in _IGNORED_IN_PLUGINS}
    return Frontmatter(kept, frontmatter.lines)
