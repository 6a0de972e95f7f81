"""Packages made by hand: a Python environment of folders, distributions in it, npm packages beside it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

from sightline.library_docs.installed.api_readers import ApiReaders
from sightline.library_docs.installed.installed_libraries import InstalledLibraries
from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.package_docs import PackageDocs
from sightline.library_docs.installed.python_environment import PythonEnvironment
from sightline.library_docs.installed.python_packages import PythonPackages

README = "# Widget\n\nMakes widgets.\n\n## Routing errors\n\nA router raises `RouteError`.\n" + "Filler text. " * 60


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def site_packages(root: Path) -> Path:
    folder = root / ".venv" / "lib" / "python3.12" / "site-packages"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def environment(
    root: Path, *more: Path, standard_library: Path | None = None, version: str = "3.12.4"
) -> PythonEnvironment:
    return PythonEnvironment(
        root / ".venv", ".venv in the project", version, (site_packages(root).resolve(), *more), standard_library
    )


def make_distribution(
    root: Path,
    name: str,
    version: str,
    files: Mapping[str, str],
    *,
    readme: str = README,
    headers: str = "Description-Content-Type: text/markdown\n",
    record: str | None = None,
) -> Path:
    """A distribution as an installer leaves it; returns its `.dist-info` folder."""
    site = site_packages(root)
    write_files(site, files)
    information = site / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{headers}\n{readme}"
    lines = [f"{each},," for each in files] if record is None else [record]
    write_files(information, {"METADATA": metadata, "RECORD": "\n".join(lines) + "\n"})
    return information


def make_node_package(modules: Path, name: str, version: str, files: Mapping[str, str], **manifest: object) -> Path:
    folder = modules / name
    write_files(folder, {"package.json": json.dumps({"name": name, "version": version, **manifest}), **files})
    return folder


def packages_of(root: Path) -> PythonPackages:
    return PythonPackages(environment(root))


def docs_of(root: Path, python: PythonEnvironment | None = None) -> PackageDocs:
    python = python or environment(root)
    libraries = InstalledLibraries(python, NodePackages(root, root=root))
    return PackageDocs(libraries, ApiReaders(root, time.monotonic, python.standard_library))
