"""The headings of a Markdown page, by the parser's own line map.

Headings of any level and form count (ATX, setext, HTML), in lists too; those inside code, quotations, comments and
front matter do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.library_docs.pages.front_matter import front_matter_lines
from sightline.library_docs.pages.html_headings import html_headings
from sightline.library_docs.pages.lines import split_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MOST_ENTRIES = 50
MOST_CHARACTERS = 4000
_LONGEST_TITLE = 200
_ANY_SIGN = re.compile(r"#|<h[1-6]|^[ >]*(?:=+|-+)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_OWN_ANCHOR = re.compile(r"\s*\{:?\s*#([\w.:-]+)[^{}]*\}\s*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at a 1-based line; `anchor` is its slug, or the id that the page itself gives it."""

    line: int
    level: int
    title: str
    anchor: str


@dataclass(frozen=True, slots=True)
class ShortOutline:
    """An outline as text, one `line: ## title` per heading; `omitted` says what was left out, and None if nothing."""

    text: str
    shown: int
    total: int
    omitted: str | None = None


def outline_of(text: str) -> tuple[Heading, ...]:
    """Every heading of a page, in order."""
    if not _ANY_SIGN.search(text.replace("\r", "\n")):
        return ()
    lines = split_lines(text)
    for number in range(front_matter_lines(lines)):
        lines[number] = ""
    seen: dict[str, int] = {}
    return tuple(
        Heading(line, level, title, own or _distinct(slug_of(title), seen))
        for line, level, title, own in _found("\n".join(lines))
    )


def short_outline(
    headings: Sequence[Heading], max_entries: int = MOST_ENTRIES, max_characters: int = MOST_CHARACTERS
) -> ShortOutline:
    """The outline within limits: the deepest level goes first, then the next; at last the list is cut."""
    kept = list(headings)
    while not _fits(kept, max_entries, max_characters) and len({heading.level for heading in kept}) > 1:
        deepest = max(heading.level for heading in kept)
        kept = [heading for heading in kept if heading.level < deepest]
    levels = max((heading.level for heading in kept), default=6)
    is_cut = False
    while kept and not _fits(kept, max_entries, max_characters):
        kept.pop()
        is_cut = True
    return ShortOutline(
        "\n".join(map(_entry, kept)), len(kept), len(headings), _omission(kept, headings, levels, is_cut)
    )


def slug_of(title: str) -> str:
    """A title as the usual renderers make an anchor of it."""
    folded = unicodedata.normalize("NFC", title).strip().lower()
    return re.sub(r"[^\w\- ]", "", folded).replace(" ", "-")


def _omission(kept: Sequence[Heading], headings: Sequence[Heading], levels: int, is_cut: bool) -> str | None:
    if len(kept) == len(headings):
        return None
    left_out = f"{len(headings) - len(kept)} of {len(headings)} headings are left out"
    if not is_cut:
        return f"{left_out}: those below level {levels}"
    return f"{left_out}: those below level {levels}, and the last ones of the rest"


def _fits(headings: Sequence[Heading], max_entries: int, max_characters: int) -> bool:
    return len(headings) <= max_entries and sum(len(_entry(one)) + 1 for one in headings) <= max_characters + 1


def _entry(heading: Heading) -> str:
    title = heading.title if len(heading.title) <= _LONGEST_TITLE else heading.title[: _LONGEST_TITLE - 1] + "…"
    return f"{heading.line}: {'#' * heading.level} {title}"


def _distinct(slug: str, seen: dict[str, int]) -> str:
    count = seen.get(slug, 0)
    seen[slug] = count + 1
    return slug if count == 0 else f"{slug}-{count}"


def _found(text: str) -> Iterator[tuple[int, int, str, str | None]]:
    parser = _parser()
    tokens = parser.parse(text)
    quotations = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        quotations += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if quotations or token.map is None:
            continue
        if token.type == "heading_open" and following:
            yield token.map[0] + 1, int(token.tag[1]), *_title_of(_inline(parser, following.content))
        elif token.type == "html_block":
            for found in html_headings(token.content):
                yield token.map[0] + found.line, found.level, found.title, found.anchor


def _inline(parser: MarkdownIt, content: str) -> list[Token]:
    tokens: list[Token] = []
    parser.inline.parse(content.strip(), parser, {}, tokens)
    return tokens


def _title_of(tokens: Sequence[Token]) -> tuple[str, str | None]:
    plain = " ".join("".join(_plain(tokens)).split())
    own = _OWN_ANCHOR.search(plain)
    return (plain[: own.start()].rstrip(), own.group(1)) if own else (plain, None)


def _plain(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"text", "code_inline", "text_special"}:
            yield token.content
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
        elif token.children:
            yield from _plain(token.children)


def _parser() -> MarkdownIt:
    """Blocks only: inline text is parsed for headings alone, which takes a quarter of the time."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
