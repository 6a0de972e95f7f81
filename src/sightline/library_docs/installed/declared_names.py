"""Finding exported names in declaration files, through re-exports from file to file and package to package."""

from __future__ import annotations

import posixpath
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.installed.contained_files import FileRefused, read_inside, stamp_of
from sightline.library_docs.installed.declaration_files import declaration_file, entry_points, inner_file, subpath_file
from sightline.library_docs.installed.declaration_scanner import Declaration, Scope, scan
from sightline.library_docs.installed.node_packages import NodePackages

_LARGEST_FILE = 4_000_000
_MOST_FILES = 600
_MOST_KEPT = 600
_REFERENCE = re.compile(r"""(?m)^///\s*<reference\s+path=["']([^"'\n]{1,300})["']""")


@dataclass(frozen=True, slots=True)
class DeclarationFile:
    """A file of a package, or with `body` the inside of a namespace or `declare module` in it."""

    folder: Path
    relative: str
    body: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """What a name stands for: its declarations (several if they are overloads or merged), or a whole module."""

    name: str
    file: DeclarationFile
    declarations: tuple[Declaration, ...] = ()
    is_module: bool = False


@dataclass(slots=True)
class _Read:
    stamp: str
    text: str
    scopes: dict[tuple[int, int] | None, Scope]


