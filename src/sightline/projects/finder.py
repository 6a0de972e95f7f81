"""Finding projects again and again, at the cost of a few looks at the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.projects.environments import stamp_of
from sightline.projects.project import Project, read_project
from sightline.projects.roots import ProjectRoot, find_root
from sightline.surroundings import Surroundings

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
        self._known: dict[Path, _Known] = {}

    def find(self, path: Path, *, within: Path) -> Project:
        """The project that holds `path`, as it is on disk now."""
        root = find_root(path, within=within)
        known = self._known.pop(root.path, None)
        if known is None or not known.is_current(root):
            project = read_project(root, self._around)
            known = _Known(project, root, _places(project), [])
            known.stamps = known.stamps_now()
        self._known[root.path] = known
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return known.project


@dataclass(slots=True)
class _Known:
    project: Project
    root: ProjectRoot
    places: Sequence[str]
    stamps: list[str]

    def is_current(self, root: ProjectRoot) -> bool:
        return root == self.root and self.stamps == self.stamps_now()

    def stamps_now(self) -> list[str]:
        return [stamp_of(place) for place in self.places]


def _places(project: Project) -> list[str]:
    """The files that decide, as text: they are looked at in every call."""
    root = project.root.path
    return [*(str(root / name) for name in _DECIDING), *map(str, project.settings.files)]
