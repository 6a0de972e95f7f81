"""A user with nothing, and a project with nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.doctor import Subject
from sightline.doctor.subject import subject_at
from sightline.places import Places

MakeSubject = Callable[..., Subject]


@pytest.fixture
def make_subject(tmp_path: Path) -> MakeSubject:
    """The subject as it is at the time of the call, with the variables given."""
    folder = tmp_path.resolve()
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    places = Places(folder / "config", folder / "data", folder / "logs", folder / "cache")

    def make(**variables: str) -> Subject:
        environment = {"PATH": "/usr/bin:/bin", **variables}
        return subject_at(project, environment, home, places, "linux", Path(sys.executable))

    return make
