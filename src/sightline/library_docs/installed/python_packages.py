"""The Python distributions of an environment, as its folders say at the time of each question.

One distribution is found by the name of its `.dist-info` folder; the others are not opened for it. What a RECORD lists
is taken only as far as it stays in the folder of packages.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sightline.library_docs.installed.contained_files import FileRefused, is_plain_name, read_inside, stamp_of
from sightline.library_docs.installed.editable_installs import (
    added_folders,
    editable_folder,
    is_finder,
    mapped_modules,
    packages_in,
)
from sightline.library_docs.installed.metadata_files import Metadata, parse_metadata
from sightline.library_docs.installed.packages import InstalledPackage, Markup
from sightline.library_docs.installed.python_environment import PythonEnvironment
from sightline.library_docs.libraries import Ecosystem, LibraryId, python_name

_MOST_METADATA = 3_000_000
_MOST_RECORD = 20_000_000
_MOST_REMEMBERED = 4_000
_MOST_STAMPED = 200
_TOP = re.compile(r'(?m)^"?(?:([^/,"\n]+)/[^,"\n]*|([^/,."\n]+)(?:\.[^/,"\n]*)?)\.(?:py|pyi|so|pyd)"?,')
_CODE = re.compile(r'(?m)^"?([^,"\n]+\.(?:py|pyi|so|pyd))"?,')
_PTH = re.compile(r'(?m)^"?([^/,"\n]+\.pth)"?,')
_TEXT = re.compile(r'(?mi)^"?([^,"\n]+\.(?:md|mdx|markdown|rst|txt))"?,')
_READMES = ("README.md", "README.rst", "README.txt", "README")
_NOT_OFFERED = frozenset(
    {"tests", "test", "docs", "doc", "examples", "scripts", "conftest", "noxfile", "tasks", "bench"}
)
_EGG = re.compile(r"-py\d+(\.\d+)?$")


@dataclass(frozen=True, slots=True)
class _Found:
    """A folder (or old single file) with the metadata of one distribution, by its place and its name."""

    packages: Path
    entry: str
    name: str
    version: str
    is_beside_source: bool = False

    @property
    def path(self) -> Path:
        return self.packages / self.entry

    @property
    def is_egg(self) -> bool:
        return self.entry.endswith(".egg-info")


class PythonPackages:
    """The distributions of one environment."""

    ecosystem: Ecosystem = "pypi"

    def __init__(self, environment: PythonEnvironment) -> None:
        self.environment = environment
        self._import_names: dict[str, tuple[str, tuple[str, ...]]] = {}

    def names(self) -> tuple[str, ...]:
        """All distributions, by normalised name."""
        return tuple(sorted({found.name for found in self._all()}))

    def version_of(self, name: str) -> str | None:
        located = self._located(name)
        return located[0][1].first("version") if located else None

    def has_trace_of(self, name: str) -> bool:
        """Whether a metadata folder has that name, even if it cannot be read or believed."""
        return any(found.name == python_name(name) for found in self._all())

    def providers_of(self, import_name: str) -> tuple[str, ...]:
        """Distributions that install a module, most specific first: `google.cloud.storage` before `google`."""
        dotted = import_name.split(".")
        if not all(part.isidentifier() for part in dotted):
            return ()
        holders = [found for found in self._all() if dotted[0] in self._names_imported(found)]
        while len(dotted) > 1 and len(holders) > 1:
            narrowed = [found for found in holders if self._holds(found, "/".join(dotted))]
            if narrowed:
                return tuple(sorted({found.name for found in narrowed}))
            dotted.pop()
        return tuple(sorted({found.name for found in holders}))

    def holds(self, name: str, import_name: str, *, as_folder: bool = False) -> bool:
        """Whether a distribution has the module, or one that the name leads through; see `InstalledPackages`."""
        parts = import_name.split(".")
        for record in (self._record(found) for found in self._all() if found.name == name):
            if not record:
                return True
            if as_folder:
                return re.search(rf'(?m)^"?{re.escape("/".join(parts))}/', record) is not None
            prefixes = "|".join(re.escape("/".join(parts[:size])) for size in range(1, len(parts) + 1))
            if re.search(rf'(?m)^"?(?:{prefixes})(?:/__init__)?\.(?:[^/,"\n]+\.)?(?:py|pyi|so|pyd)"?,', record):
                return True
        return any(found.name == name and self._added_by(found) for found in self._all())

    def _added_by(self, found: _Found) -> bool:
        """Whether modules of a distribution lie where no record lists them."""
        record = self._record(found)
        return bool(_finders_in(record)) or next(self._added(found, record), None) is not None

    def find(self, name: str) -> InstalledPackage | None:
        """The distribution of that name with all that its metadata tells."""
        located = self._located(name)
        return self._package(*located[0], [found for found, _ in located]) if located else None

    def _located(self, name: str) -> list[tuple[_Found, Metadata]]:
        """The distribution of a name with its metadata, then the others of the same name that it hides."""
        wanted = python_name(name)
        found = [(each, self._metadata(each)) for each in self._all() if each.name == wanted]
        sound = [(each, metadata) for each, metadata in found if metadata]
        return sorted(sound, key=lambda pair: self._rank(pair[0]), reverse=True)

    def _rank(self, found: _Found) -> tuple[int, bool, str]:
        places = self.environment.site_packages
        folder = -(len(places) if found.is_beside_source else places.index(found.packages))
        return folder, (found.path / "RECORD").is_file(), found.entry

    def _all(self) -> Iterator[_Found]:
        """Distributions in the folders of packages, and beside source that a `.pth` file adds to the search path."""
        known = set(self.environment.site_packages)
        for packages in self.environment.site_packages:
            yield from _found_in(packages)
        for packages in self.environment.site_packages if self.environment.follows_links_out else ():
            for folder in added_folders(packages):
                if folder not in known:
                    known.add(folder)
                    yield from _found_in(folder, is_beside_source=True)

    def _metadata(self, found: _Found) -> Metadata | None:
        """The metadata, if it is of the distribution that its folder names."""
        if found.is_egg and not found.path.is_dir():
            folder, file = found.packages, found.entry
        else:
            folder, file = found.path, "PKG-INFO" if found.is_egg else "METADATA"
        try:
            metadata = parse_metadata(read_inside(folder, file, limit=_MOST_METADATA).text)
        except FileRefused:
            return None
        named = python_name(metadata.first("name"))
        return metadata if named == found.name and metadata.first("version") else None

    def _package(self, found: _Found, metadata: Metadata, located: list[_Found]) -> InstalledPackage:
        source = self._source(found)
        record = self._record(found)
        readme, markup = _readme_on_disk(source) or (metadata.description, metadata.markup)
        return InstalledPackage(
            library=LibraryId("pypi", found.name),
            version=metadata.first("version"),
            name=metadata.first("name"),
            folder=source or found.packages,
            summary=metadata.first("summary"),
            license=metadata.license,
            urls=metadata.urls,
            import_names=self._names_imported(found),
            api_roots=tuple(_api_roots(record, self._names_imported(found))),
            readme=readme,
            readme_markup=markup,
            files=None if source or not record else tuple(_texts_in(record)),
            search_path=self._search_path(found, record, source),
            is_editable=source is not None,
            fingerprint=None if source else _fingerprint(found, record, readme),
            warnings=tuple(_oddities(found, metadata, located, source)),
        )

    def _source(self, found: _Found) -> Path | None:
        if found.is_beside_source:
            return found.packages
        return editable_folder(found.path) if self.environment.follows_links_out else None

    def _search_path(self, found: _Found, record: str, source: Path | None) -> tuple[Path, ...]:
        added = list(self._added(found, record))
        places = [source / "src", source] if source else []
        others = [folder for folder in self.environment.site_packages if folder != found.packages]
        return tuple(dict.fromkeys([*added, *(place for place in places if place.is_dir()), found.packages, *others]))

    def _added(self, found: _Found, record: str) -> Iterator[Path]:
        if not self.environment.follows_links_out:
            return
        own = [found[1] for found in _PTH.finditer(record) if is_plain_name(found[1])]
        yield from added_folders(found.packages, own)
        for module, place in mapped_modules(found.packages, _finders_in(record)):
            if place.stem == module and place.parent.is_dir():
                yield place.parent

    def _names_imported(self, found: _Found) -> tuple[str, ...]:
        stamp = f"{stamp_of(found.path)};{stamp_of(found.path / 'RECORD')}"
        known = self._import_names.get(str(found.path))
        if known is None or known[0] != stamp:
            known = (stamp, tuple(sorted(set(self._read_import_names(found)))))
            if len(self._import_names) >= _MOST_REMEMBERED:
                self._import_names.clear()
            self._import_names[str(found.path)] = known
        return known[1]

    def _read_import_names(self, found: _Found) -> Iterator[str]:
        record = self._record(found)
        tops = {found[1] or found[2] for found in _TOP.finditer(record)}
        names = {name for name in tops if name.removesuffix("-stubs").isidentifier() and name != "__pycache__"}
        own = {name for name in names if not is_finder(name)}
        own.update(module for module, _ in mapped_modules(found.packages, _finders_in(record)) if module.isidentifier())
        if not own:
            own.update(self._declared_names(found))
        yield from own
        finders = _finders_in(record)
        for folder in self._added(found, record) if not finders else ():
            yield from packages_in(folder)

    def _declared_names(self, found: _Found) -> Iterator[str]:
        try:
            lines = read_inside(found.path, "top_level.txt", limit=100_000).text.split()
        except FileRefused:
            lines = list(self._names_in_source(found)) or [found.name.replace("-", "_")]
        yield from (line for line in lines if line.isidentifier())

    def _names_in_source(self, found: _Found) -> Iterator[str]:
        """What a source folder offers, where nothing tells it: what is named like the distribution, or all."""
        source = self._source(found)
        for folder in (source / "src", source) if source else ():
            names = [name for name in packages_in(folder) if name not in _NOT_OFFERED]
            wanted = found.name.replace("-", "_")
            if named := [name for name in names if name.lower() == wanted] or names:
                yield from named
                return

    def _record(self, found: _Found) -> str:
        if found.is_egg and not found.path.is_dir():
            return ""
        try:
            return read_inside(found.path, "RECORD", limit=_MOST_RECORD).text
        except FileRefused:
            return ""

    def _holds(self, found: _Found, path: str) -> bool:
        return re.search(rf'(?m)^"?{re.escape(path)}[/.]', self._record(found)) is not None


def _found_in(packages: Path, *, is_beside_source: bool = False) -> Iterator[_Found]:
    try:
        entries = os.listdir(packages)  # noqa: PTH208 - hundreds of names in every call
    except OSError:
        return
    for entry in entries:
        if entry.endswith((".dist-info", ".egg-info")) and not entry.startswith("~"):
            stem = _EGG.sub("", entry.rpartition(".")[0])
            name, _, version = stem.partition("-") if entry.endswith(".egg-info") else stem.rpartition("-")
            if name:
                yield _Found(packages, entry, python_name(name), version, is_beside_source)


def _finders_in(record: str) -> list[str]:
    names = (found[2] for found in _TOP.finditer(record) if found[2])
    return [name for name in names if is_finder(name)]


def _api_roots(record: str, tops: tuple[str, ...]) -> Iterator[str]:
    """The modules that are this distribution's own: of a shared namespace (`google`) only its part of it."""
    files = [found[1] for found in _CODE.finditer(record)]

    def own(folder: str) -> Iterator[str]:
        inside = [name.removeprefix(f"{folder}/") for name in files if name.startswith(f"{folder}/")]
        if not inside or any(name.startswith("__init__.") for name in inside):
            yield folder.replace("/", ".")
            return
        for part in sorted({name.partition("/")[0] for name in inside}):
            module = part.partition(".")[0]
            if module.isidentifier() and module != "__pycache__":
                yield from [f"{folder}/{module}".replace("/", ".")] if "." in part else own(f"{folder}/{part}")

    for top in tops:
        yield from own(top)


