"""Text as a file holds it: decoding, line ends, positions, and replacing parts of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sightline.frozen import frozen
from sightline.sync.formats.failures import Malformed, Unrenderable, WouldDamage

BOM = "\ufeff"
BLANKS = " \t"
_LINE_END = re.compile(r"\r\n|\n|\r")


@frozen
class Splice:
    """Replace `start` to `end` by `text`."""

    start: int
    end: int
    text: str = ""


def splice(text: str, splices: Iterable[Splice]) -> str:
    """The text with all parts replaced; those at one place stay in their order."""
    parts: list[str] = []
    at = 0
    for each in sorted(splices, key=lambda each: (each.start, each.end)):
        if each.start < at:
            raise WouldDamage("two changes overlap")
        parts += (text[at : each.start], each.text)
        at = each.end
    return "".join((*parts, text[at:]))


def decode(content: bytes) -> str:
    """The text, with its byte-order mark; raises `Malformed` where it is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise malformed(content[: error.start].decode("utf-8"), error.start, "the text is not UTF-8") from None


def encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Unrenderable("text with half of a surrogate pair cannot be written as UTF-8") from None


def body_start(text: str) -> int:
    return 1 if text.startswith(BOM) else 0


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    before = text[body_start(text) : offset]
    line_start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before) - line_start + 1


def malformed(text: str, offset: int, message: str) -> Malformed:
    return Malformed(*position(text, offset), message)


def line_ending(text: str) -> str:
    """The line end that the text uses first."""
    found = _LINE_END.search(text)
    return found.group() if found else "\n"


def skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def line_start(text: str, at: int) -> int:
    """Where the line begins that holds the offset; the byte-order mark is on no line."""
    start = max(text.rfind("\n", 0, at) + 1, body_start(text))
    return max(text.rfind("\r", start, at) + 1, start)


def newline_before(text: str, at: int) -> int:
    """Where the line end begins that stops at the offset; the offset itself if there is none."""
    if text.endswith("\r\n", 0, at):
        return at - 2
    return at - 1 if at and text[at - 1] in "\r\n" else at


def indent_of(text: str, at: int) -> str:
    """The blanks that the line of the offset begins with."""
    start = line_start(text, at)
    return text[start : skip_blanks(text, start)]


def own_line_indent(text: str, at: int) -> str | None:
    """The indent of what stands first on its line; None if something is before it."""
    indent = indent_of(text, at)
    start = line_start(text, at)
    return indent if start + len(indent) == at and start > body_start(text) else None
