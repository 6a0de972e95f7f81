"""Where the packages and the standard library of a project's Python lie, told by the file system.

Which environment it is, is decided in `projects`. An interpreter from the PATH counts, as it does for type checks, and
the reason says so; but Sightline's own environment is never taken for the project's because of a PATH. What is only a
script there, as the shims of pyenv are, is asked which interpreter it stands for in the project, as type checks do.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.projects.environments import came_with_a_repository, pyvenv_config, read_environment
from sightline.projects.interpreters import ON_PATH, Interpreter

_PATCHLEVEL = re.compile(r'#define\s+PY_VERSION\s+"(\d+\.\d+\.[^"\s+]+)')
_FULL_VERSION = re.compile(r"(\d+\.\d+\.\d+\w*)")
_MARKS_OF_TOOLS = ("uv-receipt.toml", "pipx_metadata.json")


Ask = Callable[[Path], Sequence[Path]]
"""The folders that a program named `python` tells when it is run; none if it does not."""


@dataclass(frozen=True, slots=True)
class PythonEnvironment:
    """The folders of an environment; `version` is as exact as the files tell, `reason` says why this one.

    `is_own` if it is Sightline's environment too, which is so where Sightline is installed in the project's.
    """

    prefix: Path
    reason: str
    version: str | None
    site_packages: tuple[Path, ...]
    standard_library: Path | None
    follows_links_out: bool = True
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class NoEnvironment:
    """The project has no environment that can be read, with the reason and what was passed over."""

    reason: str
    passed_over: tuple[str, ...] = ()

    def failure(self) -> ToolFailure:
        notes = "".join(f"; passed over: {note}" for note in self.passed_over)
        return ToolFailure(
            ErrorKind.LIBRARY_NOT_FOUND,
            f"no Python environment found for the project: {self.reason}{notes}",
            NextStep("command", "make `.venv` in the project and install its dependencies into it"),
            NextStep("config", "or start Sightline with VIRTUAL_ENV set to the project's environment"),
        )


def read_python_environment(
    interpreter: Interpreter, variables: Mapping[str, str], *, own_prefix: Path, ask: Ask | None = None
) -> PythonEnvironment | NoEnvironment:
    """The environment behind the interpreter that `projects` found; `own_prefix` is Sightline's `sys.prefix`."""
    if environment := interpreter.environment:
        is_own = _is_same(environment.prefix, own_prefix)
        if is_own and interpreter.reason in ("VIRTUAL_ENV", "CONDA_PREFIX") and _is_tool(environment.prefix):
            return NoEnvironment(f"{interpreter.reason} is the environment Sightline itself runs in")
        return _read(environment.prefix, interpreter.reason, environment.version, is_own=is_own)
    if interpreter.reason != ON_PATH:
        return NoEnvironment(interpreter.reason, interpreter.passed_over)
    return _on_path(interpreter, variables, own_prefix, ask)


def _on_path(
    interpreter: Interpreter, variables: Mapping[str, str], own_prefix: Path, ask: Ask | None
) -> PythonEnvironment | NoEnvironment:
    path = variables.get("PATH", "")
    python = shutil.which("python3", path=path) or shutil.which("python", path=path)
    prefix = _prefix_of(Path(python), ask) if python else None
    if prefix is None:
        reason = "none in the project, and the python on PATH does not tell where its packages are"
        return NoEnvironment(reason, interpreter.passed_over)
    if _is_same(prefix, own_prefix):
        reason = "none in the project, and the python on PATH is the one Sightline itself runs in"
        return NoEnvironment(reason, interpreter.passed_over)
    return _read(prefix, f"{ON_PATH}, because the project has no environment of its own", None)


def _prefix_of(python: Path, ask: Ask | None) -> Path | None:
    """The folder of an interpreter: beside the link for an environment, where the link leads for a plain one."""
    if not python.is_absolute():
        return None
    real = Path(os.path.realpath(python))
    for place in (python, real) if _is_interpreter(real) else ():
        prefix = place.parent if place.suffix == ".exe" and place.parent.name != "Scripts" else place.parent.parent
        if (prefix / "pyvenv.cfg").is_file() or _standard_library(prefix, None):
            return prefix
    return _prefix_among(ask(python)) if ask else None


