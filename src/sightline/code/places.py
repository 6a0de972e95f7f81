"""A place in code, as callers name it: a position, a symbol, or a line and a name.

Models miscount lines and columns, so a position that misses every name is moved to the nearest one, and the answer
says so. Nothing here decides between two candidates: that is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.contract import Notice
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.positions import utf16_from_column
from sightline.tool import LongToolInput, param, record

_NAME = re.compile(r"[^\W\d]\w*")
_COMMENTS = ("#", "//", "*", "/*")
_NEAR_LINES = (0, 1, -1, 2, -2)
_NEAR_COLUMNS = 12


@record
class PlaceInput(LongToolInput):
    """Where: `file` with `line` and `column`, or `symbol` (alone or with `file`), or `file`, `line` and `symbol`."""

    file: str | None = param("File, from the project root", default=None, max_length=4096)
    line: int | None = param("Line, from 1", default=None, ge=1, le=10_000_000)
    column: int | None = param("Column in characters, from 1", default=None, ge=1, le=10_000_000)
    symbol: str | None = param("Name path, e.g. `Client.send`", default=None, max_length=500)


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file: 1-based, in characters; `name` is the identifier there."""

    path: Path
    line: int
    column: int
    name: str | None
    text: str

    def lsp_position(self) -> dict[str, int]:
        return {"line": self.line - 1, "character": utf16_from_column(self.text, self.column)}


@dataclass(frozen=True, slots=True)
class FoundPlace:
    place: Place
    notices: tuple[Notice, ...] = ()


def place_at(path: Path, lines: Sequence[str], line: int, column: int) -> FoundPlace:
    """The name at a position, or the nearest one to it; raises `ToolFailure` where there is none near."""
    _require_line(line, lines)
    if (exact := _name_at(lines[line - 1], column)) is not None:
        return FoundPlace(Place(path, line, exact[0], exact[1], lines[line - 1]))
    for offset in _NEAR_LINES:
        near = line + offset
        if 1 <= near <= len(lines) and (found := _nearest_name(lines[near - 1], column)):
            return _adjusted(path, lines, near, found, f"{line}:{column}")
    message = f"no name at or near line {line}, column {column}"
    raise ToolFailure(ErrorKind.NO_MATCH, message, NextStep("doc", "give `symbol`, or the position of a name"))


def place_of_name(path: Path, lines: Sequence[str], line: int, symbol: str) -> FoundPlace:
    """The name on a line, or on the lines next to it; best as it is written with dots."""
    _require_line(line, lines)
    name = symbol.rpartition(".")[2]
    words = [re.compile(rf"(?<!\w){re.escape(text)}(?!\w)") for text in dict.fromkeys((symbol, name))]
    for offset in _NEAR_LINES:
        near = line + offset
        text = lines[near - 1] if 1 <= near <= len(lines) else ""
        if found := next((match for word in words if (match := word.search(text))), None):
            place = Place(path, near, found.end() - len(name) + 1, name, text)
            return (
                FoundPlace(place) if not offset else _adjusted(path, lines, near, (place.column, name), f"line {line}")
            )
    message = f"`{name}` is not on line {line}, nor on the lines next to it"
    raise ToolFailure(ErrorKind.NO_MATCH, message, NextStep("doc", "read the file again, or leave `line` out"))


def place_of_use(path: Path, lines: Sequence[str], symbol: str) -> FoundPlace | None:
    """The first use of a name that the file does not define, such as an imported one; comment lines are passed over."""
    name = symbol.rpartition(".")[2]
    word = re.compile(rf"(?<![\w.]){re.escape(symbol)}(?!\w)")
    for number, line in enumerate(lines, 1):
        found = None if line.lstrip().startswith(_COMMENTS) else word.search(line)
        if found:
            column = found.end() - len(name) + 1
            message = f"`{symbol}` is not defined in the file; its first use, at {number}:{column}, was taken"
            notice = Notice("position_adjusted", message, {"line": number, "column": column})
            return FoundPlace(Place(path, number, column, name, line), (notice,))
    return None


def _require_line(line: int, lines: Sequence[str]) -> None:
    if line > len(lines):
        raise invalid_params(f"line {line} is past the end: the file has {len(lines)} lines", "read the file again")


def _name_at(text: str, column: int) -> tuple[int, str] | None:
    """The name that the column is in, or directly behind."""
    for start, name in _names(text):
        if start <= column <= start + len(name):
            return start, name
    return None


def _nearest_name(text: str, column: int) -> tuple[int, str] | None:
    near = [each for each in _names(text) if abs(each[0] - column) <= _NEAR_COLUMNS + len(each[1])]
    return min(near, key=lambda each: min(abs(each[0] - column), abs(each[0] + len(each[1]) - column)), default=None)


def _names(text: str) -> Iterator[tuple[int, str]]:
    """The names of a line with their columns; marks that combine with a letter belong to the name."""
    end = 0
    for found in _NAME.finditer(text):
        if found.start() < end:
            continue
        end = found.end()
        while end < len(text) and f"_{text[end]}".isidentifier():
            end += 1
        yield found.start() + 1, text[found.start() : end]


def _adjusted(path: Path, lines: Sequence[str], line: int, found: tuple[int, str], asked: str) -> FoundPlace:
    column, name = found
    message = f"there is no such name at {asked}; the nearest, `{name}` at {line}:{column}, was taken"
    notice = Notice("position_adjusted", message, {"line": line, "column": column})
    return FoundPlace(Place(path, line, column, name, lines[line - 1]), (notice,))
