"""Where statements go into a TOML file and how they come out again, line by line.

A new table goes to the end after an empty line; a new pair goes after the last pair of its table. A file without a
last line end stays one. What is added here, `without` takes away to the byte, in any order.
A comment never goes: a statement that has one leaves it behind, alone on its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sightline.sync.formats.splices import Splice, body_start, indent_of, line_ending, newline_before, splice
from sightline.sync.formats.toml_scanner import Kind, Statement, TomlDocument


def with_table(document: TomlDocument, lines: Sequence[str]) -> list[Splice]:
    """Add the lines at the end of the file."""
    text, eol = document.text, line_ending(document.text)
    block = eol.join(lines)
    end = len(text)
    if end == body_start(text):
        return [Splice(end, end, block + eol)]
    if text[-1] == "\n":
        return [Splice(end, end, eol + block + eol)]
    return [Splice(end, end, eol + eol + block)]


def with_line_after(document: TomlDocument, statement: Statement, line: str) -> list[Splice]:
    """Add a line below a statement, indented like it."""
    text, eol = document.text, line_ending(document.text)
    at = statement.next_line
    written = indent_of(text, statement.start) + line
    return [Splice(at, at, written + eol if text[at - 1] == "\n" else eol + written)]


def with_first_line(document: TomlDocument, line: str) -> list[Splice]:
    """Add a line at the top, for a file with no pair outside of tables; an empty line sets it off."""
    text, eol = document.text, line_ending(document.text)
    at = body_start(text)
    return [Splice(at, at, line + eol if at == len(text) else line + eol + eol)]


def without(document: TomlDocument, gone: Sequence[Statement]) -> str:
    """The text without these statements and the empty lines that came with them."""
    text = document.text
    cuts: set[tuple[int, int]] = set()
    for statement in gone:
        if statement.comment is not None:
            cuts.add((statement.start, statement.comment.start))
            continue
        cuts.add((statement.line, statement.next_line))
        if statement.kind is not Kind.PAIR and (above := _empty_line_above(text, statement.line)) is not None:
            cuts.add((above, statement.line))
    if (below := _empty_line_below_top(document, gone)) is not None:
        cuts.add(below)
    left = splice(text, [Splice(start, end) for start, end in cuts])
    is_end_gone = any(end == len(text) and start > body_start(text) for start, end in cuts)
    if is_end_gone and not text.endswith("\n"):
        left = left[: newline_before(left, len(left))]
    return left


def _empty_line_above(text: str, line: int) -> int | None:
    if line == body_start(text):
        return None
    above = newline_before(text, line)
    is_empty = above == body_start(text) or text[above - 1] == "\n"
    return above if is_empty else None


def _empty_line_below_top(document: TomlDocument, gone: Sequence[Statement]) -> tuple[int, int] | None:
    """The empty line that sets off pairs at the top, once the last of them goes."""
    text = document.text
    top = [each for each in document.statements if each.kind is Kind.PAIR and not each.section]
    if not top or any(each not in gone or each.comment for each in top) or top[0].line != body_start(text):
        return None
    if any(one.next_line != other.line for one, other in pairwise(top)):
        return None
    at = top[-1].next_line
    for eol in ("\r\n", "\n"):
        if text.startswith(eol, at):
            return at, at + len(eol)
    return None
