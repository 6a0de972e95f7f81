"""Headings written as HTML inside Markdown: `<h2 id="x">Title</h2>`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 1000
_OPENING = re.compile(r"<h([1-6])(\s[^<>]{0,500})?>", re.IGNORECASE)
_NOT_SHOWN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(pre|script|style|template)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]*>")
_ID = re.compile(r"\bid\s*=\s*[\"']?([^\s\"'>]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HtmlHeading:
    """A heading at a 1-based line of its block."""

    line: int
    level: int
    title: str
    anchor: str | None


def html_headings(block: str) -> Iterator[HtmlHeading]:
    """The headings of an HTML block; one that is not closed soon is none."""
    block = _NOT_SHOWN.sub(lambda found: "\n" * found.group().count("\n"), block)
    lowered = block.lower()
    line, counted = 1, 0
    for opening in _OPENING.finditer(block):
        end = lowered.find(f"</h{opening[1]}", opening.end(), opening.end() + _LONGEST)
        title = " ".join(html.unescape(_TAG.sub("", block[opening.end() : end])).split())
        if end < 0 or not title:
            continue
        line, counted = line + block.count("\n", counted, opening.start()), opening.start()
        own = _ID.search(opening[2] or "")
        yield HtmlHeading(line, int(opening[1]), title, own and own[1])
