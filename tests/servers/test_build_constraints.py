"""Files of another platform or behind a build tag: gopls refuses them, and the rest of the module is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.code.checking import make_project
from tests.servers.driving import environment, require
from tests.support.apps import app_over

_FILES = {
    "go.mod": "module example.com/oven\n\ngo 1.19\n",
    "oven.go": "package oven\n\n// Heat heats.\nfunc Heat() int { return 1 }\n\nfunc Cool() int { return 0 }\n",
    "use.go": "package oven\n\nvar X int = Heat()\n",
    "oven_plan9.go": "package oven\n\nvar Y int = Cool()\n",
}


async def ask(tmp_path: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    require("gopls")
    root = make_project(tmp_path / "root", _FILES)
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        return (await app.boundary.call(tool, arguments)).data


@pytest.mark.parametrize(("path", "verdict", "files"), [(".", "clean", 2), ("oven_plan9.go", "unknown", 0)])
async def test_a_file_that_is_left_out_is_told_and_the_others_are_checked(
    tmp_path: Path, path: str, verdict: str, files: int
) -> None:
    data = await ask(tmp_path, "check_types", path=path)

    assert (data["verdict"], data["files_analyzed"]) == (verdict, files), data
    (warning,) = data["warnings"]
    assert warning["message"] == "gopls does not check 1 file here, such as oven_plan9.go"


async def test_an_edit_beside_such_a_file_is_checked(tmp_path: Path) -> None:
    replacement = {"old_text": "Heat() int { return 1 }", "new_text": 'Heat() string { return "" }'}
    data = await ask(tmp_path, "check_edit", edits=[{"file": "oven.go", "replacements": [replacement]}])

    assert [each["file"] for each in data["introduced"]] == ["use.go"]


@pytest.mark.parametrize(("symbol", "verdict"), [("Heat", "clean"), ("Cool", "unknown")])
async def test_a_rename_is_proved_unless_such_a_file_holds_the_name(tmp_path: Path, symbol: str, verdict: str) -> None:
    data = await ask(tmp_path, "rename_symbol", file="oven.go", symbol=symbol, new_name="Bake")

    assert data["verdict"] == verdict, data
