"""Folders outside a project that its imports can lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sightline.projects.project import Project

_PACKAGES = ("site-packages", "dist-packages")


def outside_folders(project: Project, libraries: Iterable[Path]) -> list[Path]:
    """Installed packages, what their `.pth` files add, and the configuration's own search paths.

    `libraries` are the interpreter's folders. What the project's own tree holds anyway is left out.
    """
    packages = [folder for library in libraries for folder in _package_folders(library)]
    added = [folder for each in packages for folder in _added_by_pth(each)]
    configured = [path.resolve() for path in project.settings.search_paths if path.is_dir()]
    root = project.root.path
    wanted = [*packages, *(path for path in (*added, *configured) if not _is_in_tree(path, root))]
    return [path for path in dict.fromkeys(wanted) if not root.is_relative_to(path)]


def leads_back(project: Project, libraries: Iterable[Path]) -> bool:
    """Whether the environment leads back into the project, as an editable install of it does."""
    root = project.root.path
    packages = [folder for library in libraries for folder in _package_folders(library)]
    added = [folder for each in packages for folder in _added_by_pth(each)]
    return any(path.is_relative_to(root) or root.is_relative_to(path) for path in added)


def _is_in_tree(path: Path, root: Path) -> bool:
    """Whether the project's own files hold the folder: hidden folders and environments are not entered there."""
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    if any(part.startswith(".") or part in ("node_modules", "__pycache__") for part in parts):
        return False
    return not any((folder / "pyvenv.cfg").exists() for folder in (path, *path.parents) if folder != root)


def _package_folders(library: Path) -> Iterator[Path]:
    if library.name in _PACKAGES:
        yield library
    else:
        yield from (library / name for name in _PACKAGES if (library / name).is_dir())


def _added_by_pth(packages: Path) -> Iterator[Path]:
    """Lines of `.pth` files that name a folder, as editable installs write them."""
    for file in packages.glob("*.pth"):
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            text = line.strip()
            if text and not text.startswith(("#", "import ", "import\t")) and (packages / text).is_dir():
                yield (packages / text).resolve()
