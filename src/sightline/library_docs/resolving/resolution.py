"""Which library a query means: what this project has, then what it declares, then what the registry knows.

Only an exact name, import name or reviewed alias is a match. Anything less is a suggestion under `did_you_mean` and
says so: a wrong library is worse than none. Ecosystems are never mixed: one name may give one match in each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sightline.library_docs.libraries import Ecosystem, LibraryId
from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.registry.registry import Registry
from sightline.library_docs.resolving.declared import Declared, DeclaredPackages
from sightline.library_docs.resolving.installed_packages import InstalledPackages
from sightline.library_docs.resolving.library_query import LibraryQuery
from sightline.library_docs.resolving.suggestions import Suggestion, is_one_edit_away, suggest, targets_of

MatchedVia = Literal["installed", "declared", "package_name", "import_name", "library_id", "alias", "standard_library"]
_RELEVANCE_OF_ALIAS = 0.9
_UNKNOWN = "not installed, not declared, not known"


@dataclass(frozen=True, slots=True)
class Match:
    """A library that the query means; `latest` is the newest version as of the registry's snapshot."""

    library: LibraryId
    matched_via: MatchedVia
    relevance: float
    installed: str | None = None
    declared: str | None = None
    locked: str | None = None
    latest: str | None = None
    declared_in: str | None = None
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Matches, the likeliest first; without any, suggestions that nobody vouches for, and a sentence that says so."""

    query: LibraryQuery
    matches: tuple[Match, ...]
    did_you_mean: tuple[Suggestion, ...] = ()
    reason: str | None = None

    @property
    def is_known(self) -> bool:
        return bool(self.matches)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that resolution looks at besides the query."""

    registry: Registry
    installed: tuple[InstalledPackages, ...] = ()
    declared: DeclaredPackages = DeclaredPackages()
    standard_library: Collection[str] = ()


_Found = tuple[LibraryId, MatchedVia]


def resolve(query: LibraryQuery, around: Surroundings, ecosystem: Ecosystem | None = None) -> Resolution:
    """What the query means here; `ecosystem` narrows it further. Looks at nothing but what it is given."""
    ecosystems: tuple[Ecosystem, ...] = tuple(
        kind for kind in query.ecosystems if ecosystem is None or ecosystem == kind
    )
    narrowed = replace(query, ecosystems=ecosystems)
    if query.is_node_builtin:
        return Resolution(query, (), reason="a module of Node itself, which is not a package")
    for stage in _STAGES:
        found = [item for kind in ecosystems for item in stage(narrowed, around, kind)]
        if found:
            return Resolution(query, _matches(query, found, around))
    targets = targets_of(around.installed, around.declared, around.registry, around.standard_library)
    return Resolution(query, (), suggest(query, ecosystems, targets, around.registry), _UNKNOWN)


def _by_whole_name(query: LibraryQuery, around: Surroundings, ecosystem: Ecosystem) -> Iterator[_Found]:
    """What the whole text names. An import statement means import names, everything else a package first."""
    if ecosystem == "python":
        yield from _standard_module(query.import_paths[:1] if not query.is_import else query.import_paths, around)
        return
    if query.repository and query.repository in _repositories(around.registry):
        return
    found = [] if query.is_import and ecosystem == "pypi" else list(_by_package(query, around, ecosystem))
    yield from found
    if ecosystem != "pypi":
        return
    if not found and not _is_no_module_path(query, around.registry):
        paths = query.import_paths if query.is_import else query.import_paths[:1]
        yield from _by_import(paths, query.import_paths[:1], around)
    elif found and found[0][1] == "package_name":
        yield from _installed_providers_besides(found[0][0].name, query, around)


def _installed_providers_besides(name: str, query: LibraryQuery, around: Surroundings) -> Iterator[_Found]:
    """What this project has under that import name, where the registry knows another package of that very name."""
    for path in query.import_paths[:1]:
        for provider in _installed_providers(path, around, is_whole=True):
            if provider != name:
                yield LibraryId("pypi", provider), "import_name"


def _by_package(query: LibraryQuery, around: Surroundings, ecosystem: Ecosystem) -> Iterator[_Found]:
    """The package of that name; where a manifest gives the name to another package, code means that one."""
    for declared in around.declared.packages:
        if declared.ecosystem == ecosystem and declared.known_as in _candidates(query, ecosystem):
            yield LibraryId(ecosystem, declared.name), "declared"
            if query.is_import:
                return
    for name in _candidates(query, ecosystem):
        if via := _where_known(around, ecosystem, name, is_explicit=len(query.ecosystems) == 1):
            yield LibraryId(ecosystem, name), via
            return


def _where_known(around: Surroundings, ecosystem: Ecosystem, name: str, *, is_explicit: bool) -> MatchedVia | None:
    if _installed_version(around, ecosystem, name) is not None:
        return "installed"
    if around.declared.of(ecosystem, name):
        return "declared"
    # Packages such as `datetime` and `enum34` borrow the name of a standard module, which is what people mean.
    is_hidden = ecosystem == "pypi" and name in around.standard_library and not is_explicit
    return "package_name" if around.registry.by_name(ecosystem, name) and not is_hidden else None


def _by_import(paths: Iterable[str], whole: tuple[str, ...], around: Surroundings) -> Iterator[_Found]:
    for path in paths:
        if path in around.standard_library:
            return
        if found := _providers(path, around, is_whole=path in whole):
            for name in found:
                yield LibraryId("pypi", name), "import_name"
            return