def _is_interpreter(program: Path) -> bool:
    """Whether a program is an interpreter itself, and not what starts one: a script, or a version manager."""
    if not program.name.lower().startswith(("python", "pypy")):
        return False
    try:
        with program.open("rb") as file:
            return file.read(2) != b"#!"
    except OSError:
        return False


def _prefix_among(folders: Sequence[Path]) -> Path | None:
    """The installation or environment among the folders that an interpreter told."""
    told = [folder for folder in folders if (folder / "pyvenv.cfg").is_file() or _standard_library(folder, None)]
    libraries = [folder for folder in folders if (folder / "os.py").is_file()]
    if told or not libraries:
        return told[0] if told else None
    return libraries[0].parent if libraries[0].name == "Lib" else libraries[0].parent.parent


def _read(prefix: Path, reason: str, version: str | None, *, is_own: bool = False) -> PythonEnvironment:
    config = pyvenv_config(prefix)
    base = _base_of(prefix, config)
    if version is None and (found := read_environment(prefix)):
        version = found.version
    folders = list(_site_packages(prefix, version))
    if base != prefix and config.get("include-system-site-packages", "").lower() == "true":
        folders.extend(_site_packages(base, version))
        folders.extend(_debian_packages(base, version))
    elif base == prefix:
        folders.extend(_debian_packages(base, version))
    library = _standard_library(base, version)
    return PythonEnvironment(
        prefix=prefix,
        reason=reason,
        version=_exact_version(base, library, config) or version,
        site_packages=tuple(_existing(folders)),
        standard_library=library,
        follows_links_out=not came_with_a_repository(prefix),
        is_own=is_own,
    )


def _base_of(prefix: Path, config: Mapping[str, str]) -> Path:
    """The installation that an environment stands on; a Windows `home` is the folder of the interpreter itself."""
    home = config.get("home")
    if not home:
        return prefix
    folder = Path(home)
    return folder if (folder / "Lib").is_dir() and folder.name != "bin" else folder.parent


def _site_packages(prefix: Path, version: str | None) -> Iterator[Path]:
    for library in ("lib", "lib64"):
        yield from _versioned(prefix / library, version, "site-packages")
    yield prefix / "Lib" / "site-packages"


def _debian_packages(base: Path, version: str | None) -> Iterator[Path]:
    yield from _versioned(base / "local" / "lib", version, "dist-packages")
    yield base / "lib" / "python3" / "dist-packages"


def _versioned(folder: Path, version: str | None, name: str) -> Iterator[Path]:
    if version:
        yield folder / f"python{'.'.join(version.split('.')[:2])}" / name
        return
    yield from sorted(folder.glob(f"python3.*/{name}"))


def _standard_library(base: Path, version: str | None) -> Path | None:
    wanted = f"python{'.'.join(version.split('.')[:2])}" if version else "python3.*"
    places = [*sorted((base / "lib").glob(wanted)), *sorted((base / "lib64").glob(wanted)), base / "Lib"]
    return next((place for place in places if (place / "os.py").is_file()), None)


def _exact_version(base: Path, library: Path | None, config: Mapping[str, str]) -> str | None:
    """By the header that comes with the interpreter; an environment's own note may be older than its interpreter."""
    headers = [base / "include" / library.name / "patchlevel.h"] if library else []
    for header in (*headers, base / "include" / "patchlevel.h"):
        try:
            found = _PATCHLEVEL.search(header.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue
        if found:
            return found[1]
    noted = _FULL_VERSION.match(config.get("version") or config.get("version_info") or "")
    return noted[1] if noted else None


def _existing(folders: Iterable[Path]) -> Iterator[Path]:
    seen: set[str] = set()
    for folder in folders:
        real = os.path.realpath(folder)
        if real not in seen and os.path.isdir(real):  # noqa: PTH112 - `Path.is_dir` raises for some names
            seen.add(real)
            yield Path(real)


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _is_tool(prefix: Path) -> bool:
    """Whether an environment was made for a tool: by `uv tool`, `uvx` or pipx."""
    in_cache = any(part.startswith(("archive-v", "environments-v", "builds-v")) for part in prefix.resolve().parts)
    return in_cache or any((prefix / mark).exists() for mark in _MARKS_OF_TOOLS)
