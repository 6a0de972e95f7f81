"""What the code tools share: the engines, and how a project is found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sightline.code.pyright_command import PyrightCommand
from sightline.projects import Project, find_project
from sightline.projects.interpreters import Surroundings
from sightline.tool import Call


@dataclass(frozen=True, slots=True)
class CodeService:
    """The code toolset's service; one per application, shared by all calls."""

    pyright_command: PyrightCommand
    surroundings: Surroundings

    def project_of(self, path: Path, call: Call) -> Project:
        """The project that holds a path, never reaching above the allowed root it lies in."""
        roots = [root for root in (call.root, *call.paths.allowed_roots) if path.is_relative_to(root)]
        return find_project(path, within=roots[0], around=self.surroundings)
