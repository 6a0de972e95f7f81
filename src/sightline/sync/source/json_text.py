"""JSON text to plain values, with the line of every key and element, and duplicate keys reported.

Strict JSON, as Claude Code reads it. The standard decoder decides what is valid; a second pass over the valid text
only counts lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NoReturn, cast

from sightline.frozen import frozen
from sightline.sync.model_values import JsonValue

Pointer = tuple[str | int, ...]

_SKIP = re.compile(r"[\s,:]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class MalformedJson(Exception):
    """The text is not JSON; the message holds nothing of the text."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@frozen
class JsonText:
    """A parsed text; `lines` gives the 1-based line of each key or element, `duplicates` the keys given twice."""

    value: JsonValue
    lines: dict[Pointer, int]
    duplicates: tuple[Pointer, ...]

    def line_of(self, *pointer: str | int) -> int:
        """The line of a value, or of the nearest table around it."""
        for length in range(len(pointer), 0, -1):
            if pointer[:length] in self.lines:
                return self.lines[pointer[:length]]
        return 1


def _everywhere(_pointer: Pointer) -> bool:
    return True


def parse_json(text: str, is_wanted: Callable[[Pointer], bool] = _everywhere) -> JsonText:
    """Parse; raises `MalformedJson` with the line. Lines are counted only inside the values that are wanted."""
    try:
        value = cast("JsonValue", json.loads(text, parse_constant=_refuse_constant))
        _refuse_half_characters(text, value)
        lines = _Lines(text, is_wanted)
        lines.scan(())
    except json.JSONDecodeError as error:
        raise MalformedJson(error.msg, error.lineno) from None
    except RecursionError:
        raise MalformedJson("nested too deeply", 1) from None
    return JsonText(value, lines.lines, tuple(lines.duplicates))


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJson(f"`{name}` is not JSON", 1)


def _refuse_half_characters(text: str, value: JsonValue) -> None:
    """An escape such as `\\ud800` alone is no character, and could never be written to a file."""
    escape = _SURROGATE.search(text)
    if escape is None:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedJson("half of a character", text.count("\n", 0, escape.start()) + 1) from None


class _Lines:
    """One pass over valid JSON text."""

    def __init__(self, text: str, is_wanted: Callable[[Pointer], bool]) -> None:
        self.text = text
        self.is_wanted = is_wanted
        self.decoder = json.JSONDecoder()
        self.at = 0
        self.line = 1
        self.lines: dict[Pointer, int] = {}
        self.duplicates: list[Pointer] = []

    def scan(self, pointer: Pointer) -> None:
        self._move(_SKIP)
        opening = self.text[self.at]
        if opening == '"':
            self._move(_STRING)
        elif opening not in "{[" or not self.is_wanted(pointer):
            self._skip_value()
        elif opening == "{":
            self._table(pointer)
        else:
            self._list(pointer)

    def _table(self, pointer: Pointer) -> None:
        self.at += 1
        while not self._closes("}"):
            line = self.line
            key = (*pointer, cast("str", json.loads(self._move(_STRING))))
            if key in self.lines:
                self.duplicates.append(key)
            self.lines[key] = line
            self.scan(key)

    def _list(self, pointer: Pointer) -> None:
        self.at += 1
        index = 0
        while not self._closes("]"):
            self.lines[(*pointer, index)] = self.line
            self.scan((*pointer, index))
            index += 1

    def _closes(self, bracket: str) -> bool:
        self._move(_SKIP)
        if self.text[self.at] != bracket:
            return False
        self.at += 1
        return True

    def _skip_value(self) -> None:
        _, end = self.decoder.raw_decode(self.text, self.at)
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def _move(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        moved = found[0] if found else ""
        self.line += moved.count("\n")
        self.at += len(moved)
        return moved
