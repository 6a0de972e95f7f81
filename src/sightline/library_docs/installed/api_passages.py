"""Passages of an API for a topic: only the modules whose text holds the topic's words are looked into."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from sightline.library_docs.installed.api_markdown import docstring_of, short_signature
from sightline.library_docs.installed.api_names import Found
from sightline.library_docs.installed.docstring_markdown import docstring_to_markdown
from sightline.library_docs.installed.package_addresses import api_address
from sightline.library_docs.installed.packages import InstalledPackage
from sightline.library_docs.installed.passages import Passage
from sightline.library_docs.installed.python_api import PythonApi
from sightline.library_docs.installed.type_declarations import TypeDeclarations
from sightline.library_docs.installed.words import query_words, stem

_MOST_MODULES = 8
_MOST_MEMBERS = 80
_LONGEST = 6_000


def python_passages(
    api: PythonApi, package: InstalledPackage, topic: str, is_late: Callable[[], bool]
) -> Iterator[Passage]:
    """Docstrings of public objects in the modules that fit best, until it is late."""
    seen: set[str] = set()
    for module in _fitting_modules(api, package, topic):
        for path, found in api.public_objects(module):
            if is_late():
                return
            if found.canonical in seen or found.item is None or found.item.is_module:
                continue
            seen.add(found.canonical)
            public = api.public_path(path, found.canonical)
            if "._" not in public:
                yield from _object_passages(package, public, found)


def declared_passages(types: TypeDeclarations, package: InstalledPackage) -> Iterator[Passage]:
    """Exported names with the first sentence of their comments."""
    for entry in types.outline(package).entries:
        if entry.summary and entry.kind != "unresolved":
            address = api_address(package.library, package.version, entry.path)
            yield Passage(address, entry.path, entry.path, 1, str(entry), "api")


def _fitting_modules(api: PythonApi, package: InstalledPackage, topic: str) -> list[str]:
    words = [stem(word).encode() for word in query_words(topic)]
    counted = [(module, [content.lower().count(word) for word in words]) for module, content in api.sources(package)]
    if not counted:
        return []
    rarity = [
        math.log(1 + len(counted) / (1 + sum(counts[at] > 0 for _, counts in counted))) for at in range(len(words))
    ]
    scored = [
        (sum(weight * (1 + math.log(times)) for weight, times in zip(rarity, counts, strict=True) if times), module)
        for module, counts in counted
        if any(counts)
    ]
    scored.sort(key=lambda each: (-round(each[0], 6), each[1]))
    return [module for _, module in scored[:_MOST_MODULES]]


def _object_passages(package: InstalledPackage, path: str, found: Found) -> Iterator[Passage]:
    item = found.item
    if item is None:
        return
    if passage := _passage(package, path, short_signature(item) if item.is_function else "", docstring_of(item)):
        yield passage
    members = list(item.members.items())[:_MOST_MEMBERS] if item.is_class else []
    for name, member in members:
        if name.startswith("_") or member.is_alias or member.docstring is None:
            continue
        signature = short_signature(member) if member.is_function else ""  # pyright: ignore[reportArgumentType] - just tested
        if passage := _passage(package, f"{path}.{name}", signature, member.docstring.value):
            yield passage


def _passage(package: InstalledPackage, path: str, signature: str, docstring: str) -> Passage | None:
    if not docstring:
        return None
    text = f"`{path}{signature}`\n\n{docstring_to_markdown(docstring)}"
    address = api_address(package.library, package.version, path)
    return Passage(address, path, path, 1, text[:_LONGEST], "api", is_cut=len(text) > _LONGEST)
