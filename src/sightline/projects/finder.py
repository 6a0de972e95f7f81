"""Finding projects again and again, at the cost of a few looks at the disk."""

from __future__ import annotations

from pathlib import Path

from sightline.projects.environments import stamp_of
from sightline.projects.interpreters import Surroundings
from sightline.projects.project import Project, read_project
from sightline.projects.roots import ProjectRoot, find_root

_MOST = 64
_DECIDING = (
    "pyrightconfig.json",
    "pyproject.toml",
    "poetry.lock",
    ".pdm-python",
    ".git",
    ".git/index",
    ".venv",
    ".venv/pyvenv.cfg",
    ".venv/bin/python",
    "venv",
    "venv/pyvenv.cfg",
    "venv/bin/python",
)


class ProjectFinder:
    """Projects by root, read anew only when one of the files that decide about them changed."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._known: dict[Path, tuple[str, Project]] = {}

    def find(self, path: Path, *, within: Path) -> Project:
        """The project that holds `path`, as it is on disk now."""
        root = find_root(path, within=within)
        stamp = _stamp(root)
        known = self._known.pop(root.path, None)
        project = known[1] if known and known[0] == stamp else read_project(root, self._around)
        self._known[root.path] = (stamp, project)
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return project


def _stamp(root: ProjectRoot) -> str:
    return "|".join([root.marker or "", *(stamp_of(root.path / name) for name in _DECIDING)])
