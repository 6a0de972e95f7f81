"""The npm packages that a folder of a project sees: `node_modules` from that folder upward, the nearest first.

Links are followed to a package's folder (pnpm, workspaces), but only into the served root or into a `node_modules`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.library_docs.installed.contained_files import FileRefused, read_inside, stamp_of
from sightline.library_docs.installed.package_addresses import is_package_name
from sightline.library_docs.installed.packages import InstalledPackage
from sightline.library_docs.libraries import Ecosystem, LibraryId

_MODULES = "node_modules"
_PNP_FILES = (".pnp.cjs", ".pnp.js", ".pnp.loader.mjs")
_MOST_MANIFEST = 2_000_000


class NodePackages:
    """The packages seen from `folder`; nothing above `root` is looked at."""

    ecosystem: Ecosystem = "npm"

    def __init__(self, folder: Path, *, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._folder = Path(os.path.realpath(folder))

    def names(self) -> tuple[str, ...]:
        """All packages that can be seen, nested ones of other packages left out."""
        names = {name for modules in self._modules() for name in _names_in(modules)}
        return tuple(sorted(name for name in names if not self.is_link_out(name)))

    def version_of(self, name: str) -> str | None:
        found = self._located(name)
        return _text(found[1], "version") if found else None

    def providers_of(self, import_name: str) -> tuple[str, ...]:
        """The package behind an import such as `@scope/x/sub`, and the types that are installed for it."""
        parts = import_name.split("/")
        name = "/".join(parts[: 2 if import_name.startswith("@") else 1])
        return tuple(each for each in (name, types_package_of(name)) if self._located(each))

    def holds(self, name: str, import_name: str, *, as_folder: bool = False) -> bool:
        """A package has whatever is imported by its name."""
        return not as_folder and name in self.providers_of(import_name)

    def is_link_out(self, name: str) -> bool:
        """Whether a package of that name is there as a link to where nothing may be read."""
        if not is_package_name("npm", name):
            return False
        places = [modules / name for modules in self._modules() if (modules / name).is_symlink()]
        return any(place.is_dir() and not self._may_be_read(Path(os.path.realpath(place))) for place in places)

    def find(self, name: str) -> InstalledPackage | None:
        """The nearest package of that name."""
        located = self._located(name)
        if located is None:
            return None
        folder, manifest = located
        named, version = _text(manifest, "name"), _text(manifest, "version")
        return InstalledPackage(
            library=LibraryId("npm", name),
            version=version,
            name=named or name,
            folder=folder,
            summary=_text(manifest, "description")[:2_000],
            license=_text(manifest, "license")[:200],
            urls=tuple(_urls(manifest)),
            import_names=(name,),
            fingerprint=_fingerprint(folder) if _is_published(folder) else None,
            is_editable=not _is_published(folder),
            warnings=tuple(_oddities(name, named, folder)),
        )

    def require_readable(self) -> None:
        """Raises `ToolFailure` where packages exist only in Yarn's archives."""
        for folder in self._folders():
            if (folder / _MODULES).is_dir():
                return
            pnp = next((name for name in _PNP_FILES if (folder / name).exists()), None)
            if pnp:
                raise ToolFailure(
                    ErrorKind.UNSUPPORTED,
                    f"`{pnp}`: packages of Yarn Plug'n'Play lie in archives, which are not read",
                    NextStep("config", "set `nodeLinker: node-modules` in `.yarnrc.yml`, and install again"),
                )

    def _folders(self) -> Iterator[Path]:
        folder = self._folder if self._folder.is_dir() else self._folder.parent
        while folder.is_relative_to(self._root):
            yield folder
            if folder == self._root:
                return
            folder = folder.parent

    def _modules(self) -> Iterator[Path]:
        for folder in self._folders():
            if folder.name != _MODULES and (folder / _MODULES).is_dir():
                yield folder / _MODULES

    def _located(self, name: str) -> tuple[Path, Mapping[str, object]] | None:
        if not is_package_name("npm", name):
            return None
        for modules in self._modules():
            folder = Path(os.path.realpath(modules / name))
            if not self._may_be_read(folder):
                continue
            manifest = read_manifest(folder)
            if manifest and _text(manifest, "version"):
                return folder, manifest
        return None

    def _may_be_read(self, folder: Path) -> bool:
        """Whether a package's real folder is in the project, or in some package manager's store."""
        return folder.is_relative_to(self._root) or _MODULES in folder.parent.parts


def read_manifest(folder: Path) -> Mapping[str, object] | None:
    """The package's `package.json`; None if there is none that can be read."""
    try:
        content: object = json.loads(read_inside(folder, "package.json", limit=_MOST_MANIFEST).text)
    except (FileRefused, ValueError, RecursionError):
        return None
    return cast("Mapping[str, object]", content) if isinstance(content, dict) else None


def types_package_of(name: str) -> str:
    """Where the types of a package without its own are published."""
    return "@types/" + (name[1:].replace("/", "__") if name.startswith("@") else name)


def _names_in(modules: Path) -> Iterator[str]:
    for entry in _visible(modules):
        if entry.startswith("@"):
            yield from (f"{entry}/{inner}" for inner in _visible(modules / entry))
        elif is_package_name("npm", entry):
            yield entry


def _visible(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208 - names only
    except OSError:
        return []


def _text(manifest: Mapping[str, object], key: str) -> str:
    value = manifest.get(key)
    return value.strip() if isinstance(value, str) else ""


def _urls(manifest: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    if home := _text(manifest, "homepage"):
        yield "Homepage", home
    repository = manifest.get("repository")
    url = cast("Mapping[str, object]", repository).get("url") if isinstance(repository, dict) else repository
    if isinstance(url, str) and url:
        yield "Repository", url.removeprefix("git+")[:2_000]


def _is_published(folder: Path) -> bool:
    return _MODULES in folder.parts


def _fingerprint(folder: Path) -> str:
    """Changes with the installation, and with what somebody edits of it at its top."""
    places = [folder, folder / "docs", *(folder / name for name in ("package.json", "README.md", "CHANGELOG.md"))]
    return ";".join([str(folder), *map(stamp_of, places)])


def _oddities(name: str, named: str, folder: Path) -> Iterator[str]:
    if named and named != name:
        yield f"installed as `{name}`, but the package calls itself `{named}`"
    if not _is_published(folder):
        yield "linked from a workspace: documents and API are those of its folder now"
