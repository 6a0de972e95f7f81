"""What the tests of the command line share: a user with an empty home and an empty project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine


@pytest.fixture
def sightline(tmp_path: Path) -> CommandLine:
    home, project = tmp_path.resolve() / "home", tmp_path.resolve() / "project"
    home.mkdir()
    project.mkdir()
    return CommandLine(home, project)
