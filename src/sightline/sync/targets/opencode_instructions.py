"""Instructions and rules for OpenCode: the project's `AGENTS.md`, which other CLIs read as well, and the user's own.

The block for all targets is made by the same function as for Codex, so that both want the same bytes there; text for
OpenCode alone stands in a block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sightline.sync.files import Files
from sightline.sync.formats.markdown_code import open_end
from sightline.sync.model import Instructions, Rule
from sightline.sync.outputs import Output, OutputScope, OwnedBlock
from sightline.sync.targets import codex_instructions
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.selection import Selection

OWN_BLOCK = "opencode"


def render_instructions(selection: Selection, places: CodexPlaces) -> Iterator[Output]:
    """The blocks of all files."""
    tree, project, user = selection.tree, places.project, places.codex_home
    chosen = list(selection.choose((*tree.instructions, *tree.rules)))
    shared: list[tuple[Instructions | Rule, OutputScope]] = [each for each in chosen if each[1] == "project"]
    for block in codex_instructions.render_instructions(shared, places, Findings()):
        if block.block_id == codex_instructions.COMMON_BLOCK:
            yield block
    folders: dict[OutputScope, Path] = {"project": project, "user": user}
    for scope, folder in folders.items():
        items = [item for item, own_scope in chosen if own_scope == scope]
        yield from _own_block(folder / "AGENTS.md", scope, items, places.files)
    for item, scope in chosen:
        _note(item, scope, selection)
        if scope == "project" and _own_text(item, scope, project / "AGENTS.md", places.files):
            selection.findings.warn("text for OpenCode alone stands in `AGENTS.md`, which other CLIs read as well")
    if any(scope == "project" for _, scope in chosen):
        selection.findings.warn("OpenCode no longer reads `CLAUDE.md` once there is an `AGENTS.md`")


def _own_block(file: Path, scope: OutputScope, items: list[Instructions | Rule], files: Files) -> Iterator[OwnedBlock]:
    """What only OpenCode gets: in a project the text that is tagged for it, in the user's file everything."""
    texts = {item.item_id: text for item in items if (text := _own_text(item, scope, file, files))}
    if texts:
        block_id = OWN_BLOCK if scope == "project" else codex_instructions.COMMON_BLOCK
        yield OwnedBlock(file, block_id, "\n\n".join(texts.values()) + "\n", scope, tuple(texts))


def _own_text(item: Instructions | Rule, scope: OutputScope, file: Path, files: Files) -> str:
    is_override = isinstance(item, Instructions) and item.only_for == "opencode"
    parts = tuple(part for part in item.parts if scope == "user" or is_override or part.targets is not None)
    chosen = replace(item, parts=parts)
    text = chosen.text_for("opencode", committed=scope == "project", output=file, files=files).strip("\n")
    if not text.strip() or open_end(text) is not None:
        return ""
    if isinstance(item, Rule) and item.paths:
        return f"Only for files that match {', '.join(f'`{glob}`' for glob in item.paths)}:\n\n{text}"
    return text


def _note(item: Instructions | Rule, scope: OutputScope, selection: Selection) -> None:
    findings = selection.findings
    if isinstance(item, Instructions) and item.only_for not in {"", "opencode"}:
        findings.note(item.item_id, "", "dropped", f"meant for `{item.only_for}` alone")
        return
    if scope == "project" and any(part.is_private for part in item.parts):
        findings.note(item.item_id, "", "approximated", "without the text that is private to this machine")
    findings.note(item.item_id, "", "equivalent", "imports expanded, block comments left out")
    if isinstance(item, Rule):
        findings.note_fields(item.item_id, item.frontmatter.fields, {"paths": ("approximated", "always read")})
