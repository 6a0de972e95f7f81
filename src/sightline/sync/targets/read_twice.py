"""Whether a person's own lines in a `GEMINI.md` import a file with the same text, so that Gemini CLI reads it twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.marked_block import find_blocks, remove_block
from sightline.sync.source.markdown_text import read_lines
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.shown_paths import shown

_IMPORT = re.compile(r"(?<!\S)@(?P<path>[^\s@`]+\.md)\b")
_MAX_HOPS = 5
_HOLD_THE_SAME = ("AGENTS.md", "CLAUDE.md")


def warn_of_imports(files: Iterable[Path], project: Path, home: Path, findings: Findings) -> None:
    """Say it of each file that leads to an `AGENTS.md` or a `CLAUDE.md`."""
    for file in files:
        for written, found in _imports(file, {file}, _MAX_HOPS):
            if found.name in _HOLD_THE_SAME:
                findings.warn(
                    f"Gemini CLI reads `{shown(file, project, home)}` and, by `@{written}`, also "
                    f"`{shown(found, project, home)}`: what stands in both comes twice; take the import out"
                )


def _imports(file: Path, seen: set[Path], hops: int) -> Iterator[tuple[str, Path]]:
    """Every file that the person's lines bring in, as it is written and where it is."""
    for line in read_lines(_own_text(file)) if hops else ():
        for match in _IMPORT.finditer(line.text):
            found = file.parent.joinpath(match["path"])
            if not line.is_code_at(match.start()) and found not in seen and _is_file(found):
                seen.add(found)
                yield match["path"], found
                yield from _imports(found, seen, hops - 1)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # any text can stand behind an `@`, also one that is too long for a name
        return False


def _own_text(file: Path) -> str:
    """What stands in the file beside our blocks."""
    try:
        content = file.read_bytes()
        for block in find_blocks(content):
            content = remove_block(content, block.id)
        return content.decode("utf-8")
    except (OSError, ValueError, FormatFailed):
        return ""
