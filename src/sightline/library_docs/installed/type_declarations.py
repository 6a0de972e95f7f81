"""The API of an npm package from its type declarations: an outline of its exports, and each export's page.

No JavaScript runs. A name is `object` for the package itself and `subpath:object` for another entry point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import NextStep
from sightline.library_docs.documents import Document
from sightline.library_docs.installed.api_markdown import Entry
from sightline.library_docs.installed.declaration_files import entry_points, subpath_file
from sightline.library_docs.installed.declaration_scanner import Declaration, scan_members
from sightline.library_docs.installed.declared_names import DeclarationFile, Declared, DeclaredNames
from sightline.library_docs.installed.node_packages import NodePackages, types_package_of
from sightline.library_docs.installed.package_addresses import api_address, document_address
from sightline.library_docs.installed.packages import InstalledPackage, PartNotFound
from sightline.library_docs.installed.python_api import Outline

_MOST_ENTRIES = 1_500
_MOST_DECLARATIONS = 30
_LONGEST_DECLARATION = 4_000
_MOST_MEMBERS = 300
_LONGEST_LINE = 200
_WITH_MEMBERS = frozenset({"class", "interface", "enum", "namespace"})


@dataclass(frozen=True, slots=True)
class _Types:
    """The entry points that a package's types are read from, and what to say about them."""

    entries: dict[str, DeclarationFile]
    package: InstalledPackage
    note: str | None = None

    def address(self, file: DeclarationFile) -> str:
        return document_address(self.package.library, self.package.version, file.relative)


