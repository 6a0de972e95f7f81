"""Who would read the same text twice.

Gemini CLI, if a person's own lines in a `GEMINI.md` import a file with the same text; Claude Code itself, if it reads
the file of another CLI.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sightline.sync.files import Files
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.marked_block import without_blocks
from sightline.sync.model import Instructions, Rule
from sightline.sync.outputs import OwnedBlock
from sightline.sync.source.markdown_text import read_lines
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.shown_paths import shown

_IMPORT = re.compile(r"(?<!\S)@(?P<path>[^\s@`]+\.md)\b")
_MAX_HOPS = 5
_HOLD_THE_SAME = ("AGENTS.md", "CLAUDE.md")


def warn_of_imports(
    files: Iterable[Path], project: Path, home: Path, read: Callable[[Path], bytes], findings: Findings
) -> None:
    """Say it of each file that leads to an `AGENTS.md` or a `CLAUDE.md`."""
    for file in files:
        for written, found in _imports(_own_text(file, read) or "", file.parent, {file}, read, _MAX_HOPS):
            if found.name in _HOLD_THE_SAME:
                findings.warn(
                    f"Gemini CLI reads `{shown(file, project, home)}` and, by `@{written}`, also "
                    f"`{shown(found, project, home)}`: what stands in both comes twice; take the import out"
                )


def warn_of_sources(
    blocks: Iterable[OwnedBlock],
    items: Iterable[Instructions | Rule],
    files: Files,
    show: Callable[[Path], str],
    findings: Findings,
) -> None:
    """Say it of each file that is part of the source, too: `CLAUDE.md` may be a link to `AGENTS.md`, or import it."""
    sources = {part.real_file: item.item_id for item in items for part in item.parts if part.real_file}
    for path in dict.fromkeys(block.path for block in blocks):
        if item_id := sources.get(path) or sources.get(files.resolve(path)):
            findings.warn(
                f"Claude Code reads `{show(path)}`, too, by `{item_id}`: what is written there it has twice, "
                "and rules for some files always"
            )


def _imports(
    text: str, folder: Path, seen: set[Path], read: Callable[[Path], bytes], hops: int
) -> Iterator[tuple[str, Path]]:
    """Every file that the text brings in, as it is written and where it is."""
    for line in read_lines(text) if hops and "@" in text else ():
        for match in _IMPORT.finditer(line.text):
            found = folder / match["path"]
            if line.is_code_at(match.start()) or found in seen:
                continue
            seen.add(found)
            if (imported := _own_text(found, read)) is not None:
                yield match["path"], found
                yield from _imports(imported, found.parent, seen, read, hops - 1)


def _own_text(file: Path, read: Callable[[Path], bytes]) -> str | None:
    """What stands in the file beside our blocks; none if there is no such file, or no text in it."""
    try:
        return without_blocks(read(file)).decode("utf-8")
    except (OSError, ValueError, FormatFailed):
        return None
