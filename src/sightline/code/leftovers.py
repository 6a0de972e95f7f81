"""Where a name still stands after a rename: in strings, comments, documents, and in code that is another symbol.

They are listed and not touched: nobody but the reader can tell which of them mean the renamed symbol.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from sightline.code.workspace_edits import Span
from sightline.tool import record

_DOCUMENTS = (".md", ".rst", ".txt", ".toml", ".cfg", ".ini", ".yaml", ".yml", ".json")
_LONGEST = 160
_LINE_END = re.compile(r"\r\n|\r|\n")
_STRINGS = {tokenize.STRING, *(getattr(tokenize, name, -1) for name in ("FSTRING_START", "FSTRING_MIDDLE"))}

Kind = Literal["string", "comment", "code", "document"]


@record
class Leftover:
    """A place where the old name still stands as text."""

    file: str
    line: int
    column: int
    kind: Kind
    preview: str


def leftovers(
    name: str, files: Iterable[str], renamed: Mapping[Path, Collection[Span]]
) -> Iterator[tuple[Path, Leftover]]:
    """Every whole-word occurrence of the name that is not renamed; `file` is left for the caller to show."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for file in files:
        path = Path(file)
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            continue
        if name not in text:
            continue
        spans, kinds = renamed.get(path, ()), _kinds(path, text)
        for number, line in enumerate(_LINE_END.split(text), 1):
            for found in word.finditer(line):
                column = found.start() + 1
                if not any(span.line == number and span.start <= column < span.end for span in spans):
                    kind = kinds.at(number, column) if kinds else _plain_kind(path)
                    preview = line.strip()[:_LONGEST]
                    yield path, Leftover(file="", line=number, column=column, kind=kind, preview=preview)


def documents_below(root: Path, listed: Iterable[str]) -> list[str]:
    """Text files beside the sources: in the root, and in folders that hold sources or documents."""
    folders = {root, root / "docs", *(Path(file).parent for file in listed)}
    found: set[str] = set()
    for folder in folders:
        if folder.is_dir():
            found.update(str(path) for path in folder.iterdir() if path.suffix in _DOCUMENTS and path.is_file())
    return sorted(found)


class _TokenKinds:
    """What stands where in a Python file."""

    def __init__(self, text: str) -> None:
        self._strings: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self._comments: dict[int, int] = {}
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type in _STRINGS:
                    self._strings.append((token.start, token.end))
                elif token.type == tokenize.COMMENT:
                    self._comments[token.start[0]] = token.start[1]
        except (tokenize.TokenError, SyntaxError):
            return

    def at(self, line: int, column: int) -> Kind:
        place = (line, column - 1)
        if column - 1 >= self._comments.get(line, column):
            return "comment"
        return "string" if any(start <= place < end for start, end in self._strings) else "code"


def _kinds(path: Path, text: str) -> _TokenKinds | None:
    return _TokenKinds(text) if path.suffix in (".py", ".pyi", ".pyw") else None


def _plain_kind(path: Path) -> Kind:
    return "document" if path.suffix in _DOCUMENTS else "code"
