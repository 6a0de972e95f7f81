"""Instructions and rules as marked blocks of `AGENTS.md` files.

Text for all targets and text for Codex alone stand in two blocks, since other CLIs read the project's file, too. Codex
loads nothing on demand: a rule for some files says so in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.files import Files
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.markdown_code import open_end, split_lines
from sightline.sync.formats.marked_block import without_blocks
from sightline.sync.model import Instructions, Rule, TextPart
from sightline.sync.model_values import ItemKind
from sightline.sync.outputs import OutputScope, OwnedBlock
from sightline.sync.targets.codex_places import CodexPlaces, read_or_empty
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.read_twice import warn_of_sources

SIZE_LIMIT = 32 * 1024
COMMON_BLOCK = "instructions"
OWN_BLOCK = "codex"
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")


@frozen
class _Section:
    item_id: str
    text: str


def render_instructions(
    chosen: Sequence[tuple[Instructions | Rule, OutputScope]], places: CodexPlaces, findings: Findings
) -> list[OwnedBlock]:
    """The blocks of all files, the project's root first."""
    files: dict[tuple[Path, OutputScope], list[Instructions | Rule]] = {}
    for item, scope in chosen:
        file = _file_of(item, scope, places, findings)
        if file is not None:
            files.setdefault((file, scope), []).append(item)
    blocks: list[OwnedBlock] = []
    for (file, scope), items in files.items():
        is_own = scope == "user"
        common = (
            []
            if is_own
            else [_section(item, file, places, findings, is_committed=True, is_for_all=True) for item in items]
        )
        alone = [
            _section(item, file, places, findings, is_committed=not is_own, is_for_all=False, is_all=is_own)
            for item in items
        ]
        for block_id, sections in ((COMMON_BLOCK, common), (OWN_BLOCK if common else COMMON_BLOCK, alone)):
            blocks.extend(_block(file, block_id, scope, sections))
    if any(block.scope == "project" and block.block_id == OWN_BLOCK for block in blocks):
        findings.warn("text for Codex alone stands in `AGENTS.md`, which other CLIs read as well")
    _warn_of_size(blocks, places, findings)
    warn_of_sources(blocks, (item for item, _ in chosen), places.files, places.shown, findings)
    return blocks


def _file_of(item: Instructions | Rule, scope: OutputScope, places: CodexPlaces, findings: Findings) -> Path | None:
    root = places.instructions(scope)
    if isinstance(item, Rule):
        _note_rule(item, findings)
        return root
    if item.only_for not in {"", "codex"}:
        findings.note(item.item_id, "", "dropped", f"meant for `{item.only_for}` alone")
        return None
    if scope == "user" or not item.is_on_demand:
        findings.note(item.item_id, "", "equivalent", f"a block of `{root.name}`")
        return root
    if not item.directory.is_relative_to(places.project):
        findings.note(item.item_id, "", "refused", "its folder is outside of the project")
        return None
    reason = "Codex reads it only when started in that folder or below"
    findings.note(item.item_id, "", "approximated", reason)
    return item.directory / "AGENTS.md"


def _note_rule(rule: Rule, findings: Findings) -> None:
    reason = "Codex loads it always; the text says for which files it is meant"
    findings.note(rule.item_id, "", "approximated" if rule.paths else "equivalent", reason if rule.paths else "")
    for key in rule.frontmatter.fields:
        if key == "paths":
            findings.note(rule.item_id, key, "approximated", reason)
        else:
            findings.note(rule.item_id, key, "dropped", "this version does not know the field")


def _section(
    item: Instructions | Rule,
    file: Path,
    places: CodexPlaces,
    findings: Findings,
    *,
    is_committed: bool,
    is_for_all: bool,
    is_all: bool = False,
) -> _Section:
    _note_parts(item, findings, is_committed=is_committed)
    parts = item.parts if is_all else tuple(part for part in item.parts if _is_common(part, item) == is_for_all)
    shown = replace(item, parts=parts).text_for("codex", committed=is_committed, output=file, files=places.files)
    text = _with_ends(shown)
    if text and isinstance(item, Rule) and item.paths:
        globs = ", ".join(f"`{glob}`" for glob in item.paths)
        text = f"Only for files that match {globs}:\n\n{text}"
    return _Section(item.item_id, text)


def _is_common(part: TextPart, item: Instructions | Rule) -> bool:
    return part.targets is None and not (isinstance(item, Instructions) and item.only_for)


def _note_parts(item: Instructions | Rule, findings: Findings, *, is_committed: bool) -> None:
    findings.note(item.item_id, "text", "equivalent", "imports are expanded, block comments are gone")
    if is_committed and any(part.is_private for part in item.parts):
        reason = "it comes from outside of the project or is personal: never in a committed file"
        findings.note(item.item_id, "private text", "refused", reason)
    if any(not part.is_for("codex") for part in item.parts):
        findings.note(item.item_id, "text for others", "exact", "tagged for other targets or for none")


def _with_ends(text: str) -> str:
    """The text without blank ends, and with a fence or comment closed that would run on into the next one."""
    text = text.strip("\n").rstrip()
    line = open_end(text) if text else None
    if line is None:
        return text
    fence = _FENCE.match(split_lines(text)[line - 1])
    return f"{text}\n{fence[1] if fence else '-->'}"


def _block(file: Path, block_id: str, scope: OutputScope, sections: Iterable[_Section]) -> Iterable[OwnedBlock]:
    filled = [section for section in sections if section.text]
    if filled:
        text = "\n\n".join(section.text for section in filled) + "\n"
        yield OwnedBlock(file, block_id, text, scope, tuple(section.item_id for section in filled))


def _warn_of_size(blocks: Sequence[OwnedBlock], places: CodexPlaces, findings: Findings) -> None:
    sizes: dict[Path, int] = {}
    for block in blocks:
        present = sizes.get(block.path)
        sizes[block.path] = (_foreign_size(block.path, places.files) if present is None else present) + len(
            block.text.encode()
        )
        override = block.path.with_name("AGENTS.override.md")
        if places.files.is_file(override):
            findings.warn(f"Codex reads `{places.shown(override)}` in place of `{block.path.name}` beside it")
    root = places.instructions("project")
    for file, size in sizes.items():
        total = size + (sizes.get(root, 0) if file != root and file != places.instructions("user") else 0)
        if total > SIZE_LIMIT:
            findings.warn(
                f"`{places.shown(file)}` brings {total} bytes of instructions; Codex silently cuts behind {SIZE_LIMIT} "
                "unless `project_doc_max_bytes` is raised"
            )


def _foreign_size(file: Path, files: Files) -> int:
    """What stands in the file now, without our blocks."""
    content = read_or_empty(file, files)
    try:
        return len(without_blocks(content))
    except FormatFailed:
        return len(content)


TEXT_KINDS = frozenset({ItemKind.INSTRUCTIONS, ItemKind.RULE})
