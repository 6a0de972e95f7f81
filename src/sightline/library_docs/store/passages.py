"""Passages: the pieces of a document that are searched; each starts at a heading, or where the last got too long."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sightline.library_docs.pages.code_fences import OpenFence, fence_after
from sightline.library_docs.pages.lines import split_lines
from sightline.library_docs.pages.outline import outline_of
from sightline.library_docs.pages.sections import SEPARATOR, heading_paths

# About 800 tokens.
TARGET_CHARACTERS = 3200
_LONGEST_LINE = 2 * TARGET_CHARACTERS
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_LONGEST_NAME = 100
# Every passage repeats the headings above it; the whole of a longer one is in the passage that it begins.
_LONGEST_TITLE = 300
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document from a 1-based line on, and the headings above it."""

    line: int
    heading: str
    body: str
    parts: str
    digest: str


def passages_of(title: str, text: str) -> tuple[Passage, ...]:
    """The passages of a document, in order; every line that is not blank is in one of them."""
    lines = split_lines(text)
    title = title[:_LONGEST_TITLE]
    headings = [replace(heading, title=heading.title[:_LONGEST_TITLE]) for heading in outline_of(text)]
    starts = [1, *(heading.line for heading in headings), len(lines) + 1]
    paths = [title, *(_with_title(title, path) for path in heading_paths(headings))]
    return tuple(
        passage
        for path, first, after in zip(paths, starts, starts[1:], strict=False)
        for passage in _section_passages(path, first, lines[first - 1 : after - 1])
    )


def identifier_parts(text: str) -> str:
    """The words inside names: `useEffect` gives `use effect`; names split by signs need no help."""
    names = {name: None for name in _NAME.findall(text) if not name.islower() and len(name) <= _LONGEST_NAME}
    parts = dict.fromkeys(" ".join(_PART.findall(name)).lower() for name in names)
    return " ".join(part for part in parts if " " in part)


def _with_title(title: str, path: str) -> str:
    return path if not title or path == title or path.startswith(f"{title}{SEPARATOR}") else f"{title}{SEPARATOR}{path}"


def _section_passages(path: str, first: int, lines: Sequence[str]) -> Iterator[Passage]:
    for line, body in _pieces(first, lines):
        if body.strip():
            digest = hashlib.sha256(body.strip().encode()).hexdigest()[:16]
            yield Passage(line, path, body, identifier_parts(f"{path} {body}"), digest)


def _pieces(first: int, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Pieces of bearable length: cut at a blank line outside of code where there is one, else at any line.

    A piece that begins inside of code begins with a line that opens it again, counted as the line before.
    """
    taken: list[str] = []
    size, start = 0, first
    fence: OpenFence | None = None
    for number, line in enumerate(lines, start=first):
        is_good_place = not line.strip() and not fence
        if taken and (size > 2 * TARGET_CHARACTERS or (size > TARGET_CHARACTERS and is_good_place)):
            yield start, "\n".join(taken)
            taken = [fence.reopened] if fence else []
            size, start = 0, number - len(taken)
        fence = fence_after(line, fence)
        taken.append(line[:_LONGEST_LINE])
        size += len(taken[-1]) + 1
        for rest in range(_LONGEST_LINE, len(line), _LONGEST_LINE):
            yield start, "\n".join(taken)
            taken = [fence.reopened] if fence else []
            size, start = _LONGEST_LINE, max(1, number - len(taken))
            taken.append(line[rest : rest + _LONGEST_LINE])
    if taken:
        yield start, "\n".join(taken)
