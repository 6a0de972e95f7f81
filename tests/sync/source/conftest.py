"""A source of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sync.source.trees import SmallSource


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())
