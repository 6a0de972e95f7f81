"""A place for tests that write thousands of files."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

_IN_MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_path() -> Generator[Path]:
    """An empty folder, in memory where that exists: there a sync costs nothing, and the steps are the same."""
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as folder:
        yield Path(folder).resolve()
