"""Python environments on disk, read without running their interpreter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.projects.git_index import UnreadableIndex, tracked_paths

_VERSION = re.compile(r"3\.\d+")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual or conda environment: its folder, its interpreter, its Python version as far as it is told."""

    prefix: Path
    python: Path
    version: str | None
    base: Path | None

    def fingerprint(self) -> str:
        """Changes when the environment is made anew, or a package comes or goes."""
        places = (
            self.prefix / "pyvenv.cfg",
            *self.prefix.glob("lib/python3.*/site-packages"),
            *self.prefix.glob("Lib/site-packages"),
        )
        return ";".join([str(self.python), *(stamp_of(place) for place in places)])

    @property
    def packages(self) -> tuple[Path, ...]:
        """Folders of installed packages and of the standard library."""
        return tuple(_libraries(self.prefix)) + tuple(_libraries(self.base) if self.base else ())


def read_environment(prefix: Path) -> Environment | None:
    """The environment in a folder; None if there is none that could work."""
    python = next((path for path in _interpreters(prefix) if os.path.exists(path)), None)  # noqa: PTH110 - never raises
    if python is None:
        return None
    config = pyvenv_config(prefix)
    home = config.get("home")
    version = _VERSION.match(config.get("version") or config.get("version_info") or "")
    return Environment(
        prefix,
        python,
        version[0] if version else _version_by_layout(prefix),
        Path(home).parent if home else None,
    )


def came_with_a_repository(prefix: Path) -> bool:
    """Whether git tracks anything of the environment, its link included; a repository must not name what we run."""
    return any(_is_tracked(place) for place in {prefix.absolute(), prefix.resolve()})


def _is_tracked(place: Path) -> bool:
    repository = next((folder for folder in place.parents if (folder / ".git").exists()), None)
    if repository is None:
        return False
    name = os.fsencode(place.relative_to(repository).as_posix()).lower()  # some systems do not tell case apart
    try:
        return any(path == name or path.startswith(name + b"/") for path in map(bytes.lower, tracked_paths(repository)))
    except UnreadableIndex:
        return True


def stamp_of(path: str | Path) -> str:
    """What changes whenever the file or folder itself does."""
    try:
        seen = os.stat(path)  # noqa: PTH116 - in every call, many times
    except OSError:
        return "-"
    return f"{seen.st_mtime_ns}.{seen.st_size}.{seen.st_ino}"


def _interpreters(prefix: Path) -> Iterator[Path]:
    yield prefix / "bin" / "python"
    yield prefix / "bin" / "python3"
    yield prefix / "Scripts" / "python.exe"
    yield prefix / "python.exe"


def pyvenv_config(prefix: Path) -> dict[str, str]:
    """What `pyvenv.cfg` says, by lower-case names; nothing if there is none."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _version_by_layout(prefix: Path) -> str | None:
    found = [match[0] for path in prefix.glob("lib/python3.*") if (match := _VERSION.search(path.name))]
    return max(found, key=lambda version: int(version.partition(".")[2]), default=None)


def _libraries(prefix: Path) -> Iterator[Path]:
    yield from prefix.glob("lib/python3.*")
    yield from prefix.glob("Lib")
