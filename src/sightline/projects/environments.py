"""Python environments on disk, read without running their interpreter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_VERSION = re.compile(r"3\.\d+")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual or conda environment: its folder, its interpreter, its Python version as far as it is told."""

    prefix: Path
    python: Path
    version: str | None
    base: Path | None

    @property
    def packages(self) -> tuple[Path, ...]:
        """Folders of installed packages and of the standard library."""
        return tuple(_libraries(self.prefix)) + tuple(_libraries(self.base) if self.base else ())


def read_environment(prefix: Path) -> Environment | None:
    """The environment in a folder; None if there is none that could work."""
    python = next((path for path in _interpreters(prefix) if path.exists()), None)
    if python is None:
        return None
    config = _pyvenv_config(prefix)
    home = config.get("home")
    version = _VERSION.match(config.get("version") or config.get("version_info") or "")
    return Environment(
        prefix,
        python,
        version[0] if version else _version_by_layout(prefix),
        Path(home).parent if home else None,
    )


def is_tracked_by_git(prefix: Path) -> bool:
    """Whether the environment came with a repository, which must not name what we run.

    Looks for its `pyvenv.cfg` in git's index; asks no git, because a repository's settings can make git run things.
    """
    repository = next((folder for folder in prefix.parents if (folder / ".git").exists()), None)
    if repository is None:
        return False
    try:
        content = _git_index(repository / ".git").read_bytes()
    except OSError:
        return False
    name = os.fsencode((prefix / "pyvenv.cfg").relative_to(repository).as_posix())
    compresses_names = content[4:8] == b"\0\0\0\4"
    return (b"pyvenv.cfg\0" if compresses_names else name + b"\0") in content


def _git_index(git: Path) -> Path:
    """The index of a checkout; in a worktree `.git` is a file that names the folder."""
    if git.is_dir():
        return git / "index"
    return git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip() / "index"


def _interpreters(prefix: Path) -> Iterator[Path]:
    yield prefix / "bin" / "python"
    yield prefix / "bin" / "python3"
    yield prefix / "Scripts" / "python.exe"
    yield prefix / "python.exe"


def _pyvenv_config(prefix: Path) -> dict[str, str]:
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _version_by_layout(prefix: Path) -> str | None:
    names = sorted(path.name.removeprefix("python") for path in prefix.glob("lib/python3.*"))
    return names[-1] if names else None


def _libraries(prefix: Path) -> Iterator[Path]:
    yield from prefix.glob("lib/python3.*")
    yield from prefix.glob("Lib")
