"""One project, with everything a capability needs to know about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sightline.projects.interpreters import Interpreter, Surroundings, find_interpreter
from sightline.projects.pyright_settings import PyrightSettings, read_pyright_settings
from sightline.projects.python_versions import PythonVersion, choose_python_version
from sightline.projects.roots import ProjectRoot, find_root


@dataclass(frozen=True, slots=True)
class Project:
    """A root with its environment, as they are on disk now."""

    root: ProjectRoot
    settings: PyrightSettings
    interpreter: Interpreter

    def python_version(self, asked: str | None = None) -> PythonVersion:
        return choose_python_version(asked, self.settings, self.interpreter, self.root.path)


def read_project(root: ProjectRoot, around: Surroundings) -> Project:
    """The project at a root, as its files tell now."""
    settings = read_pyright_settings(root.path)
    return Project(root, settings, find_interpreter(root.path, settings, around))


def find_project(path: Path, *, within: Path, around: Surroundings) -> Project:
    """The project that holds `path`."""
    return read_project(find_root(path, within=within), around)
