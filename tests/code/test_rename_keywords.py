"""A rename of a field or parameter that calls name in keywords which the server cannot tie to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.code.checking import make_project
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

_POINTS = """\
from dataclasses import dataclass, replace
from typing import Any


@dataclass
class Point:
    x: int
    y: int = 0


def moved(point: Point) -> Point:
    return replace(point, x=point.x + 1)


def other(x: int, z: int) -> int:
    return x + z


def alike() -> Point:
    return Point(1, y=other(x=1, z=2))
"""


async def rename(tmp_path: Path, symbol: str, **place: Any) -> dict[str, Any]:
    root = make_project(tmp_path / "root", {"pyproject.toml": "", "points.py": _POINTS})
    arguments = {"file": "points.py", "symbol": symbol, "new_name": "renamed", **place}
    async with app_over(root, tmp_path / "home") as app:
        return (await app.boundary.call("rename_symbol", arguments)).data


async def test_a_keyword_that_is_passed_on_is_named_and_nothing_is_called_clean(tmp_path: Path) -> None:
    data = await rename(tmp_path, "Point.x")

    assert data["verdict"] == "unknown"
    assert [each["kind"] for each in data["warnings"]] == ["keywords_untied"]
    assert data["warnings"][0]["message"].endswith("may mean it, and stay: points.py:12:27")


@pytest.mark.parametrize("place", [{"symbol": "Point.y"}, {"symbol": "z", "line": 15}, {"symbol": "moved"}])
async def test_keywords_of_known_parameters_leave_no_doubt(tmp_path: Path, place: dict[str, Any]) -> None:
    data = await rename(tmp_path, **place)

    assert (data["verdict"], data["warnings"]) == ("clean", [])


async def test_a_keyword_in_a_file_of_a_newer_python_is_named_as_well(tmp_path: Path) -> None:
    newer = (
        "from dataclasses import replace\nfrom points import Point\n\ntype P = Point\n\nx = 1\nreplace(Point(1), x=x)\n"
    )
    files = {"pyproject.toml": '[tool.pyright]\npythonVersion = "3.13"\n', "points.py": _POINTS, "newer.py": newer}
    root = make_project(tmp_path / "root", files)
    async with app_over(root, tmp_path / "home") as app:
        arguments = {"file": "points.py", "symbol": "Point.x", "new_name": "renamed"}
        data = (await app.boundary.call("rename_symbol", arguments)).data

    assert data["verdict"] == "unknown"
    assert data["warnings"][0]["message"].endswith("may mean it, and stay: newer.py:7:19, points.py:12:27")
