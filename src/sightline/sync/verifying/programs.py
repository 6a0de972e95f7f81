"""Which targets have a command of their own that can be asked, and whether it is there; runs nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from sightline.sync.outputs import TargetPlaces
from sightline.sync.verifying.results import Finding, Verification

CHECKED_TARGETS = ("codex", "gemini", "opencode")
"""Each of them is also the name of its command."""


def program_of(target: str, places: TargetPlaces) -> Path | Verification:
    """The command of a target, on the `PATH` of the places' variables; or the answer, if it cannot be asked."""
    if target not in CHECKED_TARGETS:
        return Verification(target, "unknown", findings=(Finding("", "this version knows no way to ask its CLI"),))
    found = shutil.which(target, path=places.variables.get("PATH", ""))
    if found is None:
        return Verification(target, "not_installed")
    program = Path(found)
    if is_inside(program, places.project):
        finding = Finding("", f"`{target}` lies in the project, and nothing of a project is run")
        return Verification(target, "unknown", findings=(finding,))
    return program


def known_answer(target: str, places: TargetPlaces) -> Verification | None:
    """The answer of a target that cannot be asked; none where its command has to run."""
    program = program_of(target, places)
    return program if isinstance(program, Verification) else None


def is_inside(path: Path, project: Path) -> bool:
    """Whether it lies in the project, by its name or behind its links."""
    folders = {project, project.resolve()}
    return any(each.is_relative_to(folder) for each in (path.absolute(), path.resolve()) for folder in folders)
