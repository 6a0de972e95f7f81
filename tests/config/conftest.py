"""What the settings tests share: one user with one project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.sandbox import Sandbox
from tests.support.apps import places_in


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    return Sandbox(root, places_in(tmp_path.resolve() / "user"))