class DeclaredNames:
    """Names of the packages of one root; each file is scanned when a name leads to it, and again when it changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._kept: OrderedDict[tuple[Path, str], _Read] = OrderedDict()
        self._found: dict[tuple[Path, str, str], DeclarationFile | None] = {}
        self._ambient: dict[str, DeclarationFile] = {}

    def begin_question(self) -> None:
        """What files lead to is remembered within one question only: the next one looks at the disk again."""
        self._found.clear()
        self._ambient.clear()

    def text(self, file: DeclarationFile) -> str:
        return self._read(file).text

    def scope(self, file: DeclarationFile) -> Scope:
        """What the file holds; empty if it cannot be read."""
        read = self._read(file)
        if file.body not in read.scopes:
            start, end = file.body or (0, len(read.text))
            read.scopes[file.body] = scan(read.text, start, end, is_ambient=file.body is not None)
        return read.scopes[file.body]

    def names(self, file: DeclarationFile) -> list[str]:
        """Exported names in order, those of star exports last."""
        found: dict[str, None] = {}
        for each in self._starred(file):
            scope = self.scope(each)
            found.update(dict.fromkeys(name for name in scope.exports if name != "default" or each == file))
            found.update(dict.fromkeys(self._assigned_names(each, scope)))
        return list(found)

    def find(self, file: DeclarationFile, name: str) -> Declared | None:
        """What a file exports under a name."""
        return self._find(file, name, set())

    def member(self, holder: Declared, name: str) -> Declared | None:
        """What a namespace or module has under a name."""
        if holder.is_module:
            return self.find(holder.file, name)
        for declaration in holder.declarations:
            if declaration.kind == "namespace" and declaration.body:
                inner = DeclarationFile(holder.file.folder, holder.file.relative, declaration.body)
                if found := self.find(inner, name):
                    return found
        return None

    def local(self, file: DeclarationFile, dotted: str) -> Declared | None:
        """What a name means inside of a file, exported or not: declared there, or imported."""
        first, *rest = dotted.split(".")
        found = self._from(file, self.scope(file), None, first, {(file, first)})
        for name in rest:
            found = self.member(found, name) if found else None
        return found

    def unreadable_stars(self, file: DeclarationFile) -> list[str]:
        """Modules that all names are taken from and that are not there, or have no types."""
        return [
            source
            for each in self._starred(file)
            for source in self.scope(each).stars
            if not self._module(each, source)
        ]

    def ambient_modules(self, file: DeclarationFile) -> dict[str, DeclarationFile]:
        """Modules that a file and those it refers to declare by name, as `@types/node` does."""
        found = self._modules_of(file)
        self._ambient.update(found)
        return found

    def additions(self, file: DeclarationFile, name: str) -> list[Declared]:
        """What files that this one refers to add to one of its interfaces, as `declare module` does."""
        found: list[Declared] = []
        whole = DeclarationFile(file.folder, file.relative)
        for body in (each for each in self._bodies_of(whole) if each != file):
            scope = self.scope(body)
            if declarations := scope.declarations.get(name):
                found.append(Declared(name, body, tuple(declarations)))
        return found

    def _modules_of(self, file: DeclarationFile) -> dict[str, DeclarationFile]:
        found: dict[str, DeclarationFile] = {}
        for each in self._referred(file):
            for name, body in self.scope(each).modules.items():
                found.setdefault(name, DeclarationFile(file.folder, each.relative, body))
        return found

    def _bodies_of(self, file: DeclarationFile) -> Iterator[DeclarationFile]:
        for each in self._referred(file):
            yield from (DeclarationFile(each.folder, each.relative, body) for body in self.scope(each).modules.values())

    def _referred(self, file: DeclarationFile) -> Iterator[DeclarationFile]:
        """A file and those that it refers to by path."""
        folder = posixpath.dirname(file.relative)
        others = [posixpath.normpath(posixpath.join(folder, path)) for path in _REFERENCE.findall(self.text(file))]
        yield from (DeclarationFile(file.folder, relative) for relative in [file.relative, *others[:_MOST_FILES]])

    def _find(self, file: DeclarationFile, name: str, seen: set[tuple[DeclarationFile, str]]) -> Declared | None:
        if (file, name) in seen or len(seen) > _MOST_FILES:
            return None
        seen.add((file, name))
        scope = self.scope(file)
        if origin := scope.exports.get(name):
            return self._from(file, scope, *origin, seen)
        if scope.assigned and (found := self._of_assigned(file, scope, name)):
            return found
        for source in scope.stars:
            target = self._module(file, source)
            if target and (found := self._find(target, name, seen)):
                return found
        if len(seen) > 1 and name in scope.declarations:  # a declaration file gives what it declares to an importer
            return Declared(name, file, tuple(scope.declarations[name]))
        return None

    def _from(
        self, file: DeclarationFile, scope: Scope, source: str | None, name: str, seen: set[tuple[DeclarationFile, str]]
    ) -> Declared | None:
        if source is None and name in scope.declarations:
            return Declared(name, file, tuple(scope.declarations[name]))
        if source is None:
            if name not in scope.imports:
                outer = DeclarationFile(file.folder, file.relative)
                return self._from(outer, self.scope(outer), None, name, seen) if file.body else None
            source, name = scope.imports[name]
        target = self._module(file, source)
        if target is None:
            return None
        return Declared(name, target, is_module=True) if name == "*" else self._find(target, name, seen)

    def _of_assigned(self, file: DeclarationFile, scope: Scope, name: str) -> Declared | None:
        """`export = X`: the namespace X gives the names, and X itself is the default."""
        assigned = Declared(scope.assigned or "", file, tuple(scope.declarations.get(scope.assigned or "", ())))
        if name in ("default", scope.assigned):
            return assigned if assigned.declarations else None
        return self.member(assigned, name)

    def _assigned_names(self, file: DeclarationFile, scope: Scope) -> Iterator[str]:
        if not scope.assigned:
            return
        yield scope.assigned
        for declaration in scope.declarations.get(scope.assigned, ()):
            if declaration.kind == "namespace" and declaration.body:
                yield from self.scope(DeclarationFile(file.folder, file.relative, declaration.body)).exports

    def _starred(self, file: DeclarationFile) -> Iterator[DeclarationFile]:
        """The file and all that it takes every name from."""
        waiting, seen = [file], {file}
        while waiting and len(seen) <= _MOST_FILES:
            each = waiting.pop(0)
            yield each
            for source in self.scope(each).stars:
                target = self._module(each, source)
                if target and target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def _module(self, file: DeclarationFile, source: str) -> DeclarationFile | None:
        if source in self._ambient:
            return self._ambient[source]
        key = (file.folder, posixpath.dirname(file.relative), source)
        if key not in self._found:
            self._found[key] = self._located(file, source)
        return self._found[key]

    def _located(self, file: DeclarationFile, source: str) -> DeclarationFile | None:
        if source.startswith("."):
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(file.relative), source))
            found = declaration_file(file.folder, joined)
            return DeclarationFile(file.folder, found) if found else None
        if source.startswith("#"):
            inner = inner_file(file.folder, source)
            return DeclarationFile(file.folder, inner) if inner else None
        parts = source.split("/")
        size = 2 if source.startswith("@") else 1
        name, subpath = "/".join(parts[:size]), "/".join(parts[size:])
        packages = NodePackages(file.folder, root=self._root)
        for provider in packages.providers_of(name):
            package = packages.find(provider)
            entry = subpath_file(package.folder, subpath) if package else None
            if package and entry:
                return DeclarationFile(package.folder, entry)
        return self._of_node(packages, source)

    def _of_node(self, packages: NodePackages, source: str) -> DeclarationFile | None:
        """A module of Node itself, as `@types/node` declares it."""
        types = packages.find("@types/node")
        main = entry_points(types.folder).get("") if types else None
        if types is None or main is None:
            return None
        declared = self._modules_of(DeclarationFile(types.folder, main))
        return declared.get(source) or declared.get(f"node:{source}")

    def _read(self, file: DeclarationFile) -> _Read:
        key = (file.folder, file.relative)
        stamp = stamp_of(file.folder / file.relative)
        kept = self._kept.get(key)
        if kept is None or kept.stamp != stamp:
            try:
                text = read_inside(file.folder, file.relative, limit=_LARGEST_FILE).text
            except FileRefused:
                text = ""
            kept = _Read(stamp, text, {})
            self._kept[key] = kept
        self._kept.move_to_end(key)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return kept
