"""The lines of files that an engine points into: for columns in characters, and for previews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from sightline.positions import column_from_utf16

_LONGEST_PREVIEW = 200


@dataclass(slots=True)
class SourceLines:
    """Lines by file, each file read once; made for one answer, so that it never goes stale.

    `counts_marks`: whether the engine counts a byte order mark as a character of the first line, as Pyright does in
    files that it reads by itself.
    """

    files: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    marked: set[str] = field(default_factory=set[str])
    counts_marks: bool = True

    def of(self, file: str | Path) -> list[str]:
        name = str(file)
        if name not in self.files:
            text = _text_of(name)
            self.keep(name, text.removeprefix("\ufeff"), is_marked=text.startswith("\ufeff"))
        return self.files[name]

    def keep(self, file: str | Path, text: str, *, is_marked: bool) -> None:
        """Take over a text that was just read."""
        if is_marked:
            self.marked.add(str(file))
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.files[str(file)] = text.split("\n") if text else []

    def place(self, file: str | Path, position: Mapping[str, int]) -> tuple[int, int]:
        """An engine's position (from 0, in UTF-16 units) as line and column (from 1, in characters)."""
        lines, line = self.of(file), position["line"]
        if line >= len(lines):
            return line + 1, position["character"] + 1
        return line + 1, column_from_utf16(lines[line], position["character"] - self.mark_at(file, line))

    def mark_at(self, file: str | Path, line: int) -> int:
        """How many characters the engine counts before those of a line (from 0)."""
        return int(self.counts_marks and line == 0 and str(file) in self.marked)

    def preview(self, file: str | Path, line: int, around: int = 0) -> str:
        """The source line without its indentation; with lines `around` it, their common one."""
        lines = self.of(file)
        if not 0 < line <= len(lines):
            return ""
        if not around:
            return lines[line - 1].strip()[:_LONGEST_PREVIEW]
        shown = (each.rstrip()[:_LONGEST_PREVIEW] for each in lines[max(0, line - 1 - around) : line + around])
        return dedent("\n".join(shown))


def _text_of(file: str) -> str:
    try:
        return Path(file).read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""
