"""What all tests share: a sample project of their own, and an application over it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the sample project, which has four type errors."""
    project = tmp_path.resolve() / "shop"
    shutil.copytree(EXAMPLES / "shop", project)
    return project
