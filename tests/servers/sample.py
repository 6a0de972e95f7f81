"""A small project in one language, and what is true of it.

The function that the questions are about has a name that stands nowhere else, not even in a comment: so a text
search tells where it is used, and the server's word can be held against that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

Spot = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of a file and what takes its place."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """`files` by name; `{root}` in them is the project's folder.

    `function` is defined in `home` and called in `user`, which is in order; `broken` is the line that is not.
    `wrong` puts an error into the user; `breaking` changes one file so that the files of `broken_by` become wrong.
    `newcomer` is another file with one call. `hover` is a piece of the function's hover. `callers` reach it within two
    steps. `renamed` is a name that can be renamed inside one file only. `user_settings` are what its server needs.
    """

    files: Mapping[str, str]
    user: str
    broken: tuple[str, str]
    wrong: Change
    function: str = ""
    home: str = ""
    hover: str = ""
    breaking: Change | None = None
    broken_by: tuple[str, ...] = ()
    newcomer: tuple[str, str] | None = None
    interface: tuple[str, str, str] | None = None
    outline: tuple[str, str] = ("", "")
    renamed: Change | None = None
    callers: tuple[str, ...] = ()
    user_settings: str = ""

    def write(self, root: Path) -> None:
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.replace("{root}", str(root)).encode())

    def uses(self, root: Path) -> set[Spot]:
        return uses_of(self.function, root)


def uses_of(name: str, root: Path) -> set[Spot]:
    """Where a name stands, by a text search of what is on disk now."""
    return {
        (str(path.relative_to(root)), number)
        for path in root.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(rf"\b{name}\b", line)
    }


def line_of(path: Path, piece: str) -> int:
    """The number of the only line that holds a piece of text."""
    found = [number for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if piece in line]
    assert len(found) == 1, f"{piece!r} stands in {len(found)} lines of {path.name}"
    return found[0]


def column_after(path: Path, line: int, piece: str) -> int:
    """The column right after a piece of a line, from 1."""
    text = path.read_text(encoding="utf-8").splitlines()[line - 1]
    return text.index(piece) + len(piece) + 1
