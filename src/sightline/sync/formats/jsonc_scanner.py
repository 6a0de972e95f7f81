"""JSON with comments and trailing commas, read into values that know their places in the text.

Knows the grammar and nothing of editing. Numbers keep their spelling in the text; here they are only compared.
"""

from __future__ import annotations

import json
import re

from sightline.frozen import frozen
from sightline.sync.formats.delimited import Comment, Delimited, Element
from sightline.sync.formats.failures import Malformed
from sightline.sync.formats.splices import body_start, malformed
from sightline.sync.formats.values import Value

DEEPEST = 100
_LONGEST_INT = 4000

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_]+")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@frozen
class Node:
    """A value from its first to past its last character; `keys` and `items` are there for what has brackets."""

    start: int
    end: int
    scalar: str | int | float | bool | None = None
    box: Delimited | None = None
    keys: tuple[str, ...] | None = None
    items: tuple[Node, ...] = ()

    @property
    def value(self) -> Value:
        if self.box is None:
            return self.scalar
        if self.keys is None:
            return [item.value for item in self.items]
        return {key: item.value for key, item in zip(self.keys, self.items, strict=True)}


@frozen
class Document:
    """The text with its root; no root means that there is nothing but blanks and comments."""

    text: str
    root: Node | None
    comments: tuple[Comment, ...]


def scan(text: str) -> Document:
    """Read the whole text; raises `Malformed`."""
    scanner = _Scanner(text)
    comments = scanner.skip_trivia()
    root = None if scanner.at == len(text) else scanner.read_value(0)
    comments += scanner.skip_trivia()
    if scanner.at < len(text):
        raise scanner.fail("unexpected text after the end")
    return Document(text, root, tuple(comments))


class _Scanner:
    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = body_start(text)

    def fail(self, message: str, at: int | None = None) -> Malformed:
        return malformed(self.text, self.at if at is None else at, message)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip_trivia(self) -> list[Comment]:
        comments: list[Comment] = []
        while True:
            self.at = _match_end(_SPACE, self.text, self.at)
            if not self.text.startswith(("//", "/*"), self.at):
                return comments
            comments.append(self._comment())

    def _comment(self) -> Comment:
        start = self.at
        is_line = self.text.startswith("//", start)
        if is_line:
            self.at = _match_end(_LINE_COMMENT, self.text, start)
        else:
            end = self.text.find("*/", start + 2)
            if end < 0:
                raise self.fail("a comment is not closed")
            self.at = end + 2
        return Comment(start, self.at, is_line)

    def read_value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.fail(f"nested more than {DEEPEST} deep")
        first = self.peek()
        if first in ("{", "["):
            return self._bracketed(depth, first == "{")
        start = self.at
        if first == '"':
            scalar = self._string()
            return Node(start, self.at, scalar)
        if first and first in "-0123456789":
            return self._number()
        if (word := _WORD.match(self.text, start)) and word.group() in _WORDS:
            self.at = word.end()
            return Node(start, self.at, _WORDS[word.group()])
        raise self.fail("a value is expected" if first else "the text ends where a value is expected")

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.fail("a string is not closed on its line, or holds an unknown escape or a control character")
        self.at = found.end()
        return json.loads(found.group())

    def _number(self) -> Node:
        found = _NUMBER.match(self.text, self.at)
        if found is None or _is_word_character(self.text, found.end()):
            raise self.fail("not a number")
        start, self.at = self.at, found.end()
        digits = found.group()
        is_int = found.group(1) is None and found.group(2) is None and len(digits) < _LONGEST_INT
        return Node(start, self.at, int(digits) if is_int else float(digits))

    def _bracketed(self, depth: int, is_object: bool) -> Node:
        start, close = self.at, "}" if is_object else "]"
        self.at += 1
        comments = self.skip_trivia()
        keys: dict[str, None] = {}
        items: list[Node] = []
        elements: list[Element] = []
        while self.peek() != close:
            if elements and elements[-1].comma is None:
                raise self.fail(f"`,` or `{close}` is expected")
            first = self.at
            if is_object:
                self._key(keys)
            items.append(self.read_value(depth + 1))
            comments += self.skip_trivia()
            comma = self.at if self.peek() == "," else None
            elements.append(Element(first, items[-1].end, comma))
            if comma is not None:
                self.at += 1
                comments += self.skip_trivia()
        self.at += 1
        box = Delimited(start, self.at, tuple(elements), tuple(comments))
        return Node(start, self.at, None, box, tuple(keys) if is_object else None, tuple(items))

    def _key(self, keys: dict[str, None]) -> None:
        """Read a key up to its value; comments in between are inside the element, so nobody counts them."""
        first = self.at
        if self.peek() != '"':
            raise self.fail('a key in `"` is expected' if self.peek() else "the text ends inside an object")
        key = self._string()
        if key in keys:
            raise self.fail("this key is there twice", first)
        keys[key] = None
        self.skip_trivia()
        if self.peek() != ":":
            raise self.fail("`:` is expected")
        self.at += 1
        self.skip_trivia()


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _is_word_character(text: str, at: int) -> bool:
    return at < len(text) and (text[at].isalnum() or text[at] in "._+-")
