"""Which version `yarn.lock` fixed for a version request; both the first form and the one of Yarn 2 and later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.resolving.manifest_files import MAX_LOCK_BYTES, ManifestFiles
from sightline.library_docs.resolving.npm_locks import release

_VERSION = re.compile(r"""\s+version:?\s+"?(?P<version>[^"\s]+)"?\s*\Z""")
_DESCRIPTOR = re.compile(r"(?P<name>(?:@[^/@]+/)?[^@/]+)@(?P<range>.+)\Z")


@dataclass(frozen=True, slots=True)
class YarnLock:
    """The version for each pair of a name and a version request."""

    versions: Mapping[tuple[str, str], str]

    def version_of(self, name: str, specifier: str | None) -> str | None:
        if specifier and (exact := self.versions.get((name, specifier.removeprefix("npm:")))):
            return exact
        found = {version for (known, _), version in self.versions.items() if known == name}
        return found.pop() if len(found) == 1 else None

    def top_level(self) -> Mapping[str, str]:
        """Packages that are locked at one version only; of the others the file does not say which one is on top."""
        found: dict[str, set[str]] = {}
        for (name, _), version in self.versions.items():
            found.setdefault(name, set()).add(version)
        return {name: versions.pop() for name, versions in found.items() if len(versions) == 1}


def read_yarn_lock(files: ManifestFiles, path: Path, folder: str) -> YarnLock | None:
    """The lock; it holds for every folder of the workspace."""
    text = files.text(path, MAX_LOCK_BYTES)
    if text is None:
        return None
    return YarnLock(dict(_versions(files, path, text)))


def _versions(files: ManifestFiles, path: Path, text: str) -> Iterator[tuple[tuple[str, str], str]]:
    descriptors: list[tuple[str, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            if not line.endswith(":"):
                files.warn(path, number, "a line is no entry of a lock file")
            descriptors = list(_descriptors(line.rstrip(":")))
        elif descriptors and (match := _VERSION.match(line)):
            if version := release(match["version"]):
                yield from ((descriptor, version) for descriptor in descriptors)
            descriptors = []


def _descriptors(line: str) -> Iterator[tuple[str, str]]:
    for part in line.replace('"', "").split(", "):
        match = _DESCRIPTOR.match(part.strip())
        if match and not match["range"].startswith(("workspace:", "link:", "portal:", "file:", "patch:")):
            yield match["name"], match["range"].removeprefix("npm:")
