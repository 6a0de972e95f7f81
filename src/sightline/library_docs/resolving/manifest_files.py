"""Reading the files of a project that declare packages: bounded, inside the root, and never run.

A file that cannot be read or parsed becomes a warning that names it and the line.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from sightline.library_docs.resolving.declared import ManifestWarning

MAX_MANIFEST_BYTES = 2_000_000
MAX_LOCK_BYTES = 64_000_000

Table = dict[str, object]

_TOML_PLACE = re.compile(r"\(at line (\d+)")
_CONFLICT = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.M)


class ManifestFiles:
    """The files below one root, read on demand; gathers the warnings and the names of the files that were read."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self.warnings: list[ManifestWarning] = []
        self.read: list[str] = []

    @property
    def root(self) -> Path:
        return self._root

    def shown(self, path: Path) -> str:
        try:
            return path.relative_to(self._root).as_posix()
        except ValueError:
            return path.name

    def warn(self, path: Path, line: int | None, message: str) -> None:
        self.warnings.append(ManifestWarning(self.shown(path), line, message))

    def text(self, path: Path, limit: int = MAX_MANIFEST_BYTES) -> str | None:
        """The file's text; None if there is no such file, or if it is refused, with a warning."""
        try:
            if not path.is_file():
                return None
            if not path.resolve().is_relative_to(self._root):
                self.warn(path, None, "leads out of the project, so it is not read")
                return None
            with path.open("rb") as file:
                content = file.read(limit + 1)
        except (OSError, ValueError) as reason:
            self.warn(path, None, f"cannot be read: {reason}")
            return None
        if len(content) > limit:
            self.warn(path, None, f"larger than {limit:,} bytes, so it is not read")
            return None
        return self._decoded(path, content)

    def _decoded(self, path: Path, content: bytes) -> str | None:
        try:
            text = content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as reason:
            self.warn(path, content.count(b"\n", 0, reason.start) + 1, "is not UTF-8 text")
            return None
        if conflict := _CONFLICT.search(text):
            self.warn(path, text.count("\n", 0, conflict.start()) + 1, "holds a merge conflict, so it is not used")
            return None
        self.read.append(self.shown(path))
        return text

    def toml(self, path: Path) -> Table | None:
        text = self.text(path)
        if text is None:
            return None
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as reason:
            place = _TOML_PLACE.search(str(reason))
            line = int(place[1]) if place else text.count("\n") + 1
            self.warn(path, line, f"is not TOML: {reason}")
        except RecursionError:
            self.warn(path, None, "is nested too deeply")
        return None

    def json(self, path: Path, limit: int = MAX_MANIFEST_BYTES) -> Table | None:
        text = self.text(path, limit)
        if text is None:
            return None
        try:
            found: object = json.loads(text)
        except json.JSONDecodeError as reason:
            self.warn(path, reason.lineno, f"is not JSON: {reason.msg}")
            return None
        except RecursionError:
            self.warn(path, None, "is nested too deeply")
            return None
        if not isinstance(found, dict):
            self.warn(path, 1, "is not a JSON object")
            return None
        return cast("Table", found)


def table_in(table: Table, *names: str) -> Table:
    """The table at a path of names; empty where there is none."""
    for name in names:
        found = table.get(name)
        if not isinstance(found, dict):
            return {}
        table = cast("Table", found)
    return table


def texts_in(value: object) -> Iterator[str]:
    """The strings of a list, whatever else stands in it."""
    if isinstance(value, list):
        for item in cast("list[object]", value):
            if isinstance(item, str):
                yield item


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None
