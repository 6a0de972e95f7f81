"""What all tests share: a sample project of their own, and an application over it.

Properties are tried on the same examples each time, so that a change is judged by what it changes; the long proofs
(`SIGHTLINE_ORACLE=full`) draw new ones.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import hypothesis
import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

hypothesis.settings.register_profile("repeatable", derandomize=True)
if os.environ.get("SIGHTLINE_ORACLE") != "full":
    hypothesis.settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the sample project, which has four type errors."""
    project = tmp_path.resolve() / "shop"
    shutil.copytree(EXAMPLES / "shop", project)
    return project
