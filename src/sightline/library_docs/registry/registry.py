"""The libraries that are known without asking the network: one immutable object, swapped as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from sightline.library_docs.libraries import Ecosystem, LibraryId, python_name
from sightline.library_docs.registry.addresses import AllowedPlace
from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.registry.snapshots import Snapshot

Origin = Literal["bundled", "local", "update"]


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """Entries by id, with indexes by import name and alias; `problems` says what was left out, and why.

    Two registries are never compared by content, so that one can be the key of what is made from it.
    """

    version: str
    generated_at: str
    origin: Origin
    entries: Mapping[LibraryId, Entry]
    problems: tuple[str, ...]
    _imports: Mapping[tuple[Ecosystem, str], tuple[LibraryId, ...]]
    _aliases: Mapping[str, tuple[LibraryId, ...]]
    _namespaces: frozenset[str]

    def entry(self, library: LibraryId) -> Entry | None:
        return self.entries.get(library)

    def by_name(self, ecosystem: Ecosystem, name: str) -> Entry | None:
        """The package of that name; a Python name is compared as the package index does."""
        return self.entries.get(LibraryId(ecosystem, python_name(name) if ecosystem == "pypi" else name))

    def by_import(self, ecosystem: Ecosystem, import_name: str) -> tuple[Entry, ...]:
        """The packages that provide an import name, the usual one first.

        Reviewed providers hide assumed ones.
        """
        return tuple(self.entries[library] for library in self._imports.get((ecosystem, import_name), ()))

    def is_namespace(self, import_name: str) -> bool:
        """Whether several Python packages put modules below that name, so that it does not tell them apart."""
        return import_name in self._namespaces

    def by_alias(self, alias: str) -> tuple[Entry, ...]:
        return tuple(self.entries[library] for library in self._aliases.get(alias.casefold(), ()))

    def names(self, ecosystem: Ecosystem) -> tuple[str, ...]:
        return tuple(library.name for library in self.entries if library.ecosystem == ecosystem)

    def allowed_places(self, library: LibraryId) -> tuple[AllowedPlace, ...]:
        """What may be read on the web for this library; nothing for one that is not known."""
        entry = self.entries.get(library)
        return entry.allowed_places() if entry else ()

    def places_of_all(self) -> Mapping[LibraryId, tuple[AllowedPlace, ...]]:
        """What may be read on the web, by the library that it is read for."""
        return MappingProxyType({library: entry.allowed_places() for library, entry in self.entries.items()})


def registry_of(snapshot: Snapshot, origin: Origin, problems: tuple[str, ...] = ()) -> Registry:
    return build_registry(snapshot.version, snapshot.generated_at, origin, snapshot.entries, problems)


def build_registry(
    version: str, generated_at: str, origin: Origin, entries: Iterable[Entry], problems: tuple[str, ...] = ()
) -> Registry:
    """The registry over `entries`, with its indexes."""
    by_id = {entry.library: entry for entry in entries}
    return Registry(
        version=version,
        generated_at=generated_at,
        origin=origin,
        entries=MappingProxyType(by_id),
        problems=problems,
        _imports=MappingProxyType(_import_index(by_id)),
        _aliases=MappingProxyType(_alias_index(by_id)),
        _namespaces=_namespaces(by_id),
    )


def _import_index(entries: Mapping[LibraryId, Entry]) -> dict[tuple[Ecosystem, str], tuple[LibraryId, ...]]:
    providers: dict[tuple[Ecosystem, str], list[Entry]] = {}
    for entry in entries.values():
        for name in entry.imports:
            providers.setdefault((entry.library.ecosystem, name), []).append(entry)
    return {key: _usual_first(found) for key, found in providers.items()}


def _usual_first(found: list[Entry]) -> tuple[LibraryId, ...]:
    if len(found) > 1:
        reviewed = [entry for entry in found if not entry.are_imports_assumed]
        primary = [entry for entry in reviewed if not entry.is_secondary]
        # A package of that very name counts as a provider beside secondary ones: `psycopg2` and `psycopg2-binary`.
        found = reviewed if primary else found
        found = sorted(found, key=lambda entry: (entry.is_secondary, entry.library))
    return tuple(entry.library for entry in found)


def _namespaces(entries: Mapping[LibraryId, Entry]) -> frozenset[str]:
    owners: dict[str, set[LibraryId]] = {}
    parents: set[str] = set()
    for library, entry in entries.items():
        for name in entry.imports if library.ecosystem == "pypi" else ():
            parts = name.split(".")
            prefixes = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
            parents.update(prefixes[:-1])
            for prefix in prefixes:
                owners.setdefault(prefix, set()).add(library)
    return frozenset(name for name in parents if len(owners[name]) > 1)


def _alias_index(entries: Mapping[LibraryId, Entry]) -> dict[str, tuple[LibraryId, ...]]:
    aliases: dict[str, tuple[LibraryId, ...]] = {}
    for entry in entries.values():
        for alias in entry.aliases:
            aliases[alias] = (*aliases.get(alias, ()), entry.library)
    return aliases
