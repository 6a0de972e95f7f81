"""Manifests of languages whose packages are not looked at: where one names a library, "not declared" would be wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.installed.contained_files import FileRefused, read_inside

_LARGEST = 500_000
_MANIFESTS = {
    "Cargo.toml": "Rust",
    "go.mod": "Go",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "pom.xml": "Java",
    "build.gradle": "Java",
    "build.gradle.kts": "Kotlin",
    "mix.exs": "Elixir",
    "pubspec.yaml": "Dart",
    "Package.swift": "Swift",
}


@dataclass(frozen=True, slots=True)
class OtherManifest:
    """A manifest of another language, and whether it names the library."""

    file: str
    language: str
    is_naming: bool


def other_manifests(folder: Path, root: Path, names: Collection[str]) -> list[OtherManifest]:
    """Those in a folder and above it up to the root, the nearest first; names are whole words there."""
    return [OtherManifest(path.name, _MANIFESTS[path.name], _names_any(path, names)) for path in _found(folder, root)]


def _found(folder: Path, root: Path) -> Iterator[Path]:
    while folder.is_relative_to(root):
        yield from (folder / name for name in _MANIFESTS if os.path.isfile(folder / name))  # noqa: PTH113 - never raises
        if folder == root:
            return
        folder = folder.parent


def _names_any(path: Path, names: Collection[str]) -> bool:
    try:
        text = read_inside(path.parent, path.name, limit=_LARGEST).text
    except FileRefused:
        return False
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in names if name)
