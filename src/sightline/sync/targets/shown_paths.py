"""How steps and warnings name a path: relative to the project, or to the home folder as `~/…`."""

from __future__ import annotations

from pathlib import Path


def shown(path: Path, project: Path, home: Path) -> str:
    if path.is_relative_to(project):
        return path.relative_to(project).as_posix()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else path.as_posix()
