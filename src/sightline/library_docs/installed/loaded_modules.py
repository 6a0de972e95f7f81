"""Modules as trees of objects, made by griffe from their text, one file at a time and never by importing them.

A tree is kept as long as its files have not changed. griffe's errors end here: a module that cannot be read has a
`problem` in place of a tree.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from sightline.library_docs.installed.contained_files import FileRefused, read_inside, stamp_of
from sightline.library_docs.installed.dead_branches import Running, without_dead_branches
from sightline.library_docs.installed.module_files import CodeFile, ModuleFiles, ModulePlace

if TYPE_CHECKING:
    import griffe

_MOST_KEPT = 200
_LARGEST_SOURCE = 6_000_000
_DEEPEST_CLASS = 6
_MAKES_NAMES = re.compile(
    r"sys\.modules\[__name__\](?:\.__class__)? *=|sys\.modules\[__name__\]\.__dict__\.update\("
    r"|\bglobals\(\)\[(?!\w+\])[^\]\n]+\] *=[^=]|\b(?:globals|vars)\(\)\.update\("
    r"|\bsetattr\( *(?:sys\.modules\[|modules?\b)|(?<![.\w])(?<!def )exec\("
)
_TAKES_NAMES = re.compile(r"\bglobals\(\)\[\w+\] *=[^=]")
_HOOK = re.compile(r"(?m)^def __getattr__\(.*\n(?:(?:[ \t].*)?\n)*")
_ACCELERATOR = re.compile(r"(?m)^([ \t]+)from (_[a-z]\w*) import [\w, \t]+(?:#.*)?$")


Making = Literal["any", "mentioned"]
"""Which names a module makes when it runs: any, or such as its package mentions somewhere."""


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """A module: where it is, and its tree, or the problem with it; `note` says what the tree was made from.

    `stubbed` holds what a stub declares under names that the source only imports. `text` is the source, or
    else the stub.
    """

    place: ModulePlace
    tree: griffe.Module | None
    problem: str | None = None
    note: str | None = None
    stubbed: dict[str, griffe.Object] = field(default_factory=dict[str, "griffe.Object"])
    text: str = ""

    def may_make(self, name: str) -> Making | None:
        """Whether the module may give a name to itself when it runs, which its tree does not show."""
        for found in _MAKES_NAMES.finditer(self.text):
            before = self.text[self.text.rfind("\n", 0, found.start()) + 1 : found.start()]
            if "#" not in before:
                return "any"
        if self.tree is None or "__getattr__" not in self.tree.members:
            return "mentioned" if _TAKES_NAMES.search(self.text) else None
        hook = _HOOK.search(self.text)
        body = hook[0].partition("\n")[2] if hook else ""
        if hook and "AttributeError" not in body:
            return "any"
        is_mentioned = re.search(rf"\b{re.escape(name)}\b", self.text) is not None
        takes = _TAKES_NAMES.search(self.text) or "getattr(" in body
        return "mentioned" if hook is None or takes or is_mentioned else None


class LoadedModules:
    """The modules of one search path; only those that are asked for are read."""

    def __init__(self, files: ModuleFiles, running: Running | None = None) -> None:
        self.files = files
        self._running = running
        self._kept: OrderedDict[str, tuple[str, LoadedModule]] = OrderedDict()
        self._of_question: dict[str, LoadedModule | None] = {}

    def begin_question(self) -> None:
        """Within one question a file is looked at once; the next question looks at the disk again."""
        self._of_question.clear()

    def load(self, dotted: str) -> LoadedModule | None:
        """The module of that name as it is on disk in this question; None if there is none."""
        if dotted not in self._of_question:
            self._of_question[dotted] = self._look(dotted)
        return self._of_question[dotted]

    def _look(self, dotted: str) -> LoadedModule | None:
        place = self.files.find(dotted)
        if place is None:
            return None
        stamp = ";".join(f"{file.relative}:{stamp_of(file.root / file.relative)}" for file in _files_of(place))
        kept = self._kept.get(dotted)
        if kept is None or kept[0] != stamp:
            kept = (stamp, _load(place, self.files, self._running))
            self._kept[dotted] = kept
        self._kept.move_to_end(dotted)
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return kept[1]


def _files_of(place: ModulePlace) -> list[CodeFile]:
    return [file for file in (place.source, place.stub) if file]


def _load(place: ModulePlace, files: ModuleFiles, running: Running | None) -> LoadedModule:
    if not place.is_readable:
        problem = (
            f"`{place.name}` is compiled: there is neither source nor stub on disk to read its API from"
            if place.is_compiled
            else None
        )
        return LoadedModule(place, None, problem)
    trees: list[griffe.Module] = []
    problem: str | None = None
    texts: list[str] = []
    for file in _files_of(place):
        try:
            tree, text = _parse(place, file, files, running)
            trees.append(tree)
            texts.append(text)
        except (FileRefused, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            problem = f"`{file.relative}` cannot be parsed: {_said(error)}"
    if not trees:
        return LoadedModule(place, None, problem)
    stubbed: dict[str, griffe.Object] = {}
    return LoadedModule(place, _merged(trees, stubbed), None, _note(place, problem), stubbed, texts[0])


def _said(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.msg} in line {error.lineno}"
    return str(error)[:200] if isinstance(error, FileRefused) else type(error).__name__


def _note(place: ModulePlace, problem: str | None) -> str | None:
    if problem:
        return problem
    if place.stub and place.source is None:
        return f"from the stub `{place.stub.relative}`: the module itself is compiled or absent"
    return f"types from the stub `{place.stub.relative}`" if place.stub else None


def _parse(
    place: ModulePlace, file: CodeFile, files: ModuleFiles, running: Running | None
) -> tuple[griffe.Module, str]:
    import griffe

    read = read_inside(file.root, file.relative, limit=_LARGEST_SOURCE)
    if read.is_cut:
        raise FileRefused(f"it is over {_LARGEST_SOURCE:,} bytes")
    path = file.root / file.relative
    *above, name = place.name.split(".")
    parent: griffe.Module | None = None
    folder = file.root
    for each in above:  # relative imports are resolved by the parents' names
        folder = folder / each
        parent = griffe.Module(each, filepath=folder / "__init__.py", parent=parent)
    try:
        text = without_dead_branches(read.text, running) if running else read.text
        tree = griffe.visit(name, path, _without_accelerators(text, files), parent=parent)
        _show_overloads(tree, _DEEPEST_CLASS)
        return tree, read.text
    except (griffe.GriffeError, AttributeError, KeyError, TypeError, IndexError, AssertionError) as error:
        raise ValueError(type(error).__name__) from None  # griffe trips over some unusual code


def _show_overloads(item: griffe.Object, depth: int) -> None:
    """In a stub a function can consist of overloads only, which griffe does not count as a member."""
    overloads: dict[str, list[griffe.Function]] = getattr(item, "overloads", {})
    for name, variants in overloads.items():
        if name not in item.members and variants:
            item.set_member(name, variants[0])
    for member in item.members.values():
        if depth > 0 and not member.is_alias and member.is_class:
            _show_overloads(cast("griffe.Object", member), depth - 1)


def _without_accelerators(text: str, files: ModuleFiles) -> str:
    """The text without imports from compiled twins, which would hide what the module itself defines."""

    def blanked(found: re.Match[str]) -> str:
        place = files.find(found[2])
        return found[0] if place and place.is_readable else f"{found[1]}pass"

    return _ACCELERATOR.sub(blanked, text)


def _merged(trees: list[griffe.Module], stubbed: dict[str, griffe.Object]) -> griffe.Module:
    """The source with the stub's types, and with what only the stub shows."""
    if len(trees) == 2:
        for name, member in _imported_only(trees[0], trees[1]):
            stubbed[name] = member
            del trees[1].members[name]
        _take_from_stub(trees[0], trees[1], _DEEPEST_CLASS)
        if trees[0].exports is None and trees[1].exports is not None:
            trees[0].exports = trees[1].exports
    return trees[0]


