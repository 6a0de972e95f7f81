"""Names near to one that nothing here knows: for a person to choose from, never to act on.

Names that are installed or declared come before those of the registry at the same distance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sightline.library_docs.libraries import Ecosystem, LibraryId
from sightline.library_docs.registry.registry import Registry
from sightline.library_docs.resolving.declared import DeclaredPackages
from sightline.library_docs.resolving.installed_packages import InstalledPackages
from sightline.library_docs.resolving.library_query import LibraryQuery

MOST_SUGGESTIONS = 5
Source = Literal["installed", "declared", "standard_library", "registry"]

_SEPARATORS = re.compile(r"[\s._-]+")
_AFFIXES = re.compile(r"\A(?:python3?|py|node|js)[-_. ]|[-_. ](?:python|py|js|node)\Z")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A library whose name is near; `score` is 1 for names that differ only in separators, case or an affix."""

    library: LibraryId
    score: float
    source: Source


@dataclass(frozen=True, slots=True)
class Target:
    """A spelling under which a library may have been meant."""

    spelling: str
    library: LibraryId
    source: Source


@dataclass(frozen=True, slots=True)
class _Hit:
    distance: int
    length: int
    target: Target

    @property
    def order(self) -> tuple[int, int, int, LibraryId]:
        return (
            self.distance,
            int(self.target.source in {"standard_library", "registry"}),
            len(self.target.library.name),
            self.target.library,
        )


def suggest(
    query: LibraryQuery,
    ecosystems: Iterable[Ecosystem],
    targets: Iterable[Target],
    registry: Registry,
) -> tuple[Suggestion, ...]:
    """At most five libraries, the nearest first, one suggestion for each."""
    wanted = frozenset(ecosystems)
    if query.repository and (found := _of_repository(query.repository, registry, wanted)):
        return found
    targets = [target for target in targets if target.library.ecosystem in wanted]
    best: dict[LibraryId, _Hit] = {}
    for spelling in _spellings(query):
        for hit in _hits(spelling, targets):
            known = best.get(hit.target.library)
            if known is None or hit.order < known.order:
                best[hit.target.library] = hit
    nearest = sorted(best.values(), key=lambda hit: hit.order)[:MOST_SUGGESTIONS]
    return tuple(_suggestion(hit) for hit in nearest)


def most_edits(length: int) -> int:
    """How many edits (a swap of neighbours is one) a name may be away; short names have many neighbours."""
    if length < 3:
        return 0
    if length < 6:
        return 1
    return 2 if length < 12 else 3


def is_one_edit_away(text: str, names: Iterable[str]) -> bool:
    """Whether a text is almost one of the names."""
    from rapidfuzz.distance import OSA

    return any(OSA.distance(text, name, score_cutoff=1) <= 1 for name in names)


def _suggestion(hit: _Hit) -> Suggestion:
    return Suggestion(hit.target.library, round(1 - hit.distance / max(hit.length, 1), 2), hit.target.source)


def _of_repository(repository: str, registry: Registry, wanted: frozenset[Ecosystem]) -> tuple[Suggestion, ...]:
    found = (
        Suggestion(entry.library, 1.0, "registry")
        for entry in registry.entries.values()
        if entry.repo and entry.repo.split("/", 3)[3].casefold() == repository.casefold()
        if entry.library.ecosystem in wanted
    )
    return tuple(sorted(found, key=lambda suggestion: len(suggestion.library.name)))[:MOST_SUGGESTIONS]


def _spellings(query: LibraryQuery) -> Iterator[str]:
    """What the query may have tried to say, squeezed: no case, no separators, with and without an affix."""
    names = {*query.python_names[:1], *query.npm_names[:1], *query.import_paths[:1], *query.import_paths[-1:]}
    for name in names or {query.phrase[:100]}:
        yield from _forms(name)


def _forms(name: str) -> Iterator[str]:
    bare = name.casefold()
    yield _squeezed(bare)
    stripped = _squeezed(_AFFIXES.sub("", bare))
    if len(stripped) > 2:
        yield stripped


def _squeezed(name: str) -> str:
    return _SEPARATORS.sub("", name)


def targets_of(
    installed: Sequence[InstalledPackages],
    declared: DeclaredPackages,
    registry: Registry,
    standard_library: Iterable[str] = (),
) -> Iterator[Target]:
    """Every spelling that a query is compared with."""
    for packages in installed:
        for name in packages.names():
            yield from _named(LibraryId(packages.ecosystem, name), "installed")
    for package in declared.packages:
        yield from _named(LibraryId(package.ecosystem, package.name), "declared")
    for name in standard_library:
        yield Target(_squeezed(name.casefold()), LibraryId("python", name), "standard_library")
    yield from _registry_targets(registry)


@lru_cache(maxsize=2)
def _registry_targets(registry: Registry) -> tuple[Target, ...]:
    found: list[Target] = []
    for library, entry in registry.entries.items():
        found += _named(library, "registry")
        if not entry.are_imports_assumed:
            found += (Target(_squeezed(name.casefold()), library, "registry") for name in entry.imports)
    return tuple(found)


def _named(library: LibraryId, source: Source) -> Iterator[Target]:
    name = library.name.casefold()
    yield Target(_squeezed(name), library, source)
    if name.startswith("@"):
        scope, _, rest = name[1:].partition("/")
        yield Target(_squeezed(rest), library, source)
        if rest in {"core", "client", "sdk", "react"}:
            yield Target(_squeezed(scope), library, source)
    stripped = _squeezed(_AFFIXES.sub("", name))
    if stripped != _squeezed(name) and len(stripped) > 2:
        yield Target(stripped, library, source)


def _hits(spelling: str, targets: Sequence[Target]) -> Iterator[_Hit]:
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    if not spelling:
        return
    choices = [target.spelling for target in targets]
    limit = most_edits(len(spelling))
    for _, distance, index in extract(spelling, choices, scorer=OSA.distance, score_cutoff=limit, limit=50):
        yield _Hit(int(distance), len(spelling), targets[index])
