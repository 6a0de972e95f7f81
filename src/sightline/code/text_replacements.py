"""Parts of a text, quoted by a caller, and what takes their place: each must be there exactly once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from sightline.code.unified_diff import newline_of
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.tool import param, record

_SHOWN_PLACES = 5
_LONGEST_SHOWN = 120
_MOST_COMPARED_LINES = 5_000


@record
class Replacement:
    """A part of a text, and what takes its place."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    old_text: str = param("Text that occurs exactly once")
    new_text: str = param("What takes its place")


@dataclass(frozen=True, slots=True)
class _Span:
    """A part of the text, and which replacement wants it."""

    start: int
    end: int
    number: int
    new_text: str


def replaced(text: str, replacements: Sequence[Replacement]) -> str:
    """The text with all parts replaced; raises `ToolFailure` if one is not there exactly once, or two overlap."""
    newline = newline_of(text)
    plain = text.replace("\r\n", "\n")
    spans = sorted(
        (_span(plain, number, each) for number, each in enumerate(replacements)), key=lambda span: span.start
    )
    for one, other in pairwise(spans):
        if other.start < one.end:
            line = plain.count("\n", 0, other.start) + 1
            message = f"replacements[{one.number}] and replacements[{other.number}] overlap at line {line}"
            raise invalid_params(message, "make one replacement of the two")
    original = _offsets_in(text)
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += [text[done : original(span.start)], with_newlines(span.new_text, newline)]
        done = original(span.end)
    return "".join([*parts, text[done:]])


def _span(plain: str, number: int, replacement: Replacement) -> _Span:
    """Where the old text is; raises `ToolFailure` if it is nowhere, or in more than one place."""
    old = replacement.old_text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not old:
        raise invalid_params(
            f"replacements[{number}]: `old_text` is empty", "use `content`, or quote the line next to it"
        )
    start = plain.find(old)
    if start < 0:
        raise no_match(f"replacements[{number}]: `old_text` is not in the file", _hint_for(plain, old))
    if plain.find(old, start + 1) >= 0:
        raise _found_often(plain, number, old)
    return _Span(start, start + len(old), number, replacement.new_text.removeprefix("\ufeff"))


def _found_often(plain: str, number: int, old: str) -> ToolFailure:
    lines: list[str] = []
    at = plain.find(old)
    while at >= 0 and len(lines) <= _SHOWN_PLACES:
        lines.append(str(plain.count("\n", 0, at) + 1))
        at = plain.find(old, at + 1)
    shown = ", ".join(lines[:_SHOWN_PLACES])
    times = f"{len(lines)} times" if len(lines) <= _SHOWN_PLACES else f"more than {_SHOWN_PLACES} times"
    message = f"replacements[{number}]: `old_text` is in the file {times}, at lines {shown}"
    return invalid_params(message, "quote more of the lines around it, so that it is there once")


def _offsets_in(text: str) -> Callable[[int], int]:
    """From offsets in the text with plain line ends to offsets in the text."""
    returns: list[int] = []
    at = text.find("\r\n")
    while at >= 0:
        returns.append(at - len(returns))
        at = text.find("\r\n", at + 2)
    return lambda offset: offset + bisect_left(returns, offset)


def with_newlines(text: str, newline: str | None) -> str:
    """With one kind of line end, or as it is where the file has none."""
    if newline is None:
        return text
    plain = text.replace("\r\n", "\n")
    return plain if newline == "\n" else plain.replace("\n", newline)


def _hint_for(plain: str, old: str) -> str | None:
    """How far the file agrees with `old`, if for a line or more; otherwise what is most like its first line."""
    agreeing = bisect_left(range(len(old)), True, key=lambda last: old[: last + 1] not in plain)
    head = old[:agreeing]
    if not head.rpartition("\n")[0].strip():
        return nearest_line(plain, old.strip().partition("\n")[0])
    number = plain.count("\n", 0, plain.find(head) + agreeing)
    differing = _shown(plain.split("\n")[number])
    return f"it agrees with the file up to line {number + 1}, which is " + (f"`{differing}`" if differing else "empty")


def nearest_line(text: str, wanted: str) -> str | None:
    """A hint at the line that is most like the wanted one."""
    import difflib

    lines = text.split("\n")[:_MOST_COMPARED_LINES]
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines):
        if line.strip():
            numbers.setdefault(line.strip()[:_LONGEST_SHOWN], number)
    near = difflib.get_close_matches(wanted.strip()[:_LONGEST_SHOWN], numbers, n=1, cutoff=0.6)
    return f"the nearest is line {numbers[near[0]] + 1}: `{_shown(lines[numbers[near[0]]])}`" if near else None


def _shown(line: str) -> str:
    return line.rstrip()[:_LONGEST_SHOWN]


def no_match(message: str, hint: str | None) -> ToolFailure:
    """A quotation that the file does not hold."""
    read_again = NextStep("doc", "read the file again and quote it exactly")
    return ToolFailure(ErrorKind.NO_MATCH, f"{message}; {hint}" if hint else message, read_again)
