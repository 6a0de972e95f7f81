"""The API of a Python package from its text: an outline of what users import, and each object's page.

Nothing is imported. Modules are read one by one as names lead to them; an outline stops at its bounds and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.documents import Document
from sightline.library_docs.installed.api_markdown import Entry, entry_of, is_shown_member, render_object
from sightline.library_docs.installed.api_names import ApiNames, Found, Missing, base_paths
from sightline.library_docs.installed.contained_files import FileRefused, read_bytes_inside
from sightline.library_docs.installed.dead_branches import Running
from sightline.library_docs.installed.loaded_modules import LoadedModules
from sightline.library_docs.installed.module_files import ModuleFiles, ModulePlace
from sightline.library_docs.installed.package_addresses import api_address
from sightline.library_docs.installed.packages import InstalledPackage, PartNotFound

_MOST_ENTRIES = 1_500
_MOST_MODULES = 60
_MOST_FILES = 3_000
_MOST_SCANNED = 40_000_000
_MOST_LOOKED_INTO = 8
_OUTLINE_S = 4.0


@dataclass(frozen=True, slots=True)
class Outline:
    """Public names in the order in which a user meets them; `warnings` say what was not looked into."""

    entries: tuple[Entry, ...]
    modules: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class PythonApi:
    """The API of the packages of one search path."""

    def __init__(self, search_path: Sequence[Path], clock: Callable[[], float], running: Running | None = None) -> None:
        self._clock = clock
        self.files = ModuleFiles(search_path)
        self._modules = LoadedModules(self.files, running)
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
        reasons: dict[str, Missing] = {}
        for path in self._guesses(package, dotted):
            try:
                return self._names.resolve(path)
            except Missing as missing:
                reasons[path] = missing
        message = f"`{dotted}` was not found in `{package.library}` {package.version}: {_joined(reasons.values())}"
        meant = [reasons[dotted]] if dotted in reasons else list(reasons.values())
        raise PartNotFound(message, unseen=self._why_unseen(package, dotted, meant))

    def _why_unseen(self, package: InstalledPackage, dotted: str, reasons: list[Missing]) -> str | None:
        """Why the name may be there although it was not found; None if nothing speaks for it."""
        for each in reasons:
            if each.is_unseen and (each.word is None or self._module_with(package, each.word)):
                return str(each)
        if "." in dotted or not dotted.isidentifier():
            return None
        if module := self._module_with(package, dotted):
            return f"`{module}` has the word, but not as the name of something that can be looked up"
        dark = next((name for top in top_modules(package) for name in self._compiled(top)), None)
        return f"`{dark}` is compiled, and its names are not in a text" if dark else None

    def _module_with(self, package: InstalledPackage, word: str) -> str | None:
        """A module whose text has a word, be it a part of a longer one."""
        wanted = word.encode()
        return next((module for module, content in self.sources(package) if wanted in content), None)

    def _compiled(self, top: str) -> Iterator[str]:
        """Public modules whose names cannot be read."""
        for name, place in self.files.modules(top, most=_MOST_FILES):
            if not place.is_readable and "._" not in name:
                yield name

    def definitions(self, package: InstalledPackage, name: str) -> list[str]:
        """Dotted names of what is defined under that bare name: in a module, else in a class; public modules first."""
        word = re.escape(name.encode())
        outer = re.compile(rb"(?m)^(?:(?:async +def|def|class) +" + word + rb"\b|" + word + rb" *(?::[^=\n]+)?=(?!=))")
        inner = re.compile(rb"(?m)^[ \t]+(?:(async +def|def|class) +" + word + rb"\b|" + word + rb" *[:=](?!=))")
        at_top: list[str] = []
        in_class: list[tuple[bool, tuple[bool, int, str]]] = []
        for module, content in self.sources(package):
            if outer.search(content):
                at_top.append(f"{module}.{name}")
            elif matched := inner.search(content):
                in_class.append((matched[1] is None, _publicity(module)))
        in_class.sort()
        found = (path for _, (*_, module) in in_class[:_MOST_LOOKED_INTO] for path in self._in_classes(module, name))
        return [*sorted(at_top, key=_publicity), *sorted(found, key=_publicity)]

    def _in_classes(self, module: str, name: str) -> list[str]:
        """Where a module has a name below its top: under a condition, or in its classes."""
        loaded = self._modules.load(module)
        if loaded is None or loaded.tree is None:
            return []
        members = loaded.tree.members
        at_top = [f"{module}.{name}"] if name in members else []
        classes = [(key, each) for key, each in members.items() if not each.is_alias and each.is_class]
        return [*at_top, *(f"{module}.{key}.{name}" for key, each in classes if name in each.members)]

    def sources(self, package: InstalledPackage) -> Iterator[tuple[str, bytes]]:
        """The text of every module of a package, up to bounds."""
        left = _MOST_SCANNED
        for top in top_modules(package):
            for module, place in self.files.modules(top, most=_MOST_FILES):
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
                    parent = self._names.base(cls, base)
                except (Missing, RecursionError):
                    continue
                if parent.canonical not in seen and parent.item is not None and parent.item.is_class:
                    seen.add(parent.canonical)
                    waiting.append((parent, depth + 1))


def top_modules(package: InstalledPackage) -> tuple[str, ...]:
    """The modules that users import, the one named like the package first, private ones only if there are no others."""
    names = [name for name in package.api_roots or package.import_names if not name.endswith("-stubs")]
    names = names or [name.removesuffix("-stubs") for name in package.api_roots or package.import_names]
    public = [name for name in names if not _is_private(name) and name not in ("tests", "test", "docs", "examples")]
    wanted = package.library.name.replace("-", "_")
    return tuple(sorted(public or names, key=lambda name: (name.lower() != wanted, name)))


def _is_private(name: str) -> bool:
    return name.startswith("_") or "._" in name


def _content_of(place: ModulePlace) -> bytes:
    file = place.source or place.stub
    if file is None:
        return b""
    try:
        return read_bytes_inside(file.root, file.relative, limit=6_000_000)[0]
    except FileRefused:
        return b""


def _publicity(path: str) -> tuple[bool, int, str]:
    return "._" in path, path.count("."), path


def _joined(reasons: Iterable[Missing]) -> str:
    return "; ".join(dict.fromkeys(map(str, list(reasons)[:3]))) or "it is not a name"
