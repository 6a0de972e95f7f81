"""Several projects in one served folder: what the server of one of them does not read is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.code.checking import make_project
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

_CORE = "packages/oven/src/oven/core.py"
_USER = "packages/shop/src/shop/main.py"


def repository(tmp_path: Path) -> Path:
    return make_project(
        tmp_path / "root",
        {
            "pyproject.toml": "[tool.uv.workspace]\nmembers = ['packages/*']\n",
            "packages/oven/pyproject.toml": "[project]\nname = 'oven'\n",
            "packages/oven/src/oven/__init__.py": "from oven.core import *\n",
            _CORE: "def heat() -> int:\n    return 1\n\n\ndef lonely() -> int:\n    return heat()\n",
            "packages/shop/pyproject.toml": "[project]\nname = 'shop'\n",
            _USER: "from oven import heat\n\nprint(heat())\n",
            "packages/shop/src/shop/own.py": "def lonely() -> int:\n    heat = 1\n    return heat\n",
        },
    )


async def ask(tmp_path: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    async with app_over(repository(tmp_path), tmp_path / "home") as app:
        return (await app.boundary.call(tool, arguments)).data


@pytest.mark.parametrize("tool", ["find_references", "get_call_hierarchy"])
async def test_uses_in_another_project_are_not_passed_over_in_silence(tmp_path: Path, tool: str) -> None:
    data = await ask(tmp_path, tool, file=_CORE, symbol="heat")

    (warning,) = [each for each in data["warnings"] if each["kind"] == "other_projects"]
    assert f"which were not asked: {_USER};" in warning["message"]


async def test_a_name_that_only_looks_alike_in_another_project_is_no_use(tmp_path: Path) -> None:
    data = await ask(tmp_path, "find_references", file=_CORE, symbol="lonely")

    assert "other_projects" not in [each["kind"] for each in data["warnings"]]


async def test_a_rename_that_another_project_would_miss_is_not_called_clean(tmp_path: Path) -> None:
    data = await ask(tmp_path, "rename_symbol", file=_CORE, symbol="heat", new_name="bake")

    assert data["verdict"] == "unknown"
    assert [each["kind"] for each in data["warnings"]] == ["other_projects"]
    assert (_USER, 3) in [(each["file"], each["line"]) for each in data["leftovers"]]


async def test_a_rename_that_no_other_project_can_miss_is_clean(tmp_path: Path) -> None:
    data = await ask(tmp_path, "rename_symbol", file=_CORE, symbol="lonely", new_name="alone")

    assert data["verdict"] == "clean", data


async def test_an_edit_of_what_another_project_imports_is_not_called_clean(tmp_path: Path) -> None:
    replacement = {"old_text": "def heat()", "new_text": "def heat(now: bool)"}
    edit = {"file": _CORE, "replacements": [replacement, {"old_text": "return heat()", "new_text": "return 1"}]}
    data = await ask(tmp_path, "check_edit", edits=[edit])

    assert data["verdict"] == "unknown"
    assert _USER in data["summary"]


@pytest.mark.parametrize("tool", ["find_references", "rename_symbol"])
async def test_uses_that_the_configuration_leaves_out_are_not_passed_over_in_silence(tmp_path: Path, tool: str) -> None:
    files = {
        "pyproject.toml": "[tool.pyright]\nexclude = ['scripts']\n",
        "oven.py": "def heat() -> int:\n    return 1\n",
        "use.py": "from oven import heat\n\nheat()\n",
        "scripts/run.py": "from oven import heat\n\nheat()\n",
        "scripts/other.py": "heat = 1\n",
    }
    root = make_project(tmp_path / "root", files)
    arguments = {"symbol": "heat", **({"new_name": "bake"} if tool == "rename_symbol" else {})}
    async with app_over(root, tmp_path / "home") as app:
        data = (await app.boundary.call(tool, {"file": "oven.py", **arguments})).data

    assert [each["kind"] for each in data["warnings"]] == ["other_projects"]
    assert "not asked: scripts/run.py;" in data["warnings"][0]["message"]
    assert data.get("verdict", "unknown") == "unknown"
