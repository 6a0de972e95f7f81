"""Which version npm's own lock files fixed, as code in one folder sees it; also the seam of all npm locks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from sightline.library_docs.resolving.manifest_files import MAX_LOCK_BYTES, ManifestFiles, Table, table_in, text_of

_RELEASE = re.compile(r"\d+\.\d+\.\d+\S*\Z")


class NpmLock(Protocol):
    """A lock file of any npm client."""

    def version_of(self, name: str, specifier: str | None) -> str | None:
        """The one version of a package as the manifest's folder sees it; None if there is none or more than one."""
        ...

    def top_level(self) -> Mapping[str, str]:
        """The versions that code in the manifest's folder gets, as far as the file says."""
        ...


def release(value: object) -> str | None:
    """A version that is one, and neither an address nor a link."""
    text = text_of(value)
    return text if text and _RELEASE.match(text) else None


@dataclass(frozen=True, slots=True)
class PackageLock:
    """`package-lock.json` or `npm-shrinkwrap.json`: the version for each folder `node_modules/<name>`."""

    folder: str
    versions: Mapping[str, str] = field(default_factory=dict[str, str])

    def version_of(self, name: str, specifier: str | None) -> str | None:
        return next((found for place in self._places() if (found := self.versions.get(f"{place}{name}"))), None)

    def top_level(self) -> Mapping[str, str]:
        seen: dict[str, str] = {}
        for place in self._places():
            for path, version in self.versions.items():
                if path.startswith(place) and "node_modules/" not in (name := path[len(place) :]):
                    seen.setdefault(name, version)
        return seen

    def _places(self) -> Iterator[str]:
        """The `node_modules` folders that node looks into, the nearest first."""
        parts = [part for part in self.folder.split("/") if part not in {"", "."}]
        for length in range(len(parts), -1, -1):
            yield "/".join([*parts[:length], "node_modules"]) + "/"


def read_package_lock(files: ManifestFiles, path: Path, folder: str) -> PackageLock | None:
    """The lock for a manifest in `folder`, relative to the lock's own; None if it is no workspace of the lock."""
    document = files.json(path, MAX_LOCK_BYTES)
    if document is None:
        return None
    packages = table_in(document, "packages")
    if folder != "." and folder not in packages:
        return None
    if packages:
        return PackageLock(folder, dict(_current_form(packages)))
    return PackageLock(folder, dict(_first_form(table_in(document, "dependencies"), "node_modules/")))


def _current_form(packages: Table) -> Iterator[tuple[str, str]]:
    for path, value in packages.items():
        if isinstance(value, dict) and (version := release(cast("Table", value).get("version"))):
            yield path, version


def _first_form(dependencies: Table, place: str) -> Iterator[tuple[str, str]]:
    waiting = [(place, dependencies)]
    while waiting:
        place, table = waiting.pop()
        for name, value in table.items():
            if isinstance(value, dict):
                package = cast("Table", value)
                if version := release(package.get("version")):
                    yield f"{place}{name}", version
                waiting.append((f"{place}{name}/node_modules/", table_in(package, "dependencies")))
