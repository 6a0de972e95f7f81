"""Which Python interpreter a project uses, and why.

The first that is found counts: Pyright's own configuration, `.venv`, `venv`, `VIRTUAL_ENV`, uv, Poetry, PDM,
conda; else whatever `python` is on the PATH, which Pyright looks up itself. An environment that is checked in
with the repository is passed over, because Pyright runs the interpreter it is given.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from sightline.frozen import frozen
from sightline.projects.environments import Environment, came_with_a_repository, read_environment
from sightline.projects.pyright_settings import PyrightSettings, read_toml, table_at
from sightline.surroundings import Surroundings

ON_PATH = "python on PATH"
NOWHERE = "no python found"


@frozen
class Interpreter:
    """The interpreter in use (None: Pyright's own choice), why, and its environment if it has one."""

    path: Path | None
    reason: str
    environment: Environment | None = None
    passed_over: tuple[str, ...] = ()

    @property
    def version(self) -> str | None:
        return self.environment.version if self.environment else None


Candidate = tuple[Path, str]
Finder = Callable[[Path, Surroundings], Iterator[Candidate]]


def find_interpreter(root: Path, settings: PyrightSettings, around: Surroundings) -> Interpreter:
    """The interpreter for the project at `root`."""
    if settings.venv:
        return Interpreter(None, f"`venv` in {settings.file}", _configured_environment(root, settings))
    path = around.variables.get("PATH", "")
    passed_over: list[str] = []
    for finder in _FINDERS:
        for prefix, reason in finder(root, around):
            environment = read_environment(prefix)
            if environment is None:
                continue
            if came_with_a_repository(prefix):
                passed_over.append(f"{reason}: checked in with the repository, so it is not run")
                continue
            return Interpreter(environment.python, reason, environment, tuple(passed_over))
    on_path = shutil.which("python3", path=path) or shutil.which("python", path=path)
    return Interpreter(None, ON_PATH if on_path else NOWHERE, None, tuple(passed_over))


def _configured_environment(root: Path, settings: PyrightSettings) -> Environment | None:
    try:
        return read_environment((root / (settings.venv_path or ".") / (settings.venv or "")).resolve())
    except (OSError, RuntimeError, ValueError):  # a loop, or no path at all
        return None


def _in_project(root: Path, _around: Surroundings) -> Iterator[Candidate]:
    yield root / ".venv", ".venv in the project"
    yield root / "venv", "venv in the project"


def _activated(_root: Path, around: Surroundings) -> Iterator[Candidate]:
    if folder := around.variables.get("VIRTUAL_ENV"):
        yield Path(folder), "VIRTUAL_ENV"


def _uv(root: Path, around: Surroundings) -> Iterator[Candidate]:
    workspace = _uv_workspace(root)
    if folder := around.variables.get("UV_PROJECT_ENVIRONMENT"):
        yield (workspace or root) / folder, "UV_PROJECT_ENVIRONMENT"
    if workspace is not None:
        yield workspace / ".venv", ".venv of the uv workspace"


def _uv_workspace(root: Path) -> Path | None:
    for folder in root.parents:
        if table_at(read_toml(folder / "pyproject.toml"), "tool", "uv", "workspace"):
            return folder
        if (folder / ".git").exists():
            return None
    return None


def _poetry(root: Path, around: Surroundings) -> Iterator[Candidate]:
    """Poetry keeps environments in its cache, named after the project and a hash of its folder."""
    manifest = read_toml(root / "pyproject.toml")
    if not table_at(manifest, "tool", "poetry") and not (root / "poetry.lock").exists():
        return
    name = table_at(manifest, "tool", "poetry").get("name") or table_at(manifest, "project").get("name")
    if not isinstance(name, str):
        return
    digest = hashlib.sha256(os.path.normcase(os.fsencode(root.resolve()))).digest()
    stem = f"{_poetry_name(name)}-{base64.urlsafe_b64encode(digest).decode()[:8]}"
    for folder in sorted(_poetry_cache(around).glob(f"{stem}-py*"), key=_minor_version, reverse=True):
        yield folder, "Poetry's environment of this project"


def _poetry_name(name: str) -> str:
    return re.sub(r'[ $`!*@"\\\r\n\t]', "_", re.sub(r"[-_.]+", "-", name.lower()))[:42]


def _minor_version(folder: Path) -> int:
    minor = folder.name.rpartition("-py3.")[2]
    return int(minor) if minor.isdecimal() else 0


def _poetry_cache(around: Surroundings) -> Path:
    variables = around.variables
    if folder := variables.get("POETRY_VIRTUALENVS_PATH"):
        return Path(folder)
    cache = (
        variables.get("POETRY_CACHE_DIR")
        or Path(variables.get("XDG_CACHE_HOME") or around.home / ".cache") / "pypoetry"
    )
    return Path(cache) / "virtualenvs"


def _pdm(root: Path, _around: Surroundings) -> Iterator[Candidate]:
    """PDM writes the interpreter's path into `.pdm-python`; only one in a real environment counts."""
    try:
        python = Path((root / ".pdm-python").read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        return
    prefix = python.parent.parent
    if python.is_absolute() and (prefix / "pyvenv.cfg").exists():
        yield prefix, ".pdm-python"


def _conda(_root: Path, around: Surroundings) -> Iterator[Candidate]:
    if folder := around.variables.get("CONDA_PREFIX"):
        yield Path(folder), "CONDA_PREFIX"


_FINDERS: tuple[Finder, ...] = (_in_project, _activated, _uv, _poetry, _pdm, _conda)
