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
        known = self._known.pop(root.path, None)
        is_current = known is not None and known[0] == _stamp(root, known[1])
        project = known[1] if known and is_current else read_project(root, self._around)
        self._known[root.path] = (_stamp(root, project), project)
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return project


def _stamp(root: ProjectRoot, project: Project) -> str:
    places = (*(root.path / name for name in _DECIDING), *project.settings.files)
    return "|".join([root.marker or "", *map(stamp_of, places)])