class TypeDeclarations:
    """The APIs of the npm packages of one root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names = DeclaredNames(root)

    def outline(self, package: InstalledPackage) -> Outline:
        """The exports of a package, its main entry point first."""
        self._names.begin_question()
        types = self._types(package)
        entries: list[Entry] = []
        unread: list[str] = []
        warnings = [types.note] if types.note else []
        for subpath, file in types.entries.items():
            if len(entries) >= _MOST_ENTRIES:
                unread.append(subpath)
                continue
            entries.extend(self._entries(file, subpath))
            if unreadable := self._names.scope(file).unreadable:
                warnings.append(f"{unreadable} statements were not understood; see `{types.address(file)}`")
        if unread:
            warnings.append(f"{len(unread)} more entry points were not looked into")
        return Outline(tuple(entries[:_MOST_ENTRIES]), tuple(unread), tuple(warnings))

    def document(self, package: InstalledPackage, name: str) -> Document:
        """The page of an export; raises `PartNotFound`."""
        self._names.begin_question()
        types = self._types(package)
        shown, declared, member = self._find(package, types, name)
        text = self._page(shown, declared, member, types.note)
        return Document(
            address=api_address(package.library, package.version, shown),
            title=shown,
            text=text,
            kind="api",
            trust="installed",
            library=package.library,
            version=package.version,
        )

    def has(self, package: InstalledPackage, name: str) -> bool:
        self._names.begin_question()
        try:
            self._find(package, self._types(package), name)
        except PartNotFound:
            return False
        return True

    def _types(self, package: InstalledPackage) -> _Types:
        own = entry_points(package.folder)
        typed, note = package, None
        if not own:
            found = NodePackages(package.folder, root=self._root).find(types_package_of(package.library.name))
            if found is None:
                return _Types({}, package, "the package has no type declarations, and none are installed for it")
            own, typed = entry_points(found.folder), found
            note = f"types from `{found.library.name}` {found.version}, which is another package with its own version"
        entries = {subpath: DeclarationFile(typed.folder, file) for subpath, file in own.items()}
        main = entries.get("")
        if main and not self._names.names(main):
            entries.update(self._names.ambient_modules(main))
        return _Types(entries, typed, note)

    def _entries(self, file: DeclarationFile, subpath: str) -> Iterator[Entry]:
        for name in self._names.names(file):
            shown = f"{subpath}:{name}" if subpath else name
            declared = self._names.find(file, name)
            if declared is None:
                yield Entry(shown, "unresolved", summary="comes from a module that is not installed or has no types")
            elif declared.is_module:
                yield Entry(shown, "namespace")
            else:
                first = declared.declarations[0]
                doc = next((each.doc for each in declared.declarations if each.doc), "")
                yield Entry(shown, first.kind, summary=first_line_of_comment(doc))

    def _find(self, package: InstalledPackage, types: _Types, name: str) -> tuple[str, Declared, list[Declaration]]:
        subpath, colon, rest = name.rpartition(":")
        places = [subpath] if colon else list(types.entries)
        first, *inner = rest.split(".")
        unseen: list[str] = []
        for place in places:
            file = types.entries.get(place) or self._unlisted(types, place)
            if file is None:
                continue
            shown = f"{place}:{rest}" if place else rest
            found = self._exported(file, package, first, inner)
            if isinstance(found, tuple):
                return shown, *found
            unseen += [found] if found else []
        message = f"`{name}` is not among the exported types of `{package.library}` {package.version}"
        main = next((file for file in types.entries.values() if not file.body), None)
        reading = {"url": types.address(main)} if main else {}
        raise PartNotFound(
            message,
            *([NextStep("tool", "look in the declarations themselves", "read_page", reading)] if main else []),
            unseen=unseen[0] if unseen else self._why_unseen(types),
        )

    def _exported(
        self, file: DeclarationFile, package: InstalledPackage, first: str, inner: list[str]
    ) -> tuple[Declared, list[Declaration]] | str | None:
        """What an entry point has under a name, which may begin with what importers usually call the package."""
        if declared := self._names.find(file, first):
            return self._inside(declared, inner)
        if first in self._names.names(file):
            return f"`{first}` is exported from a module that is not installed or has no types"
        default = self._names.find(file, "default")
        own = package.library.name.rpartition("/")[2]
        if inner and _letters(first) in (_letters(own), "default"):
            found = self._exported(file, package, inner[0], inner[1:])
            return found if found or default is None else self._inside(default, inner)
        if default and any(each.kind == "const" for each in default.declarations) and not inner:
            found = self._member_of(default, first, set())
            return found if isinstance(found, tuple) else None
        return None

    def _why_unseen(self, types: _Types) -> str | None:
        """Why a name may be exported although none of the entry points shows it."""
        for file in types.entries.values():
            if dark := self._names.unreadable_stars(file):
                return f"`{file.relative}` takes all names of `{dark[0]}`, which is not installed or has no types"
            if unreadable := self._names.scope(file).unreadable:
                return f"{unreadable} statements of `{file.relative}` were not understood"
        return None

    def _unlisted(self, types: _Types, subpath: str) -> DeclarationFile | None:
        found = subpath_file(types.package.folder, subpath)
        return DeclarationFile(types.package.folder, found) if found else None

    def _inside(self, declared: Declared, inner: list[str]) -> tuple[Declared, list[Declaration]] | str | None:
        """Steps into namespaces, and at last into a class or an interface; or why it cannot be told what is there."""
        for at, name in enumerate(inner):
            further = self._names.member(declared, name)
            if further is not None:
                declared = further
                continue
            if at < len(inner) - 1:
                return f"the members of `{declared.name}.{name}` are those of its type"
            return self._member_of(declared, name, set())
        return declared, []

    def _member_of(
        self, declared: Declared, name: str, seen: set[Declared]
    ) -> tuple[Declared, list[Declaration]] | str | None:
        """A member with what has it, through `extends`; or why it cannot be told whether there is one."""
        if members := [each for each in self._members(declared) if each.name == name]:
            return declared, members
        seen.add(declared)
        text = self._names.text(declared.file)
        bases = [each for one in declared.declarations for each in bases_of(text, one)]
        dark = self._why_more(declared, bases)
        if any(each.kind == "interface" for each in declared.declarations):
            for added in self._names.additions(declared.file, declared.name):
                if members := [each for each in self._members(added) if each.name == name]:
                    return added, members
        for base in bases:
            parent = self._names.local(declared.file, base)
            if parent is None:
                dark = dark or f"`{declared.name}` extends `{base}`, which was not found"
            elif parent not in seen:
                found = self._member_of(parent, name, seen)
                if isinstance(found, tuple):
                    return found
                dark = dark or found
        return dark

    def _why_more(self, declared: Declared, bases: list[str]) -> str | None:
        """Why something may have members that its own text does not list."""
        if declared.is_module:
            unreadable = self._names.unreadable_stars(declared.file)
            return (
                f"it takes all names of `{unreadable[0]}`, which is not there or has no types" if unreadable else None
            )
        if any(each.name == "[" for each in self._members(declared)):
            return f"`{declared.name}` takes members of any name"
        is_listed = any(each.kind in _WITH_MEMBERS for each in declared.declarations)
        return None if bases or is_listed else f"the members of `{declared.name}` are those of its type"

    def _members(self, declared: Declared) -> list[Declaration]:
        text = self._names.text(declared.file)
        bodies = [each.body for each in declared.declarations if each.body and each.kind != "namespace"]
        return [member for body in bodies for member in scan_members(text, body)]

    def _page(self, shown: str, declared: Declared, members: list[Declaration], note: str | None) -> str:
        text = self._names.text(declared.file)
        parts = [f"# `{shown}`"]
        declarations = members or list(declared.declarations)
        if declarations:
            parts.append(
                f"{declarations[0].kind.capitalize()}. Source: `{declared.file.relative}:{declarations[0].line}`."
            )
        parts.extend([f"Note: {note}"] if note else [])
        for declaration in declarations[:_MOST_DECLARATIONS]:
            parts.append(comment_to_markdown(declaration.doc))
            parts.append(_fenced(_shortened(text, declaration)))
        if len(declarations) > _MOST_DECLARATIONS:
            parts.append(f"({len(declarations) - _MOST_DECLARATIONS} more declarations of this name)")
        if not members:
            parts.append(self._inner(declared, text))
        return "\n\n".join(part for part in parts if part)

    def _inner(self, declared: Declared, text: str) -> str:
        if declared.is_module or any(each.kind == "namespace" for each in declared.declarations):
            names = self._inner_names(declared)
            listed = "\n".join(f"- `{name}`" for name in names[:_MOST_MEMBERS])
            return f"## Exports\n\n{listed}" if names else ""
        members = self._members(declared)
        lines = [_member_line(text, member) for member in members[:_MOST_MEMBERS]]
        more = [f"- … {len(members) - _MOST_MEMBERS} more"] if len(members) > _MOST_MEMBERS else []
        return "## Members\n\n" + "\n".join([*lines, *more]) if members else ""

    def _inner_names(self, declared: Declared) -> list[str]:
        if declared.is_module:
            return self._names.names(declared.file)
        bodies = [each.body for each in declared.declarations if each.kind == "namespace" and each.body]
        files = [DeclarationFile(declared.file.folder, declared.file.relative, body) for body in bodies]
        return [name for file in files for name in self._names.names(file)]


def bases_of(text: str, declaration: Declaration) -> list[str]:
    """What a class or an interface extends, or the plain name of the type that a constant has; no type arguments."""
    if declaration.kind == "const":
        typed = re.search(
            rf"\b{re.escape(declaration.name)}\s*:\s*([\w$.]+)\s*;?\s*$", text[declaration.start : declaration.end]
        )
        return [typed[1]] if typed else []
    if declaration.body is None or declaration.kind not in ("class", "interface"):
        return []
    head, count = _without_comments(text[declaration.start : declaration.body[0] - 1]), 1
    while count:
        head, count = re.subn(r"<[^<>]*>", " ", head.replace("=>", "  "))
    found = re.search(r"\bextends\b(.*?)(?:\bimplements\b|$)", head, re.DOTALL)
    names = [part.strip() for part in found[1].split(",")] if found else []
    return [name for name in names if name]


def _letters(name: str) -> str:
    """A name as it is compared with a package's: `socketIo` and `socket.io` are the same."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*[\s\S]*?\*/", " ", text)


