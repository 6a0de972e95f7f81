"""The API of a Python package from its text: an outline of what users import, and each object's page.

Nothing is imported. Modules are read one by one as names lead to them; an outline stops at its bounds and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.documents import Document
from sightline.library_docs.installed.api_markdown import Entry, entry_of, is_shown_member, render_object
from sightline.library_docs.installed.api_names import ApiNames, Found, Missing, base_paths
from sightline.library_docs.installed.contained_files import FileRefused, read_bytes_inside
from sightline.library_docs.installed.loaded_modules import LoadedModules
from sightline.library_docs.installed.module_files import ModuleFiles, ModulePlace
from sightline.library_docs.installed.package_addresses import api_address
from sightline.library_docs.installed.packages import InstalledPackage, PartNotFound

_MOST_ENTRIES = 1_500
_MOST_MODULES = 60
_MOST_FILES = 3_000
_MOST_SCANNED = 40_000_000
_OUTLINE_S = 4.0


@dataclass(frozen=True, slots=True)
class Outline:
    """Public names in the order in which a user meets them; `warnings` say what was not looked into."""

    entries: tuple[Entry, ...]
    modules: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class PythonApi:
    """The API of the packages of one search path."""

    def __init__(self, search_path: Sequence[Path], clock: Callable[[], float]) -> None:
        self._clock = clock
        self.files = ModuleFiles(search_path)
        self._modules = LoadedModules(self.files)
        self._names = ApiNames(self._modules)

    def begin_question(self) -> None:
        """To be called before each question: what was read for the last one may have changed on disk."""
        self._modules.begin_question()

    def outline(self, package: InstalledPackage) -> Outline:
        """What a package offers, its top modules first and then the public modules in them."""
        until = self._clock() + _OUTLINE_S
        entries: dict[str, Entry] = {}
        warnings: list[str] = []
        seen: set[str] = set()
        waiting = list(top_modules(package))
        looked = 0
        while waiting:
            if looked >= _MOST_MODULES or len(entries) >= _MOST_ENTRIES or self._clock() > until:
                warnings.append(f"{len(waiting)} modules and what is in them were not looked into")
                break
            module = waiting.pop(0)
            looked += 1
            warnings.extend(self._add_module(module, entries, seen, until))
            waiting.extend(f"{module}.{name}" for name in self.files.submodules(module) if not name.startswith("_"))
        return Outline(tuple(entries.values()), tuple(waiting), tuple(dict.fromkeys(warnings)))

    def document(self, package: InstalledPackage, dotted: str) -> Document:
        """The page of an object or module; raises `PartNotFound`."""
        return self._document(package, self.find(package, dotted))

    def document_at_top(self, package: InstalledPackage, name: str) -> Document:
        """The page of a name that a top module offers; raises `PartNotFound`."""
        for top in top_modules(package):
            try:
                found = self._names.resolve(f"{top}.{name}")
            except Missing:
                continue
            if found.item is not None:
                return self._document(package, found)
        raise PartNotFound(f"no top module of `{package.library}` has `{name}`")

    def _document(self, package: InstalledPackage, found: Found) -> Document:
        notes = [note for note in (found.module.note, found.module.problem) if note]
        return Document(
            address=api_address(package.library, package.version, found.path),
            title=found.path,
            text=render_object(found, found.path, self._members(found), notes),
            kind="api",
            trust="installed",
            library=package.library,
            version=package.version,
        )

    def find(self, package: InstalledPackage, dotted: str) -> Found:
        """An object by its full name, or by its name in one of the package's top modules, or by its bare name."""
        reasons: list[str] = []
        for path in self._guesses(package, dotted):
            try:
                return self._names.resolve(path)
            except Missing as missing:
                reasons.append(str(missing))
        raise PartNotFound(f"`{dotted}` was not found in `{package.library}` {package.version}: {_joined(reasons)}")

    def definitions(self, package: InstalledPackage, name: str) -> list[str]:
        """Dotted names of classes and functions of that bare name, public modules first."""
        pattern = re.compile(rb"(?m)^(?:async +def|def|class) +" + re.escape(name.encode()) + rb"\b")
        found = [module for module, content in self.sources(package) if pattern.search(content)]
        return [f"{module}.{name}" for module in sorted(found, key=lambda path: ("._" in path, path.count("."), path))]

    def sources(self, package: InstalledPackage) -> Iterator[tuple[str, bytes]]:
        """The text of every module of a package, up to bounds."""
        left = _MOST_SCANNED
        for top in top_modules(package):
            for module, place in self.files.source_files(top, most=_MOST_FILES):
                content = _content_of(place)
                left -= len(content)
                if left < 0:
                    return
                yield module, content

    def public_objects(self, module: str) -> Iterator[tuple[str, Found]]:
        """Public names of one module with their objects; what cannot be followed is passed over."""
        loaded = self._modules.load(module)
        for name in self._names.public_names(loaded) if loaded else ():
            try:
                yield f"{module}.{name}", self._names.resolve(f"{module}.{name}")
            except Missing:
                continue

    def public_path(self, path: str, canonical: str) -> str:
        """The shortest name under which a package offers an object: `click.Command` for `click.core.Command`."""
        *modules, name = path.split(".")
        for size in range(1, len(modules)):
            shorter = ".".join([*modules[:size], name])
            try:
                if self._names.resolve(shorter).canonical == canonical:
                    return shorter
            except Missing:
                continue
        return path

    def _guesses(self, package: InstalledPackage, dotted: str) -> Iterator[str]:
        tops = top_modules(package)
        first, _, rest = dotted.partition(".")
        if not all(part.isidentifier() for part in dotted.split(".")):
            return
        if first in tops or any(dotted == top or dotted.startswith(top + ".") for top in tops):
            yield dotted
        if first not in tops or len(tops) > 1:
            yield from (f"{top}.{dotted}" for top in tops)
        if first not in tops:
            yield from (f"{path}.{rest}" if rest else path for path in self.definitions(package, first))

    def _add_module(self, module: str, entries: dict[str, Entry], seen: set[str], until: float) -> Iterator[str]:
        loaded = self._modules.load(module)
        if loaded is None:
            yield f"`{module}` is not on disk as source; it may be built into the interpreter"
            return
        if loaded.problem:
            yield loaded.problem
            return
        entries[module] = entry_of(Found(module, module, loaded, loaded.tree), module)
        for name in self._names.public_names(loaded):
            path = f"{module}.{name}"
            if self._clock() > until:
                yield f"time ran out: not all names of `{module}` were looked into"
                return
            try:
                found = self._names.resolve(path)
            except Missing as missing:
                entries[path] = Entry(path, "unresolved", summary=str(missing))
                continue
            if found.canonical not in seen and not (found.item is None or found.item.is_module):
                seen.add(found.canonical)
                shown = self.public_path(path, found.canonical)
                entries[shown] = entry_of(found, shown)

    def _members(self, found: Found) -> list[Entry]:
        item = found.item
        if item is not None and item.is_class:
            return list(self._class_members(found))
        if item is not None and not item.is_module:
            return []
        named = [entry_of(each, path) for path, each in self.public_objects(found.canonical)]
        inner = [Entry(f"{found.canonical}.{name}", "module") for name in self.files.submodules(found.canonical)]
        known = {entry.path for entry in named}
        return [*named, *(each for each in inner if "._" not in each.path and each.path not in known)]

    def _class_members(self, found: Found) -> Iterator[Entry]:
        shown: set[str] = set()
        for cls, depth in self._lineage(found):
            for name in cls.item.members if cls.item is not None else ():
                if name in shown or not is_shown_member(name) or (depth and name.startswith("_")):
                    continue
                shown.add(name)
                try:
                    member = self._names.resolve(f"{cls.canonical}.{name}")
                except Missing:
                    continue
                yield entry_of(member, f"{found.path}.{name}")

    def _lineage(self, found: Found) -> Iterator[tuple[Found, int]]:
        """A class and its bases, the nearest first, as far as they are on disk."""
        waiting, seen = [(found, 0)], {found.canonical}
        while waiting and len(seen) < 30:
            cls, depth = waiting.pop(0)
            yield cls, depth
            for base in base_paths(cls.item) if cls.item is not None else ():
                try:
                    parent = self._names.resolve(base)
                except Missing:
                    continue
                if parent.canonical not in seen and parent.item is not None and parent.item.is_class:
                    seen.add(parent.canonical)
                    waiting.append((parent, depth + 1))


def top_modules(package: InstalledPackage) -> tuple[str, ...]:
    """The modules that users import, the one named like the package first, private ones only if there are no others."""
    names = [name for name in package.api_roots or package.import_names if not name.endswith("-stubs")]
    names = names or [name.removesuffix("-stubs") for name in package.api_roots or package.import_names]
    public = [name for name in names if not name.startswith("_") and name not in ("tests", "test", "docs", "examples")]
    wanted = package.library.name.replace("-", "_")
    return tuple(sorted(public or names, key=lambda name: (name.lower() != wanted, name)))


def _content_of(place: ModulePlace) -> bytes:
    file = place.source or place.stub
    if file is None:
        return b""
    try:
        return read_bytes_inside(file.root, file.relative, limit=6_000_000)[0]
    except FileRefused:
        return b""


def _joined(reasons: list[str]) -> str:
    return "; ".join(dict.fromkeys(reasons[:3])) or "it is not a name"
