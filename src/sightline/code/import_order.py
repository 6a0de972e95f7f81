"""Which files import which, read from their text: the nearest dependents are checked first.

Imports are not resolved as Python would: a name counts for every file that could be meant by it. So there may be
too many dependents, never too few.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

# Anywhere in a line: after `;`, after `try:`, behind a form feed or a byte order mark. Words in strings are too many.
_IMPORT = re.compile(
    r"\bfrom\b[ \t\f]*(?P<where>[.\w][.\w \t\f]*?)[ \t\f]*\bimport\b"
    r"[ \t\f]*(?P<names>\((?:[^()#]|#[^\n]*)*\)|[^\n#;]*)"
    r"|\bimport[ \t\f]+(?P<modules>[^\n#;]+)"
)
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"(?P<name>\w[\w.]*|\*)(?:\s+as\s+\w+)?")
_SPACE = re.compile(r"[ \t\f]+")
_SOURCES = (".py", ".pyi", ".pyw")
_BUILTINS = "__builtins__.pyi"


@dataclass(frozen=True, slots=True)
class _Module:
    """The names that a file may be imported by, and the names that it imports."""

    names: tuple[str, ...]
    imports: frozenset[str]


@dataclass(slots=True)
class ImportIndex:
    """The imports of a project's files; only files that changed are read again."""

    _modules: dict[str, _Module] = field(default_factory=dict[str, "_Module"])

    def learn(self, files: Iterable[str], changed: Collection[str], root: Path) -> None:
        """Read what changed and what is not known yet; a file that is gone keeps its names, for its importers."""
        for path in (*changed, *(frozenset(files) - self._modules.keys())):
            parts = PurePath(path).with_suffix("").relative_to(root).parts
            self._modules[path] = _Module(tuple(_names_of(parts)), frozenset(_imported(_text(path), parts)))

    def nearest_first(self, files: Collection[str], changed: Collection[str]) -> list[str]:
        """The files by their distance from those that changed, as far as the text tells; otherwise by path."""
        distances = self._distances(changed)
        return sorted(files, key=lambda path: (distances.get(path, len(distances)), path))

    def dependents(self, changed: Collection[str]) -> list[str]:
        """Every file that imports one of these, directly or through others, the nearest first."""
        if any(PurePath(path).name == _BUILTINS for path in changed):  # Pyright: known everywhere, imported nowhere
            return sorted(self._modules.keys() - frozenset(changed))
        distances = self._distances(changed)
        return sorted(distances.keys() - frozenset(changed), key=lambda path: (distances[path], path))

    def _distances(self, changed: Collection[str]) -> Mapping[str, int]:
        importers: defaultdict[str, set[str]] = defaultdict(set)
        for path, module in self._modules.items():
            for name in module.imports:
                importers[name].add(path)
        distances = dict.fromkeys(changed, 0)
        ring, distance = list(changed), 0
        while ring:
            distance += 1
            reached = {each for path in ring for name in self._modules[path].names for each in importers[name]}
            ring = sorted(reached - distances.keys())
            distances.update(dict.fromkeys(ring, distance))
        return distances


def _text(path: str) -> str:
    if not path.endswith(_SOURCES):
        return ""
    try:
        return Path(path).read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""


def _names_of(parts: tuple[str, ...]) -> Iterator[str]:
    """Every name under which a module may be imported: from the root, from `src`, from any folder, by a star."""
    parts = tuple(part.removesuffix("-stubs") for part in (parts[:-1] if parts[-1] == "__init__" else parts))
    for start in range(len(parts)):
        yield ".".join(parts[start:])
        if start < len(parts) - 1:
            yield ".".join([*parts[start:-1], "*"])


def _imported(text: str, module: tuple[str, ...]) -> Iterator[str]:
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\\\n", " ")
    for found in _IMPORT.finditer(plain):
        if found["modules"]:
            for each in _NAME.finditer(_dotted(found["modules"])):
                yield from _with_parents(each["name"])
            continue
        where = _absolute(_SPACE.sub("", found["where"]), module)
        yield from _with_parents(where)
        names = _COMMENT.sub("", found["names"])
        yield from (f"{where}.{each['name']}".lstrip(".") for each in _NAME.finditer(names))


def _dotted(text: str) -> str:
    """`a . b` is `a.b`."""
    return re.sub(r"[ \t\f]*\.[ \t\f]*", ".", text)


def _with_parents(name: str) -> Iterator[str]:
    """Importing a module imports the packages that it lies in."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        yield ".".join(parts[:end])


def _absolute(where: str, module: tuple[str, ...]) -> str:
    name = where.lstrip(".")
    if not (dots := len(where) - len(name)):
        return name
    return ".".join([*module[: max(0, len(module) - dots)], *([name] if name else [])])