def comment_to_markdown(comment: str) -> str:
    """The text of a `/** … */` comment, its tags as bold words."""
    inner = comment.removeprefix("/**").removesuffix("*/")
    lines = [re.sub(r"^[ \t]*\*(?!\*)[ \t]?", "", line) for line in inner.split("\n")]
    tagged = [re.sub(r"^\s*@(\w+)[ \t]*", r"**\1** ", line) for line in lines]
    return re.sub(
        r"\{@link(?:code|plain)?\s+([^}|\n]{1,200})(?:\|[^}\n]{0,200})?\}", r"`\1`", "\n".join(tagged)
    ).strip()


def first_line_of_comment(comment: str) -> str:
    """The first sentence of a comment, without its tags."""
    text = comment_to_markdown(comment[:4_000])
    head = " ".join(text.partition("\n\n")[0].split())
    if head.startswith("**"):
        return head[:_LONGEST_LINE] if head.startswith("**deprecated**") else ""
    end = re.search(r"[.!?](?= [A-Z`]|$)", head)
    return (head[: end.end()] if end else head)[:_LONGEST_LINE]


def _shortened(text: str, declaration: Declaration) -> str:
    """The declaration; of one with a long body only what stands before it."""
    whole = text[declaration.start : declaration.end]
    if declaration.body and len(whole) > 600:
        return text[declaration.start : declaration.body[0]].rstrip() + " … }"
    return whole if len(whole) <= _LONGEST_DECLARATION else whole[:_LONGEST_DECLARATION] + " …"


def _fenced(code: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}ts\n{code}\n{fence}"


def _member_line(text: str, member: Declaration) -> str:
    code = " ".join(text[member.start : member.end].split()).replace("`", "'")
    shown = code if len(code) <= _LONGEST_LINE else code[:_LONGEST_LINE] + "…"
    summary = first_line_of_comment(member.doc)
    return f"- `{shown}`" + (f": {summary}" if summary else "")
