"""The root of the project that a path belongs to.

Nested projects and worktrees are each their own. The search goes up from the path and ends at a repository's
root or at the folder that is served, whichever comes first. On that way a `pyrightconfig.json` wins over the
other markers, because Pyright, started further down, would use it too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PYRIGHT_CONFIG = "pyrightconfig.json"
_PACKAGE_MARKERS = ("pyproject.toml", "setup.cfg", "setup.py")
ENVIRONMENT_MARKERS = (".venv/pyvenv.cfg", "venv/pyvenv.cfg")
"""A folder with an environment of its own is a project of its own: its imports mean other versions."""
_REPOSITORY = ".git"


@dataclass(frozen=True, slots=True)
class ProjectRoot:
    """A project's root and the file that made it one; None if it is only the served folder."""

    path: Path
    marker: str | None


def find_root(path: Path, *, within: Path) -> ProjectRoot:
    """The root of the project that holds `path`, at or below `within`."""
    folders = list(_folders_up(path, within))
    for names in ((PYRIGHT_CONFIG,), (*_PACKAGE_MARKERS, *ENVIRONMENT_MARKERS), (_REPOSITORY,)):
        for folder in folders:
            marker = next((name for name in names if _exists(folder, name)), None)
            if marker:
                return ProjectRoot(folder, marker)
    return ProjectRoot(within, None)


def _folders_up(path: Path, within: Path) -> Iterator[Path]:
    folder = path if path.is_dir() else path.parent
    while folder.is_relative_to(within):
        yield folder
        if _exists(folder, _REPOSITORY) or folder == within:
            return
        folder = folder.parent


def _exists(folder: Path, name: str) -> bool:
    return os.path.exists(os.path.join(folder, name))  # noqa: PTH110, PTH118 - in every call, many times
