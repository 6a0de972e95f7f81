"""Adding to and taking from a list between brackets (objects, arrays, inline tables) in the list's own style.

Knows brackets, elements, commas and comments by their offsets; no format. What `insertion` adds, `removal` takes
away to the byte, in any order over several elements. A comment beside an element stays; one inside it goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sightline.frozen import frozen
from sightline.sync.formats.splices import (
    Splice,
    indent_of,
    line_start,
    newline_before,
    own_line_indent,
    skip_blanks,
)


@frozen
class Comment:
    """From its first mark to its end; the line end after a line comment is not part of it."""

    start: int
    end: int
    to_line_end: bool


@frozen
class Element:
    """An element without the comma that follows it; `comma` is where that is."""

    start: int
    end: int
    comma: int | None


@frozen
class Delimited:
    """From the opening bracket to past the closing one, with the comments that are in no element."""

    start: int
    end: int
    elements: tuple[Element, ...]
    comments: tuple[Comment, ...]

    @property
    def inside(self) -> int:
        return self.start + 1

    @property
    def close(self) -> int:
        return self.end - 1


@frozen
class ListStyle:
    """How a list is written that does not show it itself."""

    eol: str
    unit: str
    gap: str = " "
    breaks_when_empty: bool = True


Render = Callable[[str | None], str]
"""The text of an element: with the indent of its own line, or with None in one line."""


def insertion(text: str, box: Delimited, renders: Sequence[Render], style: ListStyle) -> list[Splice]:
    """Add elements after the last."""
    if not box.elements:
        return [_into_empty(text, box, renders, style)]
    last = box.elements[-1]
    indent = own_line_indent(text, last.start)
    after = last.end if last.comma is None else last.comma + 1
    comma = [] if last.comma is not None else [Splice(last.end, last.end, ",")]
    trailing = "" if last.comma is None else ","
    if indent is None:
        gap = _gap(text, box, style)
        return [*comma, Splice(after, after, gap + _joined(renders, None, gap) + trailing)]
    at = _end_of_line(text, box, after)
    return [*comma, Splice(at, at, style.eol + indent + _joined(renders, indent, style.eol + indent) + trailing)]


def _joined(renders: Sequence[Render], indent: str | None, gap: str) -> str:
    return ("," + gap).join(render(indent) for render in renders)


def _gap(text: str, box: Delimited, style: ListStyle) -> str:
    if len(box.elements) > 1 and (comma := box.elements[-2].comma) is not None:
        gap = text[comma + 1 : box.elements[-1].start]
        return gap if not gap.strip(" \t") else style.gap
    return style.gap


def _end_of_line(text: str, box: Delimited, after: int) -> int:
    """Past the comments that follow on the line, and past its blanks unless the closing bracket is on it too."""
    ends = {comment.start: comment.end for comment in box.comments}
    kept = after
    while (at := skip_blanks(text, kept)) in ends:
        kept = ends[at]
    return kept if at == box.close else at


def _into_empty(text: str, box: Delimited, renders: Sequence[Render], style: ListStyle) -> Splice:
    inner = text[box.inside : box.close]
    outer = indent_of(text, box.start)
    own = own_line_indent(text, box.comments[-1].start) if box.comments else None
    indent = outer + style.unit if own is None else own
    lines = style.eol + indent + _joined(renders, indent, style.eol + indent)
    if box.comments:
        return Splice(box.comments[-1].end, box.comments[-1].end, lines)
    if "\n" in inner or "\r" in inner:
        # One more blank before the line end tells `{\n}` from `{}` when the element goes again.
        at = skip_blanks(text, box.inside)
        return Splice(at, at, " " + lines)
    if inner or not style.breaks_when_empty:
        return Splice(box.inside, box.inside, inner + _joined(renders, None, style.gap))
    return Splice(box.inside, box.inside, lines + style.eol + outer)


def removal(text: str, box: Delimited, index: int) -> list[Splice]:
    """Take one element out, with the comma that it needs no more and with its line if it has one."""
    element = box.elements[index]
    before = box.elements[index - 1] if index else None
    end, cuts = _with_comma(text, element)
    is_last = index == len(box.elements) - 1
    own_line = own_line_indent(text, element.start) is not None
    if len(box.elements) == 1:
        span = _only(text, box, end, own_line=own_line)
    elif own_line:
        span = _line(text, box, element, end)
    else:
        span = _in_line(text, element, before, end)
    if is_last and element.comma is None and before is not None and before.comma is not None:
        # Without a comma of its own the last element used the one before.
        cuts.append(Splice(before.comma, before.comma + 1))
    return [*cuts, span]


def _with_comma(text: str, element: Element) -> tuple[int, list[Splice]]:
    if element.comma is None:
        return element.end, []
    if text[element.end : element.comma].strip():
        return element.end, [Splice(element.comma, element.comma + 1)]
    return element.comma + 1, []


def _only(text: str, box: Delimited, end: int, *, own_line: bool) -> Splice:
    element = box.elements[0]
    before = text[box.inside : element.start]
    if not own_line:
        return Splice(element.start if before.strip() else box.inside, end)
    newline = newline_before(text, line_start(text, element.start))
    after = text[end : box.close]
    head = text[box.inside : newline]
    if head.endswith(" ") and not head.strip(" \t"):
        return Splice(newline - 1, end)
    if newline == box.inside and not after.strip() and len(after.splitlines()) <= 2:
        return Splice(box.inside, box.close)
    return _line(text, box, element, end)


def _line(text: str, box: Delimited, element: Element, end: int) -> Splice:
    newline = newline_before(text, line_start(text, element.start))
    tail = skip_blanks(text, end)
    if text[tail] in "\r\n":
        return Splice(newline, tail)
    is_after_line_comment = any(comment.to_line_end and comment.end == newline for comment in box.comments)
    if tail == box.close and not is_after_line_comment:
        return Splice(newline, end)
    return Splice(element.start, end if tail == box.close else tail)


def _in_line(text: str, element: Element, before: Element | None, end: int) -> Splice:
    if before is None or before.comma is None:
        return Splice(element.start, skip_blanks(text, end))
    is_plain = not text[before.comma + 1 : element.start].strip()
    return Splice(before.comma + 1 if is_plain else element.start, end)
