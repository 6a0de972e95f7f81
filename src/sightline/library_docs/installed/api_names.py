"""Finding objects of a package by dotted name, through re-exports, star imports and base classes, file by file."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sightline.library_docs.installed.loaded_modules import LoadedModule, LoadedModules, take_types

if TYPE_CHECKING:
    import griffe

_HARMLESS_DECORATORS = frozenset(
    {"dataclass", "final", "runtime_checkable", "total_ordering", "define", "frozen", "mutable", "attrs", "s", "unique",
     "deprecated", "public", "export", "set_module"}
)  # fmt: skip
_HARMLESS_METACLASSES = frozenset({"ABCMeta", "type", "EnumMeta", "EnumType"})
_IMPORTED_MARKS = frozenset({"annotations", "TYPE_CHECKING"})


@dataclass(frozen=True, slots=True)
class Found:
    """An object: `path` is where it was asked for, `canonical` where it is defined, in `module`.

    `item` is None for a module without a tree (a namespace, or one that is compiled). `inherited_from` names the base
    class that a member was found in.
    """

    path: str
    canonical: str
    module: LoadedModule
    item: griffe.Object | None
    inherited_from: str | None = None


_Seen = dict[str, Found | None]


class Missing(Exception):
    """There is no such object; or, if `is_unseen`, it cannot be told without running code. The message says why.

    `word` is the name that has to stand somewhere in the package's text if there is such an object all the same.
    """

    def __init__(self, message: str, *, is_unseen: bool = False, word: str | None = None) -> None:
        super().__init__(message)
        self.is_unseen = is_unseen
        self.word = word


class ApiNames:
    """Names of one search path."""

    def __init__(self, modules: LoadedModules) -> None:
        self.modules = modules

    def resolve(self, dotted: str) -> Found:
        """The object of that name; raises `Missing`."""
        try:
            return self._resolve(dotted, {})
        except RecursionError:
            raise Missing(f"`{dotted}` is nested too deeply to be followed", is_unseen=True) from None

    def _resolve(self, dotted: str, seen: _Seen) -> Found:
        """`seen` holds every name of this question: what it led to, or None while and after it leads nowhere."""
        if dotted in seen:
            known = seen[dotted]
            if known is None:
                raise Missing(f"`{dotted}` leads in a circle of imports, or nowhere", is_unseen=True)
            return known
        seen[dotted] = None
        first, *rest = dotted.split(".")
        found = self._module(first, dotted)
        for at, name in enumerate(rest, start=1):
            try:
                found = self._member(found, name, seen)
            except Missing:
                module = self._other_module(".".join(dotted.split(".")[:at]), found)
                if module is None:
                    raise
                found = self._module_member(module, name, seen)
        found = Found(dotted, found.canonical, found.module, found.item, found.inherited_from)
        seen[dotted] = found
        return found

    def _other_module(self, path: str, holder: Found) -> Found | None:
        """In `pkg.fence.rule` the module `fence` is meant, even if `pkg` has a function of that name."""
        loaded = self.modules.load(path) if holder.canonical != path else None
        return Found(path, path, loaded, loaded.tree) if loaded else None

    def _module(self, dotted: str, asked: str) -> Found:
        loaded = self.modules.load(dotted)
        if loaded is None:
            raise Missing(f"`{asked}`: no module `{dotted}` is on disk")
        return Found(dotted, dotted, loaded, loaded.tree)

    def _member(self, holder: Found, name: str, seen: _Seen) -> Found:
        item = holder.item
        if item is not None and item.is_class:
            return self._class_member(holder, name, seen)
        if item is None or item.is_module:
            return self._module_member(holder, name, seen)
        raise Missing(f"what `{holder.canonical}` has as `{name}` is not in its text", is_unseen=True)

    def _module_member(self, holder: Found, name: str, seen: _Seen) -> Found:
        path = f"{holder.canonical}.{name}"
        stubbed = holder.module.stubbed.get(name) if holder.canonical == holder.module.place.name else None
        if stubbed is None:
            return self._own_member(holder, name, seen)
        try:
            found = self._own_member(holder, name, seen)
        except Missing:
            return Found(path, path, holder.module, stubbed)
        if found.item is None or found.item.is_attribute:
            return Found(path, path, holder.module, stubbed)
        if found.item.is_function and stubbed.is_function:
            take_types(cast("griffe.Function", found.item), cast("griffe.Function", stubbed))
        return found

    def _own_member(self, holder: Found, name: str, seen: _Seen) -> Found:
        tree, path = holder.item, f"{holder.canonical}.{name}"
        member = tree.members.get(name) if tree else None
        if member is not None:
            try:
                return self._followed(member, path, holder.module, seen)
            except Missing:
                if self.modules.files.find(path) is None:
                    raise
        if member is None and tree is not None:
            starred = self._starred(tree, name, seen)
            if starred:
                return starred
        loaded = self.modules.load(path)
        if loaded is not None:
            return Found(path, path, loaded, loaded.tree)
        raise self._why_missing(holder, name)

    def _followed(self, member: griffe.Object | griffe.Alias, path: str, module: LoadedModule, seen: _Seen) -> Found:
        if member.is_alias:
            target = _target(member)
            if target == "ntpath" and os.name != "nt":  # both branches of `os` are seen, the last one counts
                target = "posixpath"
            try:
                return self._resolve(target, seen)
            except Missing as missing:  # the name is there, whatever it stands for
                raise Missing(f"`{path}` is imported from elsewhere: {missing}", is_unseen=True) from None
        item = cast("griffe.Object", member)
        target = _plain_value(item)
        if target and target != path:
            try:
                found = self._resolve(target, seen)
            except Missing:
                return Found(path, path, module, item)
            if found.item is not None and (found.item.is_class or found.item.is_function):
                return found
        return Found(path, path, module, item)

    def _starred(self, tree: griffe.Object, name: str, seen: _Seen) -> Found | None:
        """The member that a star import brings, from the last one that has it."""
        if name.startswith("_"):
            return None
        for source in reversed(list(star_imports(tree))):
            question = f"{source}.{name}*"
            if question in seen:
                continue
            seen[question] = None
            loaded = self.modules.load(source)
            if loaded is None or loaded.tree is None or not self._gives(loaded.tree, name):
                continue
            member = loaded.tree.members.get(name)
            try:
                if member is not None:
                    return self._followed(member, f"{source}.{name}", loaded, seen)
            except Missing:
                continue
            if found := self._starred(loaded.tree, name, seen):
                return found
        return None

    def _gives(self, tree: griffe.Module, name: str) -> bool:
        return tree.exports is None or name in self._exported(tree, set())

    def _class_member(self, holder: Found, name: str, seen: _Seen) -> Found:
        item, path = holder.item, f"{holder.canonical}.{name}"
        assert item is not None  # noqa: S101 - the caller looked
        member = item.members.get(name)
        if member is not None:
            return self._followed(member, path, holder.module, seen)
        question = f"{path}?"
        if question in seen:
            raise Missing(f"`{holder.canonical}` inherits from itself")
        seen[question] = None
        unseen = may_have_more(item, name, holder.module.text)
        for base in base_paths(item):
            try:
                cls = self.base(holder, base, seen)
            except Missing:
                unseen = unseen or _in_unknown_base(base, name)
                continue
            try:
                found = self._member(cls, name, seen)
            except Missing as missing:
                unseen = unseen or (str(missing) if missing.is_unseen else None)
                continue
            return Found(path, found.canonical, found.module, found.item, found.inherited_from or cls.canonical)
        if unseen:
            raise Missing(f"`{holder.canonical}` may have `{name}`: {unseen}", is_unseen=True)
        raise Missing(f"`{holder.canonical}` has no member `{name}` that its text shows")

    def base(self, holder: Found, base: str, seen: _Seen | None = None) -> Found:
        """The base class of a class; raises `Missing`. A name may also be that of a module beside it."""
        seen = {} if seen is None else seen
        try:
            return self._resolve(base, seen)
        except Missing:
            beside = f"{holder.module.place.name}.{base}"
            if "." not in base or self.modules.load(beside.rpartition(".")[0]) is None:
                raise
            return self._resolve(beside, seen)

    def _why_missing(self, holder: Found, name: str) -> Missing:
        if holder.module.problem:
            return Missing(holder.module.problem, is_unseen=True)
        if making := holder.module.may_make(name):
            message = f"`{holder.canonical}` makes names when it runs; `{name}` cannot be seen in its text"
            return Missing(message, is_unseen=True, word=name if making == "mentioned" else None)
        is_stubbed = holder.module.place.stub is not None
        if not is_stubbed and holder.item is not None and (dark := self._unreadable_star(holder.item, set())):
            return Missing(f"`{holder.canonical}` takes all names of `{dark}`, which cannot be read", is_unseen=True)
        return Missing(f"`{holder.canonical}` has no `{name}` that its text shows")

    def _unreadable_star(self, tree: griffe.Object, seen: set[str]) -> str | None:
        """A module that all names are taken from and whose names are not in a text."""
        for source in star_imports(tree):
            if source in seen:
                continue
            seen.add(source)
            loaded = self.modules.load(source)
            if loaded is None or loaded.tree is None:
                return source
            if dark := self._unreadable_star(loaded.tree, seen):
                return dark
        return None

    def public_names(self, module: LoadedModule, seen: set[str] | None = None) -> list[str]:
        """What users import from a module: its `__all__`, else what it defines and re-exports of its package."""
        tree, seen = module.tree, set[str]() if seen is None else seen
        if tree is None or module.place.name in seen:
            return []
        seen.add(module.place.name)
        if tree.exports is not None:
            return list(dict.fromkeys(self._exported(tree, seen)))
        own = [name for name, member in tree.members.items() if _is_public(name, member, tree)]
        starred = [name for source in star_imports(tree) for name in self._names_of(source, seen)]
        return list(dict.fromkeys([*own, *(name for name in starred if not name.startswith("_"))]))

    def _exported(self, tree: griffe.Module, seen: set[str]) -> Iterator[str]:
        for entry in tree.exports or ():
            if isinstance(entry, str):
                yield entry
            elif (source := _canonical(entry)) and source.endswith(".__all__"):
                module = source.removesuffix(".__all__")
                package = tree.path if tree.is_init_module else tree.path.rpartition(".")[0]
                yield from self._names_of(f"{package}.{module}", seen) or self._names_of(module, seen)

    def _names_of(self, dotted: str, seen: set[str]) -> list[str]:
        loaded = self.modules.load(dotted)
        return self.public_names(loaded, seen) if loaded else []


def star_imports(tree: griffe.Object) -> Iterator[str]:
    """Modules that a module takes all names from."""
    for name, member in tree.members.items():
        if name.endswith("/*") and member.is_alias:
            yield _target(member)


def base_paths(item: griffe.Object) -> list[str]:
    """Dotted names of a class's bases, as far as its module tells."""
    bases: list[griffe.Expr | str] = getattr(item, "bases", [])
    return [path for base in bases if (path := _canonical(base))]