def _providers(path: str, around: Surroundings, *, is_whole: bool) -> tuple[str, ...]:
    """The packages that provide an import name: of this project if it has any, else as the registry says.

    A part of a path tells nothing where several packages share it: `google` of `google.cloud.storage`.
    """
    if installed := _installed_providers(path, around, is_whole=is_whole):
        return installed
    if around.registry.is_namespace(path) and not is_whole:
        return ()
    known = tuple(entry.library.name for entry in around.registry.by_import("pypi", path))
    declared = {found.name for found in around.declared.packages if found.ecosystem == "pypi"}
    if among := tuple(name for name in known if name in declared):
        return among
    return known or _declared_under_that_name(path, declared)


def _installed_providers(path: str, around: Surroundings, *, is_whole: bool) -> tuple[str, ...]:
    """As the files on disk say; a folder that packages share means all of them, or the one that is known by it."""
    for packages in around.installed:
        if packages.ecosystem != "pypi":
            continue
        providers = packages.providers_of(path)
        if found := tuple(name for name in providers if packages.holds(name, path)):
            return found
        sharing = tuple(name for name in providers if is_whole and packages.holds(name, path, as_folder=True))
        known = {entry.library.name for entry in around.registry.by_import("pypi", path)}
        if sharing:
            return tuple(name for name in sharing if name in known) or sharing
    return ()


def _declared_under_that_name(path: str, declared: Collection[str]) -> tuple[str, ...]:
    """A package that only this project knows is most likely imported as it is called."""
    name = path.replace("_", "-").replace(".", "-").lower()
    return (name,) if name in declared else ()


def _by_alias(query: LibraryQuery, around: Surroundings, ecosystem: Ecosystem) -> Iterator[_Found]:
    for phrase in (query.phrase, *_candidates(query, ecosystem)):
        found = [entry for entry in around.registry.by_alias(phrase) if entry.library.ecosystem == ecosystem]
        if found:
            for entry in found:
                yield entry.library, "alias"
            return


def _by_part_of_path(query: LibraryQuery, around: Surroundings, ecosystem: Ecosystem) -> Iterator[_Found]:
    """`PIL.Image` means what provides `PIL`; `express.js` is no Python path, and `socket.oi` is a slip."""
    if _is_no_module_path(query, around.registry):
        return
    if ecosystem == "python":
        yield from _standard_module(query.import_paths[1:], around)
    elif ecosystem == "pypi":
        yield from _by_import(query.import_paths[1:], (), around)


def _is_no_module_path(query: LibraryQuery, registry: Registry) -> bool:
    path = query.import_paths[0] if query.import_paths else ""
    if query.is_import or query.ecosystems == ("python",) or "." not in path:
        return False
    dotted = (library.name for library in registry.entries if "." in library.name)
    return path.rpartition(".")[2] in _NO_MODULES or is_one_edit_away(path, dotted)


_NO_MODULES = frozenset({"js", "ts", "jsx", "tsx", "mjs", "io", "org", "com", "net", "dev", "py", "ai", "rs"})
_STAGES: tuple[Callable[[LibraryQuery, Surroundings, Ecosystem], Iterator[_Found]], ...] = (
    _by_whole_name,
    _by_alias,
    _by_part_of_path,
)


def _standard_module(paths: Iterable[str], around: Surroundings) -> Iterator[_Found]:
    for path in paths:
        if path in around.standard_library:
            yield LibraryId("python", path), "standard_library"
            return


def _candidates(query: LibraryQuery, ecosystem: Ecosystem) -> tuple[str, ...]:
    return query.npm_names if ecosystem == "npm" else query.python_names


def _repositories(registry: Registry) -> set[str]:
    return {entry.repo.split("/", 3)[3] for entry in registry.entries.values() if entry.repo}


def _installed_version(around: Surroundings, ecosystem: Ecosystem, name: str) -> str | None:
    of_kind = (packages for packages in around.installed if packages.ecosystem == ecosystem)
    return next((version for packages in of_kind if (version := packages.version_of(name)) is not None), None)


def _matches(query: LibraryQuery, found: list[_Found], around: Surroundings) -> tuple[Match, ...]:
    """What the project uses comes first, then packages of that very name, then what provides the import name."""
    matches = [
        _match(library, "library_id" if via == "package_name" and query.text == str(library) else via, around)
        for library, via in found
    ]
    return tuple(sorted(matches, key=lambda match: (_distance(match, around), match.matched_via == "import_name")))


def _match(library: LibraryId, via: MatchedVia, around: Surroundings) -> Match:
    entry = around.registry.entry(library)
    declared: Declared | None = around.declared.of(library.ecosystem, library.name)
    return Match(
        library=library,
        matched_via=via,
        relevance=_RELEVANCE_OF_ALIAS if via == "alias" else 1.0,
        installed=_installed_version(around, library.ecosystem, library.name),
        declared=declared.specifier if declared else None,
        locked=declared.locked_version if declared else None,
        latest=entry.version if entry else None,
        declared_in=declared.file if declared else None,
        entry=entry,
    )


def _distance(match: Match, around: Surroundings) -> int:
    if match.installed is not None:
        return 0
    if match.declared_in is not None:
        return 1
    kind: Ecosystem = "npm" if match.library.ecosystem == "npm" else "pypi"
    return 2 if kind in around.declared.kinds else 3
