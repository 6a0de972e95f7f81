"""A package that a link gives a second name: to a language server these are two modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.code.checking import make_project
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio


async def check_edit(tmp_path: Path, edit: dict[str, Any]) -> dict[str, Any]:
    root = make_project(
        tmp_path / "root",
        {
            "pyproject.toml": "",
            "real/core.py": "def heat(x: int) -> int:\n    return 1\n",
            "use.py": "from linked.core import heat\n\nheat(1)\n",
        },
    )
    (root / "linked").symlink_to("real")
    async with app_over(root, tmp_path / "home") as app:
        return (await app.boundary.call("check_edit", {"edits": [edit]})).data


@pytest.mark.parametrize("folder", ["real", "linked"])
async def test_who_imports_a_file_through_a_link_is_checked_with_its_edit(tmp_path: Path, folder: str) -> None:
    replacement = {"old_text": "x: int", "new_text": "x: str"}
    data = await check_edit(tmp_path, {"file": f"{folder}/core.py", "replacements": [replacement]})

    assert data["verdict"] == "errors", data
    assert [each["file"] for each in data["introduced"]] == ["use.py"]
    assert data["covered"]["edited"] == 1


async def test_a_new_file_beside_links_is_not_tried_in_a_copy_without_them(tmp_path: Path) -> None:
    data = await check_edit(tmp_path, {"file": "new.py", "content": "import use\n"})

    assert (data["verdict"], data["introduced"]) == ("unknown", [])
    assert "it holds links" in data["summary"]
