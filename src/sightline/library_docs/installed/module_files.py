"""Where the modules of a search path are: source, stub, compiled, or a bare folder. Reads names, not content."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.installed.contained_files import FileRefused, real_path_inside

_COMPILED = (".so", ".pyd")
_FOR_TESTS = frozenset({"test", "tests", "_tests", "conftest", "idle_test"})
_MOST_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file under the folder of a search path that it was found in."""

    root: Path
    relative: str


@dataclass(frozen=True, slots=True)
class ModulePlace:
    """A module by its dotted name; with neither source nor stub it is compiled, or a namespace."""

    name: str
    source: CodeFile | None
    stub: CodeFile | None
    is_package: bool
    is_compiled: bool = False

    @property
    def is_readable(self) -> bool:
        return self.source is not None or self.stub is not None


class ModuleFiles:
    """Modules by dotted name in the folders of a search path; links out of a folder are passed over."""

    def __init__(self, search_path: Sequence[Path]) -> None:
        self.search_path = tuple(search_path)

    def find(self, dotted: str) -> ModulePlace | None:
        """The module of that name; None if no folder has it."""
        parts = dotted.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        stub = self._stub_package(parts)
        namespace: ModulePlace | None = None
        for root in self.search_path:
            place = _place_in(root, "/".join(parts), dotted)
            if place and (place.is_readable or place.is_compiled):
                return ModulePlace(dotted, place.source, stub or place.stub, place.is_package, place.is_compiled)
            namespace = namespace or place
        if stub:
            is_package = stub.relative.endswith("__init__.pyi")
            return ModulePlace(dotted, None, stub, is_package, is_compiled=namespace is None)
        return namespace

    def submodules(self, dotted: str) -> list[str]:
        """Names of the modules directly in a package, tests and dunder modules left out."""
        relative = dotted.replace(".", "/")
        found = {name for root in self.search_path for name in _modules_in(root, relative)}
        return sorted(name for name in found if name not in _FOR_TESTS and not name.startswith("__"))

    def modules(self, dotted: str, *, most: int) -> list[tuple[str, ModulePlace]]:
        """All modules of a package, breadth first, tests left out."""
        found: list[tuple[str, ModulePlace]] = []
        waiting = [dotted]
        while waiting and len(found) < most:
            name = waiting.pop(0)
            place = self.find(name)
            if place is None:
                continue
            if place.is_readable or place.is_compiled:
                found.append((name, place))
            if place.is_package and name.count(".") < 10:
                waiting.extend(f"{name}.{inner}" for inner in self.submodules(name))
        return found

    def _stub_package(self, parts: list[str]) -> CodeFile | None:
        relative = "/".join([parts[0] + "-stubs", *parts[1:]])
        for root in self.search_path:
            for name in (f"{relative}/__init__.pyi", f"{relative}.pyi"):
                if _is_file_inside(root, name):
                    return CodeFile(root, name)
        return None


def _place_in(root: Path, relative: str, dotted: str) -> ModulePlace | None:
    folder = os.path.join(root, relative)  # noqa: PTH118 - many looks per question
    is_folder = os.path.isdir(folder)  # noqa: PTH112 - never raises
    base = f"{relative}/__init__" if is_folder and _has_init(root, relative) else relative
    source = CodeFile(root, base + ".py") if _is_file_inside(root, base + ".py") else None
    stub = CodeFile(root, base + ".pyi") if _is_file_inside(root, base + ".pyi") else None
    compiled = source is None and _is_compiled(root, base)
    if source or stub or compiled:
        return ModulePlace(dotted, source, stub, base != relative, compiled)
    return ModulePlace(dotted, None, None, is_package=True) if is_folder else None


def _has_init(root: Path, relative: str) -> bool:
    base = f"{relative}/__init__"
    return any(_is_file_inside(root, base + ending) for ending in (".py", ".pyi")) or _is_compiled(root, base)


def _is_file_inside(root: Path, relative: str) -> bool:
    if not os.path.isfile(os.path.join(root, relative)):  # noqa: PTH113, PTH118 - many looks per question
        return False
    try:
        real_path_inside(root, relative)
    except FileRefused:
        return False
    return True


def _is_compiled(root: Path, base: str) -> bool:
    folder, _, stem = base.rpartition("/")
    places = (folder, "lib-dynload") if not folder else (folder,)
    return any(
        name.partition(".")[0] == stem and name.endswith(_COMPILED)
        for place in places
        for name in _entries(root / place)
    )


def _modules_in(root: Path, relative: str) -> Iterator[str]:
    for name in _entries(root / relative):
        stem, dot, ending = name.partition(".")
        if not stem.isidentifier():
            continue
        is_module = ending in ("py", "pyi") or ending.endswith(("so", "pyd"))
        if (dot and is_module) or (not dot and _has_init(root, f"{relative}/{stem}")):
            yield stem


def _entries(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)[:_MOST_ENTRIES]  # noqa: PTH208 - names only
    except OSError:
        return []
