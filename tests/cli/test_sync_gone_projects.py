"""A project that was moved or deleted leaves something in the person's own files: it is told, and it can be removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine

NO_CLIS = "/usr/bin:/bin"


@pytest.fixture
def moved(tmp_path: Path) -> tuple[CommandLine, Path]:
    """A person with a deny rule of a project in the user's policies of Gemini CLI; the project was moved since."""
    home, old, new = (tmp_path.resolve() / name for name in ("home", "old place", "new"))
    home.mkdir()
    (old / ".claude").mkdir(parents=True)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(json.dumps({"permissions": {"deny": ["Bash(curl *)"]}}))
    (old / ".claude/settings.json").write_text(json.dumps({"permissions": {"deny": ["Bash(rm *)"]}}))
    assert CommandLine(home, old).run("sync", "--yes", "--scope", "all", PATH=NO_CLIS).code == 0
    old.rename(new)
    return CommandLine(home, new), old


def policies(line: CommandLine) -> str:
    return "".join(path.read_text() for path in (line.home / ".gemini/policies").glob("*.toml"))


def test_what_it_left_is_told_with_the_way_to_remove_it(moved: tuple[CommandLine, Path]) -> None:
    line, old = moved

    said = line.run("sync", "status", PATH=NO_CLIS).out

    assert f"`{old}` is not there any more" in said
    assert f"--scope user --project '{old}'" in said
    assert "~/.gemini/policies/" in said


def test_it_is_removed_by_that_and_nothing_else_is(moved: tuple[CommandLine, Path]) -> None:
    line, old = moved
    assert "rm" in policies(line)

    ended = line.run("sync", "--yes", "--scope", "user", "--project", str(old), PATH=NO_CLIS)

    assert ended.code == 0, ended.err
    assert "curl" in policies(line)
    assert "rm" not in policies(line)
    assert not old.exists()
    assert "not there any more" not in line.run("sync", "status", PATH=NO_CLIS).out


def test_a_folder_that_never_was_a_project_is_refused(moved: tuple[CommandLine, Path]) -> None:
    line, old = moved

    assert line.run("sync", "--scope", "user", "--project", f"{old}x").code == 2
    assert line.run("sync", "--scope", "all", "--project", str(old)).code == 2