def may_have_more(item: griffe.Object, name: str, text: str) -> str | None:
    """Why a class may have a member that its text does not show."""
    if not {"__getattr__", "__getattribute__"}.isdisjoint(item.members):
        return "it makes its members when it runs"
    keywords: dict[str, object] = getattr(item, "keywords", {})
    if str(keywords.get("metaclass", "ABCMeta")).rpartition(".")[2] not in _HARMLESS_METACLASSES:
        return "its metaclass may make it"
    decorators = [str(each.value).partition("(")[0].rpartition(".")[2] for each in getattr(item, "decorators", ())]
    if strange := [each for each in decorators if each not in _HARMLESS_DECORATORS]:
        return f"`@{strange[0]}` may make it"
    if re.search(
        rf"\b{re.escape(item.name)}\.{re.escape(name)}\s*=|\bsetattr\(\s*(?:{re.escape(item.name)}|cls)\b", text
    ):
        return "it is given members after its definition"
    return None


def _in_unknown_base(base: str, name: str) -> str | None:
    """Why a base class that is in no text may have the member; of what is built in, its members are known."""
    built_in = getattr(builtins, base, None)
    if built_in is None:
        return f"its base `{base}` was not found"
    return f"`{base}` is built in" if hasattr(built_in, name) else None


def _is_public(name: str, member: griffe.Object | griffe.Alias, tree: griffe.Module) -> bool:
    if name.startswith("_") or name in _IMPORTED_MARKS or "/" in name:
        return False
    if not member.is_alias:
        return not (member.is_attribute and _is_type_variable(member))
    top = tree.path.partition(".")[0]
    target = _target(member)
    is_own = target.partition(".")[0] in (top, f"_{top}")
    return is_own and (
        tree.is_init_module or target.rpartition(".")[2] != name or _is_in_private_twin(tree.path, target)
    )


