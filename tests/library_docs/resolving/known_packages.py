"""Installed packages as plain tables, for tests that need no real environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sightline.library_docs.libraries import Ecosystem


@dataclass(frozen=True, slots=True)
class KnownPackages:
    """Versions by package, and the packages of each import name; `shared` are those that are mere folders."""

    ecosystem: Ecosystem
    versions: Mapping[str, str]
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    shared: frozenset[str] = frozenset()

    def version_of(self, name: str) -> str | None:
        return self.versions.get(name)

    def providers_of(self, import_name: str) -> tuple[str, ...]:
        return self.imports.get(import_name, ())

    def holds(self, name: str, import_name: str, *, as_folder: bool = False) -> bool:
        return name in self.providers_of(import_name) and (import_name in self.shared) == as_folder

    def names(self) -> tuple[str, ...]:
        return tuple(self.versions)
