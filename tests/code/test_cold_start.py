"""The very first question to a cold server is answered wholly, or says that it is too early."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
FILES = 400 if IS_FULL else 120
TIMES = 20 if IS_FULL else 3


def _project(parent: Path) -> Path:
    """A class, and files of which every third uses it."""
    folder = parent.resolve() / "project"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[project]\nname = 'pkg'\n")
    (folder / "pkg" / "__init__.py").write_text("")
    (folder / "pkg" / "core.py").write_text("class Core:\n    def work(self) -> int:\n        return 1\n")
    for number in range(FILES):
        uses = "from pkg.core import Core\n\n\ndef use() -> int:\n    return Core().work()\n"
        other = f"def other_{number}(value: int) -> int:\n    return value + {number}\n"
        (folder / "pkg" / f"module_{number}.py").write_text(uses if number % 3 == 0 else other)
    return folder


async def test_the_first_references_are_complete_or_said_to_be_early(tmp_path: Path) -> None:
    project = _project(tmp_path)
    users = len(range(0, FILES, 3))
    for _ in range(TIMES):
        async with app_over(project, tmp_path / "home") as app:
            answer = await app.boundary.call(
                "find_references", {"symbol": "Core.work", "max_results": 5000, "max_total_chars": 2_000_000}
            )
            if answer.ok:
                assert answer.data["count"] == users + 1
            else:
                assert answer.data["error"]["kind"] == "server_starting"
                assert answer.data["error"]["retry_after_ms"] > 0
