"""The installer of language servers, with package clients that only say what they were asked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A repository with nothing but the script, where pip has done its part."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    script = shutil.copy(REPOSITORY / "scripts" / "install_servers.py", tmp_path / "scripts")
    folder = tmp_path / ".servers" / "pip"
    folder.mkdir(parents=True)
    (folder / "installed.txt").write_text("\n".join(pinned(Path(script), "PIP_PACKAGES")) + "\n")
    return tmp_path


def pinned(script: Path, name: str) -> list[str]:
    told = f"import sys; sys.path.insert(0, {str(script.parent)!r}); import install_servers as it; print(*it.{name})"
    return subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.split()


def client(root: Path, name: str, body: str) -> None:
    path = root / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def install(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / "scripts" / "install_servers.py"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(root / "bin")},
    )


def test_clients_that_are_missing_are_named_with_what_they_would_install(copy: Path) -> None:
    ended = install(copy)

    assert ended.returncode == 0
    assert "passed over: golang.org/x/tools/gopls" in ended.stderr
    assert "`npm` is not on the PATH" in ended.stderr


def test_what_is_installed_is_not_installed_again(copy: Path) -> None:
    client(copy, "npm", 'echo "$@" >> calls')
    client(copy, "go", 'echo "$GOBIN $@" >> calls')

    assert [install(copy).returncode for _ in range(2)] == [0, 0]

    calls = (copy / ".servers" / "calls").read_text().splitlines()
    assert len(calls) == 2
    assert "typescript-language-server@" in calls[0]
    assert "--ignore-scripts" in calls[0]
    assert calls[1].startswith(f"{copy / '.servers' / 'go'} install ")


def test_a_client_that_fails_is_an_error_and_is_tried_again(copy: Path) -> None:
    client(copy, "npm", "exit 3")
    assert install(copy).returncode == 1

    client(copy, "npm", "exit 0")
    ended = install(copy)

    assert ended.returncode == 0
    assert "installing typescript-language-server@" in ended.stderr


def test_every_version_is_pinned(copy: Path) -> None:
    script = copy / "scripts" / "install_servers.py"

    names = [each for name in ("NPM_PACKAGES", "PIP_PACKAGES", "GO_PACKAGES") for each in pinned(script, name)]

    assert [each for each in names if "@" not in each and "==" not in each] == []