def _is_in_private_twin(path: str, target: str) -> bool:
    """Whether a module only presents what a private one beside it defines, as `pkg.api` does for `pkg._api`."""
    return target.rpartition(".")[0].rpartition(".")[2].lstrip("_") == path.rpartition(".")[2]


def _is_type_variable(member: griffe.Object | griffe.Alias) -> bool:
    return str(getattr(member, "value", "")).startswith(("TypeVar(", "ParamSpec(", "t.TypeVar(", "typing.TypeVar("))


def _target(member: griffe.Object | griffe.Alias) -> str:
    return str(getattr(member, "target_path", ""))


def _plain_value(member: griffe.Object) -> str | None:
    """The dotted name that an attribute is merely another name for."""
    if not member.is_attribute or member.docstring is not None or getattr(member, "annotation", None) is not None:
        return None
    value = getattr(member, "value", None)
    return _canonical(value) if type(value).__name__ in ("ExprName", "ExprAttribute") else None


def _canonical(expression: object) -> str | None:
    import griffe

    try:
        path = getattr(expression, "canonical_path", None)
    except (griffe.GriffeError, AttributeError, KeyError, RecursionError):
        return None
    if not isinstance(path, str):
        return None
    plain = path.partition("[")[0].partition("(")[0]
    return plain if all(part.isidentifier() for part in plain.split(".")) else None