def _fingerprint(found: _Found, record: str, readme: str) -> str:
    """Changes with the installation, and with a text of it that somebody edits afterwards."""
    stamps = [stamp_of(found.packages / name) for name in islice(_texts_in(record), _MOST_STAMPED)]
    return hashlib.sha256("\0".join([record, readme, *stamps]).encode("utf-8", "replace")).hexdigest()


def _texts_in(record: str) -> Iterator[str]:
    """Names of texts that a RECORD lists and that stay in the folder of packages."""
    yield from (found[1] for found in _TEXT.finditer(record) if is_plain_name(found[1]))


def _readme_on_disk(source: Path | None) -> tuple[str, Markup] | None:
    if source is None:
        return None
    for name in _READMES:
        try:
            text = read_inside(source, name).text
        except FileRefused:
            continue
        return text, "rst" if name.endswith(".rst") else "markdown"
    return None


def _oddities(found: _Found, metadata: Metadata, located: list[_Found], source: Path | None) -> Iterator[str]:
    if len(located) > 1:
        others = ", ".join(sorted({each.version for each in located[1:]}))
        yield f"several installations of this name are recorded; the first on the search path counts (also: {others})"
    if found.version and not found.is_egg and found.version != metadata.first("version"):
        yield f"the folder of the metadata says version {found.version}, its content {metadata.first('version')}"
    if source:
        yield "editable install: documents and API are those of the source folder now, the version is as recorded"
