"""What of a Markdown text is code, what is a block comment, and which parts are meant for some targets only.

A scan by lines: fences, indented code and comments are blocks, code spans are found inside the remaining lines. It
knows no file and no import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.frozen import frozen

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)]|>)[ \t]*)*(`{3,}|~{3,})(.*)")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_COMMENT_START = re.compile(r" {0,3}<!--")
_TAG = re.compile(r"<!--\s*(?P<close>/)?(?:sync|harness):(?P<name>[a-z0-9_-]+)\s*-->", re.IGNORECASE)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.*?[^`])?\1(?!`)", re.DOTALL)


@frozen
class Line:
    """A line with its ending; `spans` are the character ranges of code inside it, if it could hold an import."""

    text: str
    number: int
    is_code: bool
    targets: frozenset[str] | None
    spans: tuple[tuple[int, int], ...] = ()

    def is_code_at(self, column: int) -> bool:
        return self.is_code or any(start <= column < end for start, end in self.spans)


def read_lines(text: str) -> list[Line]:
    """The lines that stay: block comments are gone, tags have become the targets of the lines that they enclose."""
    return list(_with_spans(_Blocks().lines(text)))


class _Blocks:
    """Walks over the lines and remembers which block is open."""

    def __init__(self) -> None:
        self.fence = ""
        self.is_comment = False
        self.is_list = False
        self.is_after_blank = True
        self.targets: frozenset[str] | None = None

    def lines(self, text: str) -> Iterator[Line]:
        for number, line in enumerate(_LINE.findall(text), 1):
            kept, is_code = self._next(line)
            if kept:
                yield Line(kept, number, is_code, self.targets)

    def _next(self, line: str) -> tuple[str, bool]:
        """What is kept of the line, and whether it is code."""
        if self.is_comment:
            return self._end_comment(line), False
        if self.fence:
            self.fence = "" if _closes(line, self.fence) else self.fence
            return line, True
        opening = _FENCE.match(line)
        if opening and not (opening[1][0] == "`" and "`" in opening[2]):
            self.fence = opening[1]
            return line, True
        if _COMMENT_START.match(line):
            return self._start_comment(line), False
        return line, self._is_indented_code(line)

    def _end_comment(self, line: str) -> str:
        _, closed, rest = line.partition("-->")
        self.is_comment = not closed
        return rest if rest.strip() else ""

    def _start_comment(self, line: str) -> str:
        self.targets = _targets_after(line, self.targets)
        rest, self.is_comment = _without_comments(line)
        return rest if rest.strip() else ""

    def _is_indented_code(self, line: str) -> bool:
        if not line.strip():
            self.is_after_blank = True
            return False
        if _INDENTED.match(line):
            return self.is_after_blank and not self.is_list
        self.is_list = bool(_LIST_ITEM.match(line)) or (self.is_list and line[0] in " \t")
        self.is_after_blank = False
        return False


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip().lstrip(">").strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _without_comments(line: str) -> tuple[str, bool]:
    """The line without its comments, and whether the last one goes on."""
    kept = ""
    while "<!--" in line:
        before, _, rest = line.partition("<!--")
        kept += before
        _, closed, line = rest.partition("-->")
        if not closed:
            return kept, True
    return kept + line, False


def _targets_after(line: str, targets: frozenset[str] | None) -> frozenset[str] | None:
    for tag in _TAG.finditer(line):
        name = tag["name"].lower()
        if tag["close"] or name == "end":
            targets = None
        elif name == "exclude":
            targets = frozenset()
        else:
            targets = frozenset({name.removesuffix("-only")})
    return targets


def _with_spans(lines: Iterator[Line]) -> Iterator[Line]:
    """Code spans may reach over the lines of a paragraph, so they are found paragraph by paragraph."""
    paragraph: list[Line] = []
    for line in lines:
        if line.is_code or not line.text.strip():
            yield from _spanned(paragraph)
            paragraph = []
            yield line
        else:
            paragraph.append(line)
    yield from _spanned(paragraph)


def _spanned(paragraph: list[Line]) -> Iterator[Line]:
    text = "".join(line.text for line in paragraph)
    found = [match.span() for match in _CODE_SPAN.finditer(text)] if "`" in text and "@" in text else []
    at = 0
    for line in paragraph:
        end = at + len(line.text)
        inside: tuple[tuple[int, int], ...] = ()
        if "@" in line.text:
            inside = tuple(
                (max(left, at) - at, min(right, end) - at) for left, right in found if left < end and right > at
            )
        yield Line(line.text, line.number, False, line.targets, inside)
        at = end
