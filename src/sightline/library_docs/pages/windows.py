"""Windows of a page: so many lines from a line on, and never more characters than allowed.

A window ends at the end of a line where it can. Only where its first line alone is over the limit is it cut inside that
line; then `next_offset` names the same line again, and `next_character` how many of its characters have been read.
Reading on from there until `next_offset` is None yields every character of the page exactly once.
"""

from __future__ import annotations

from dataclasses import dataclass

from sightline.library_docs.pages.lines import content_hash, split_lines

DEFAULT_LINES = 500
DEFAULT_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a page; lines are 1-based, `character` counts what was skipped of the first line."""

    content: str
    offset: int
    character: int
    total_lines: int
    next_offset: int | None
    next_character: int
    content_hash: str


def read_window(
    text: str,
    offset: int = 1,
    limit: int = DEFAULT_LINES,
    *,
    character: int = 0,
    max_characters: int = DEFAULT_CHARACTERS,
    last_line: int | None = None,
) -> Window:
    """The lines from `offset` on; past the end the content is empty. `last_line` ends a section's window early."""
    if offset < 1 or limit < 1 or character < 0 or max_characters < 1:
        raise ValueError("`offset`, `limit` and `max_characters` start at 1, and `character` at 0")
    lines = split_lines(text)
    end = len(lines) if last_line is None else min(last_line, len(lines))
    wanted = lines[offset - 1 : min(offset - 1 + limit, end)]
    content, next_offset, next_character = _cut(wanted, offset, character, max_characters)
    if next_offset > end:
        return Window(content, offset, character, len(lines), None, 0, content_hash(text))
    return Window(content, offset, character, len(lines), next_offset, next_character, content_hash(text))


def _cut(wanted: list[str], offset: int, character: int, max_characters: int) -> tuple[str, int, int]:
    """What fits of the lines, and where to read on."""
    if not wanted:
        return "", offset, 0
    first = wanted[0][character:]
    if len(first) > max_characters:
        return first[:max_characters], offset, character + max_characters
    taken, size = [first], len(first)
    for line in wanted[1:]:
        size += len(line) + 1
        if size > max_characters:
            break
        taken.append(line)
    return "\n".join(taken), offset + len(taken), 0
