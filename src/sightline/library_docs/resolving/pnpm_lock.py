"""Which version `pnpm-lock.yaml` fixed for the direct dependencies of a folder.

No YAML library: a scanner for the block mappings of the few keys that matter, in the form that pnpm writes (lock
file versions 5 to 9). Anything else in the file is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.resolving.manifest_files import MAX_LOCK_BYTES, ManifestFiles

_TABLES = frozenset({"dependencies", "devDependencies", "optionalDependencies"})
_LINE = re.compile(
    r"""(?P<indent> *)(?P<key>'[^']*'|"[^"]*"|[^\s'"#][^:]*?(?::[^:\s][^:]*?)*):(?:\s+(?P<value>.*?))?\s*\Z"""
)
# `18.2.0(peer@1.0.0)`, `18.2.0_peer@1.0.0`; for an alias `thing@1.0.0`, `/thing@1.0.0` or `/thing/1.0.0`.
_VERSION = re.compile(r"(?:(?!\d+\.)/?(?:@[^/@]+/)?[^/@(]+[@/])?(?P<version>\d+\.\d+\.\d+[^\s(_]*)")


@dataclass(frozen=True, slots=True)
class PnpmLock:
    """The versions of one importer's direct dependencies."""

    versions: Mapping[str, str]

    def version_of(self, name: str, specifier: str | None) -> str | None:
        return self.versions.get(name)

    def top_level(self) -> Mapping[str, str]:
        return self.versions


def read_pnpm_lock(files: ManifestFiles, path: Path, folder: str) -> PnpmLock | None:
    """The lock for a manifest in `folder`, relative to the lock's own; None if it is no workspace of the lock."""
    text = files.text(path, MAX_LOCK_BYTES)
    if text is None:
        return None
    if "lockfileVersion:" not in text[:2000]:
        files.warn(path, 1, "is not a lock file of pnpm")
        return None
    versions = dict(_versions(text, folder))
    return PnpmLock(versions) if versions or folder == "." else None


def _versions(text: str, importer: str) -> Iterator[tuple[str, str]]:
    for keys, value in _scalars(text):
        names = _below_importer(keys, importer)
        if len(names) in {2, 3} and names[0] in _TABLES and names[2:] in {(), ("version",)}:
            match = _VERSION.match(value)
            if match and not value.startswith(("link:", "file:", "http")):
                yield names[1], match["version"]


def _below_importer(keys: tuple[str, ...], importer: str) -> tuple[str, ...]:
    """The keys inside the importer's part; a file for one folder has no importers."""
    if keys[:1] == ("importers",):
        return keys[2:] if keys[1:2] == (importer,) else ()
    return keys if importer == "." else ()


def _scalars(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every plain value with the keys above it, up to the packages themselves."""
    open_keys: list[tuple[int, str]] = []
    for line in text.split("\n"):
        if line.startswith(("packages:", "snapshots:")):
            return
        match = _LINE.match(line)
        if not match or line.lstrip().startswith("#"):
            continue
        indent = len(match["indent"])
        while open_keys and open_keys[-1][0] >= indent:
            open_keys.pop()
        key = match["key"].strip("'\"")
        if match["value"]:
            yield (*(name for _, name in open_keys), key), match["value"].strip("'\"")
        else:
            open_keys.append((indent, key))
