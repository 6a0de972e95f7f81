"""Fenced code in a part of a Markdown text: which fence is open where, and a part that is well-formed by itself.

A fence may stand in a quotation or a list. What looks like a fence and is none (inside HTML, say) is told apart by the
parser, which is asked only where there is something like a fence at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MARKS = re.compile(r"`{3}|~{3}")
_OPENING = re.compile(
    r"(?P<prefix>[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*)*)"
    r"(?:(?P<ticks>`{3,})(?P<info>[^`\n]*)|(?P<tildes>~{3,})(?P<words>[^\n]*))"
)
_CLOSING = re.compile(r"(?P<prefix>[ \t>]*)(?P<marks>`{3,}|~{3,})[ \t]*")
_BULLET = re.compile(r"[-*+]|\d{1,9}[.)]")
_LONGEST_INFO = 60
_MOST_PARSED = 100_000
_CUT = "…"


@dataclass(frozen=True, slots=True)
class OpenFence:
    """A fence that was opened: what stands before it on its line, its marks, and what follows them."""

    prefix: str
    marks: str
    info: str

    @property
    def reopened(self) -> str:
        """A line that opens it again."""
        return f"{self.closing}{self.info[:_LONGEST_INFO]}".rstrip()

    @property
    def closing(self) -> str:
        """A line that closes it, in the same quotation and as deep; an item of a list is not begun again."""
        return _BULLET.sub(lambda found: " " * len(found[0]), self.prefix) + self.marks

    def holds(self, line: str) -> bool:
        """Whether a line can belong to it: a quotation or an item of a list ends what was opened in it."""
        if ">" in self.prefix:
            return line.lstrip().startswith(">")
        is_in_item = self.prefix.strip() != ""
        return not is_in_item or not line.strip() or len(line) - len(line.lstrip()) >= len(self.prefix)

    def ends_with(self, line: str) -> bool:
        """Whether a line closes it; four blanks deeper it would be code."""
        found = _CLOSING.fullmatch(line)
        is_near = found is not None and len(found["prefix"]) < len(self.prefix) + 4
        return found is not None and is_near and found["marks"].startswith(self.marks)


def fence_after(line: str, fence: OpenFence | None) -> OpenFence | None:
    """The fence that is open after a line, where `fence` was open before it."""
    if fence is None and "```" not in line and "~~~" not in line:
        return None
    if fence is not None and fence.holds(line):
        return None if fence.ends_with(line) else fence
    found = _OPENING.fullmatch(line)
    if found is None:
        return None
    return OpenFence(found["prefix"], found["ticks"] or found["tildes"], found["info"] or found["words"] or "")


def fence_through(lines: Iterable[str]) -> OpenFence | None:
    """The fence that is open after these lines."""
    fence: OpenFence | None = None
    for line in lines:
        fence = fence_after(line, fence)
    return fence


def part_of(lines: Sequence[str], first: int, after: int, most: int) -> tuple[int, str]:
    """Some lines of a text as a part that stands by itself, within `most` characters; and where it really begins.

    Code that the part begins or ends in is opened again and closed.
    """
    fence = fence_through(lines[:first])
    if (
        fence and fence.ends_with(lines[first]) and first + 1 < min(after, len(lines))
    ):  # opened again, it would be empty
        fence, first = None, first + 1
    is_inside = fence is not None and fence.holds(lines[first])
    wanted = [fence.reopened, *lines[first:after]] if fence and is_inside else list(lines[first:after])
    rest = wanted[:-1]
    if any(map(str.strip, rest)) and fence_through(rest) is None and fence_after(wanted[-1], None):
        wanted = rest  # what is only opened would be empty too
    return first, _within("\n".join(wanted).rstrip(), most)


def closed(text: str) -> str:
    """The text with whatever code is open at its end closed; one that looks well-formed is not parsed."""
    fence = fence_through(text.split("\n")) if _MARKS.search(text) else None
    return text if fence is None else _by_parser(text, fence)


def _surely_closed(text: str) -> str:
    return _by_parser(text, fence_through(text.split("\n"))) if _MARKS.search(text) else text


def _by_parser(text: str, fence: OpenFence | None) -> str:
    """What the parser finds well-formed: closed as it looks, or as it is, or as the parser says."""
    likely = f"{text}\n{fence.closing}" if fence else text
    if len(text) > _MOST_PARSED or _left_open(likely) is None:
        return likely
    left = _left_open(text)
    return text if left is None else f"{text}\n{left}"


def _within(text: str, most: int) -> str:
    """The text, closed, cut so that what closes it fits too; a fence that is too long for that goes."""
    whole = _surely_closed(text)
    room = most - len(_CUT)
    while len(whole) > most and room > 0:
        whole = _surely_closed(text[:room].rstrip() + _CUT)
        room -= max(1, len(whole) - most)
    return whole if len(whole) <= most else _CUT


def _left_open(text: str) -> str | None:
    """What closes the code that the parser finds open at the end."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    lines = text.split("\n")
    for token in parser.parse(f"{text}\n"):
        if token.type != "fence" or token.map is None or token.map[1] < len(lines):
            continue
        first, after = token.map
        if after - first == token.content.count("\n") + 1:
            found = _OPENING.match(lines[first])
            return OpenFence(found["prefix"] if found else "", token.markup, "").closing
    return None
