"""What is declared nearest to a path: the nearest manifest decides, and the nearest lock file says which version.

Python and npm are searched each for itself, upwards from the path, never above the allowed root. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sightline.library_docs.libraries import Ecosystem
from sightline.library_docs.resolving.declared import Declared, DeclaredPackages
from sightline.library_docs.resolving.manifest_files import ManifestFiles
from sightline.library_docs.resolving.npm_locks import NpmLock, read_package_lock
from sightline.library_docs.resolving.npm_manifests import read_package_json
from sightline.library_docs.resolving.pnpm_lock import read_pnpm_lock
from sightline.library_docs.resolving.python_locks import PYTHON_LOCKS, Versions, read_python_lock
from sightline.library_docs.resolving.python_manifests import (
    read_environment_yml,
    read_pipfile,
    read_pyproject,
    read_setup_cfg,
)
from sightline.library_docs.resolving.requirements_files import read_requirements_files, requirements_files_in
from sightline.library_docs.resolving.yarn_lock import read_yarn_lock

_PYTHON_READERS: Mapping[str, Callable[[ManifestFiles, Path], list[Declared] | None]] = {
    "pyproject.toml": read_pyproject,
    "setup.cfg": read_setup_cfg,
    "Pipfile": read_pipfile,
    "environment.yml": read_environment_yml,
    "environment.yaml": read_environment_yml,
}
_NPM_LOCK_READERS: Mapping[str, Callable[[ManifestFiles, Path, str], NpmLock | None]] = {
    "npm-shrinkwrap.json": read_package_lock,
    "package-lock.json": read_package_lock,
    "pnpm-lock.yaml": read_pnpm_lock,
    "yarn.lock": read_yarn_lock,
}


def declared_near(path: Path, root: Path) -> DeclaredPackages:
    """What is declared for a file or folder inside `root`; blocks while it reads."""
    files = ManifestFiles(root)
    folders = list(_upwards(path, files.root))
    python = _python_packages(files, folders)
    npm = _npm_packages(files, folders)
    kinds: list[Ecosystem] = []
    if python is not None:
        kinds.append("pypi")
    if npm is not None:
        kinds.append("npm")
    return DeclaredPackages(
        packages=(*(python or ()), *(npm or ())),
        warnings=tuple(files.warnings),
        files=tuple(dict.fromkeys(files.read)),
        kinds=tuple(kinds),
    )


def _upwards(path: Path, root: Path) -> Iterator[Path]:
    folder = path.resolve()
    if not folder.is_dir():
        folder = folder.parent
    while folder.is_relative_to(root):
        yield folder
        if folder == root:
            return
        folder = folder.parent


def _python_packages(files: ManifestFiles, folders: list[Path]) -> list[Declared] | None:
    for position, folder in enumerate(folders):
        declared = _python_manifests(files, folder)
        if declared is not None or any((folder / name).is_file() for name in PYTHON_LOCKS):
            return _with_python_versions(files, declared or [], folders[position:])
    return None


def _python_manifests(files: ManifestFiles, folder: Path) -> list[Declared] | None:
    found = [read(files, folder / name) for name, read in _PYTHON_READERS.items()]
    if paths := requirements_files_in(folder):
        found.append(read_requirements_files(files, paths))
    found = [declared for declared in found if declared is not None]
    return [package for declared in found for package in declared] if found else None


def _with_python_versions(files: ManifestFiles, declared: list[Declared], folders: list[Path]) -> list[Declared]:
    lock = _nearest_python_lock(files, folders)
    if lock is None:
        return declared
    path, versions = lock
    direct = [replace(found, locked_version=versions.get(found.name) or found.locked_version) for found in declared]
    names = {found.name for found in declared}
    rest = (name for name in sorted(versions) if name not in names)
    shown = files.shown(path)
    return [*direct, *(Declared("pypi", name, None, versions[name], shown, is_direct=False) for name in rest)]


def _nearest_python_lock(files: ManifestFiles, folders: list[Path]) -> tuple[Path, Versions] | None:
    for folder in folders:
        for name in PYTHON_LOCKS:
            member = folders[0].relative_to(folder).as_posix()
            if (versions := read_python_lock(files, folder / name, member)) is not None:
                return folder / name, versions
    return None


def _npm_packages(files: ManifestFiles, folders: list[Path]) -> list[Declared] | None:
    for position, folder in enumerate(folders):
        declared = read_package_json(files, folder / "package.json")
        if declared is not None:
            return _with_npm_versions(files, declared, folders[position:])
    return None


def _with_npm_versions(files: ManifestFiles, declared: list[Declared], folders: list[Path]) -> list[Declared]:
    lock = _nearest_npm_lock(files, folders)
    if lock is None:
        return declared
    path, versions = lock
    direct = [replace(found, locked_version=_npm_version(versions, found)) for found in declared]
    names = {found.known_as or found.name for found in declared}
    rest = sorted((name, version) for name, version in versions.top_level().items() if name not in names)
    shown = files.shown(path)
    return [*direct, *(Declared("npm", name, None, version, shown, is_direct=False) for name, version in rest)]


def _npm_version(lock: NpmLock, declared: Declared) -> str | None:
    """Lock files list an alias under the name that the manifest gave it."""
    if declared.known_as:
        request = f"{declared.name}@{declared.specifier}" if declared.specifier else declared.name
        return lock.version_of(declared.known_as, request)
    return lock.version_of(declared.name, declared.specifier)


def _nearest_npm_lock(files: ManifestFiles, folders: list[Path]) -> tuple[Path, NpmLock] | None:
    for folder in folders:
        for name, read in _NPM_LOCK_READERS.items():
            inner = folders[0].relative_to(folder).as_posix()
            if (lock := read(files, folder / name, inner)) is not None:
                return folder / name, lock
    return None
