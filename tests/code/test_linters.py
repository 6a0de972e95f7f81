"""Ruff beside the type checker: its findings are added where a person has asked for them, and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.apps import app_over

BESIDE_US = {"PATH": str(Path(sys.executable).parent)}
UNUSED = "import os\n\nx: int = ''\n"


async def test_a_linters_findings_are_added_under_its_name(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(UNUSED)
    async with app_over(root, tmp_path / "home", BESIDE_US, code__linters=["ruff"]) as app:
        file = await app.boundary.call("check_types", {"path": "a.py", "fixes": True})
        folder = await app.boundary.call("check_types", {"path": "."})
        (root / "a.py").write_text("x: int = 1\n")
        mended = await app.boundary.call("check_types", {"path": "a.py"})

    rules = [each["rule"] for each in file.data["diagnostics"]]
    assert rules == ["ruff:F401", "reportAssignmentType"]
    assert "-import os" in file.data["diagnostics"][0]["fixes"][0]["diff"]
    assert [each["rule"] for each in folder.data["diagnostics"]] == rules
    assert file.data["evidence"]["linters"].startswith("ruff ")
    assert mended.data["verdict"] == "clean"


async def test_no_linter_is_asked_unless_it_is_chosen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    async with app_over(tmp_path, tmp_path / "home", BESIDE_US) as app:
        answer = await app.boundary.call("check_types", {"path": "a.py"})

    assert answer.data["verdict"] == "clean"
    assert "linters" not in answer.data["evidence"]


async def test_a_linter_that_is_missing_leaves_nothing_proved_clean(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    user_file = tmp_path / "home" / "config" / "config.toml"
    user_file.parent.mkdir(parents=True)
    user_file.write_text('[code.servers.ruff]\ncommand = "ruff-that-is-not-there"\n')
    async with app_over(tmp_path, tmp_path / "home", BESIDE_US, code__linters=["ruff"]) as app:
        answer = await app.boundary.call("check_types", {"path": "a.py"})

    assert answer.data["verdict"] == "unknown"
    assert [each["kind"] for each in answer.data["warnings"]] == ["linter_silent"]