def _imported_only(source: griffe.Module, stub: griffe.Module) -> list[tuple[str, griffe.Object]]:
    """What the stub declares and the source imports by name, or may import by a star."""
    has_stars = any(name.endswith("/*") for name in source.members)
    return [
        (name, cast("griffe.Object", member))
        for name, member in stub.members.items()
        if not member.is_alias and (source.members[name].is_alias if name in source.members else has_stars)
    ]


def _take_from_stub(source: griffe.Object, stub: griffe.Object, depth: int) -> None:
    import griffe

    kept: dict[str, list[griffe.Function]] = getattr(source, "overloads", {})
    for name, overloads in getattr(stub, "overloads", {}).items():
        kept[name] = kept.get(name) or overloads
    for name, member in list(stub.members.items()):
        own = source.members.get(name)
        if isinstance(own, griffe.Class) and isinstance(member, griffe.Class) and depth > 0:
            own.bases = own.bases or member.bases
            _take_from_stub(own, member, depth - 1)
        elif isinstance(own, griffe.Function) and isinstance(member, griffe.Function):
            take_types(own, member)
        elif isinstance(own, griffe.Attribute) and isinstance(member, griffe.Attribute):
            own.annotation = own.annotation or member.annotation
        elif own is None:
            source.set_member(name, member)


def take_types(source: griffe.Function, stub: griffe.Function) -> None:
    """Types from the stub, names and defaults from the source, unless the source takes whatever it is given."""
    source.returns = source.returns or stub.returns
    names = [parameter.name for parameter in stub.parameters]
    takes_anything = any(parameter.kind and "variadic" in parameter.kind.value for parameter in source.parameters)
    own = [parameter.name for parameter in source.parameters]
    named = [each.name for each in source.parameters if not (each.kind and "variadic" in each.kind.value)]
    if takes_anything and names != own and set(named) <= set(names):
        source.parameters = stub.parameters
        return
    for parameter in source.parameters:
        if parameter.annotation is None and parameter.name in names:
            parameter.annotation = stub.parameters[parameter.name].annotation
