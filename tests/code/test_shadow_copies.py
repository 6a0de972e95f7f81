"""An edit that makes or deletes files is tried in a copy: all that imports and the configuration find must be in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.code.checking import make_project
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

_FILES = {
    "pyproject.toml": "[tool.pyright]\nextends = 'settings/base.json'\nstubPath = '.typings'\n",
    "settings/base.json": '{"reportUnusedVariable": "error"}',
    ".typings/oven/__init__.pyi": "def heat() -> int: ...\n",
    "assets/image.json": "{}",
    "fast.cpython-311-x86_64-linux-gnu.so": "",
    "parts/only.py": "",
    "use.py": "import assets\nimport fast\nimport oven  # pyright: ignore\nimport parts\n\nx: int = oven.heat()\n",
}


async def check_edit(tmp_path: Path, **edit: Any) -> dict[str, Any]:
    root = make_project(tmp_path / "root", _FILES)
    async with app_over(root, tmp_path / "home") as app:
        return (await app.boundary.call("check_edit", {"edits": [edit]})).data


async def test_a_new_file_breaks_no_import_of_the_others(tmp_path: Path) -> None:
    data = await check_edit(tmp_path, file="new.py", content="import use\n\ny: int = use.x\n")

    assert (data["verdict"], data["introduced"], data["fixed"]) == ("clean", [], [])
    assert data["evidence"]["method"] == "shadow_copy"


async def test_the_settings_that_the_configuration_extends_hold_in_the_copy(tmp_path: Path) -> None:
    data = await check_edit(tmp_path, file="new.py", content="def heat() -> None:\n    unused = 1\n")

    assert [each["rule"] for each in data["introduced"]] == ["reportUnusedVariable"]


async def test_a_folder_whose_last_source_is_deleted_is_still_a_package(tmp_path: Path) -> None:
    data = await check_edit(tmp_path, file="parts/only.py", delete=True)

    assert (data["verdict"], data["introduced"]) == ("clean", [])
