"""Real git repositories and real virtual environments for the tests of `projects/`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def git(folder: Path, *arguments: str) -> None:
    """Run git with an identity of its own and no settings of the machine."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    variables = {"PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=variables)


def make_repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init")
    return folder


def commit_all(repository: Path) -> None:
    git(repository, "add", "--all", "--force")
    git(repository, "commit", "--message", "all")


def make_environment(prefix: Path) -> Path:
    """A real virtual environment, without pip because nothing is installed into it."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True, capture_output=True)
    return prefix


def make_environment_by_hand(prefix: Path, *, version: str = "3.12") -> Path:
    """The least that counts as an environment; quicker than a real one where only the choice matters."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python").touch(mode=0o755)
    (prefix / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}.1\n")
    return prefix
