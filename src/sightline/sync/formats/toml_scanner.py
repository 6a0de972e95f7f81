"""TOML read into statements that know their places in the text.

The standard library says whether the text is TOML and what its values are; this module only finds where they stand,
and so may take the grammar for granted. Raises `Malformed` for text that is not TOML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sightline.frozen import frozen
from sightline.sync.formats.delimited import Comment, Delimited, Element
from sightline.sync.formats.failures import Malformed
from sightline.sync.formats.splices import body_start, line_start, malformed, skip_blanks
from sightline.sync.formats.values import KeyPath, Value

DEEPEST = 100

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\\r\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\r\n]*'")
_LONG_BASIC = re.compile(r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''.*?'''(?:'{0,2})", re.DOTALL)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:[^\s,\]}#]*)?")
_WORD = re.compile(r"[^\s,\]}#]+")
_TRIVIA = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"#[^\r\n]*")
_SCALARS = (_LONG_BASIC, _LONG_LITERAL, _BASIC, _LITERAL, _MOMENT, _WORD)
_KEYS = (_BARE_KEY, _BASIC, _LITERAL)
_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")


class Kind(StrEnum):
    """What a statement does."""

    TABLE = "[table]"
    TABLE_OF_ARRAY = "[[table]]"
    PAIR = "key = value"


@frozen
class TomlNode:
    """A value; one with brackets has a box, and an inline table the keys of its elements."""

    start: int
    end: int
    box: Delimited | None = None
    keys: tuple[KeyPath, ...] | None = None
    items: tuple[TomlNode, ...] = ()


@frozen
class Statement:
    """A header or a pair, from its line's start to past its line end.

    The path is absolute, with a number for each table of an array. `section` is the path of the header above.
    """

    kind: Kind
    path: KeyPath
    section: KeyPath
    line: int
    start: int
    end: int
    next_line: int
    comment: Comment | None
    node: TomlNode | None


@frozen
class TomlDocument:
    """The text, what it says, and where; `comments` are those that stand outside of values."""

    text: str
    value: Mapping[str, Value]
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...]


def parse(text: str) -> Mapping[str, Value]:
    """What the text says; raises `Malformed`."""
    import tomllib

    try:
        return tomllib.loads(text[body_start(text) :])
    except RecursionError:
        raise Malformed(1, 1, "nested too deep") from None
    except ValueError as error:  # also a number with too many digits, or a date that does not exist
        if found := _PLACE.fullmatch(str(error)):
            raise Malformed(int(found.group(2)), int(found.group(3)), found.group(1)) from None
        raise malformed(text, len(text), str(error).removesuffix(" (at end of document)")) from None


def scan(text: str) -> TomlDocument:
    """Read the whole text; raises `Malformed`."""
    value = parse(text)
    scanner = _Scanner(text)
    scanner.read()
    return TomlDocument(text, value, tuple(scanner.statements), tuple(scanner.comments))


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int = 0
    section: KeyPath = ()
    statements: list[Statement] = field(default_factory=list[Statement])
    comments: list[Comment] = field(default_factory=list[Comment])
    counts: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])

    def read(self) -> None:
        self.at = body_start(self.text)
        while self.at < len(self.text):
            self.at = skip_blanks(self.text, self.at)
            first = self.text[self.at : self.at + 1]
            if first == "[":
                self._header()
            elif first and first not in "#\r\n":
                self._pair()
            else:
                self._rest_of_line()

    def _rest_of_line(self) -> Comment | None:
        comment = None
        self.at = skip_blanks(self.text, self.at)
        if found := _COMMENT.match(self.text, self.at):
            comment = Comment(found.start(), found.end(), to_line_end=True)
            self.comments.append(comment)
            self.at = found.end()
        if self.text.startswith("\r\n", self.at):
            self.at += 2
        elif self.text.startswith("\n", self.at):
            self.at += 1
        elif self.at < len(self.text):
            raise malformed(self.text, self.at, "the end of the line is expected")
        return comment

    def _header(self) -> None:
        start = self.at
        kind = Kind.TABLE_OF_ARRAY if self.text.startswith("[[", start) else Kind.TABLE
        width = 2 if kind is Kind.TABLE_OF_ARRAY else 1
        self.at = start + width
        keys = self._keys()
        self.at += width
        self.section = self._resolved(keys, kind)
        self._add(kind, self.section, start, self.at, None)

    def _resolved(self, keys: KeyPath, kind: Kind) -> KeyPath:
        path: KeyPath = ()
        for index, key in enumerate(keys):
            path = (*path, key)
            if kind is Kind.TABLE_OF_ARRAY and index == len(keys) - 1:
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
        return path

    def _pair(self) -> None:
        start = self.at
        keys = self._keys()
        self.at = skip_blanks(self.text, self.at + 1)
        node = self._value(0)
        self._add(Kind.PAIR, (*self.section, *keys), start, node.end, node)

    def _add(self, kind: Kind, path: KeyPath, start: int, end: int, node: TomlNode | None) -> None:
        self.at = end
        comment = self._rest_of_line()
        line = line_start(self.text, start)
        self.statements.append(Statement(kind, path, self.section, line, start, end, self.at, comment, node))

    def _keys(self) -> KeyPath:
        """A dotted key, up to what follows it and its blanks."""
        keys: list[str] = []
        while True:
            self.at = skip_blanks(self.text, self.at)
            found = _first_match(_KEYS, self.text, self.at)
            keys.append(_plain_key(found.group()))
            self.at = skip_blanks(self.text, found.end())
            if not self.text.startswith(".", self.at):
                return tuple(keys)
            self.at += 1

    def _value(self, depth: int) -> TomlNode:
        if depth > DEEPEST:
            raise malformed(self.text, self.at, f"nested more than {DEEPEST} deep")
        first = self.text[self.at : self.at + 1]
        if first in ("[", "{"):
            return self._bracketed(depth, first == "{")
        found = _first_match(_SCALARS, self.text, self.at)
        self.at = found.end()
        return TomlNode(found.start(), found.end())

    def _trivia(self, comments: list[Comment]) -> str:
        while True:
            self.at = _first_match((_TRIVIA,), self.text, self.at).end()
            found = _COMMENT.match(self.text, self.at)
            if found is None:
                return self.text[self.at : self.at + 1]
            comments.append(Comment(found.start(), found.end(), to_line_end=True))
            self.at = found.end()

    def _bracketed(self, depth: int, is_table: bool) -> TomlNode:
        start, close = self.at, "}" if is_table else "]"
        self.at += 1
        comments: list[Comment] = []
        keys: list[KeyPath] = []
        items: list[TomlNode] = []
        elements: list[Element] = []
        while (first := self._trivia(comments)) != close and first:
            begin = self.at
            if is_table:
                keys.append(self._keys())
                self.at = skip_blanks(self.text, self.at + 1)
            items.append(self._value(depth + 1))
            comma = self.at if self._trivia(comments) == "," else None
            elements.append(Element(begin, items[-1].end, comma))
            self.at += comma is not None
        self.at += 1
        box = Delimited(start, self.at, tuple(elements), tuple(comments))
        return TomlNode(start, self.at, box, tuple(keys) if is_table else None, tuple(items))


def _first_match(patterns: tuple[re.Pattern[str], ...], text: str, at: int) -> re.Match[str]:
    for pattern in patterns:
        if found := pattern.match(text, at):
            return found
    raise malformed(text, at, "a key or a value is expected")


def _plain_key(written: str) -> str:
    if written[0] == "'":
        return written[1:-1]
    return str(parse(f"key = {written}")["key"]) if written[0] == '"' else written
