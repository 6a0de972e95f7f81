"""A rename of a member that overrides another, or is overridden: the server leaves the other one as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.code.checking import make_project
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

_SHAPES = """\
import threading


class Shape:
    colour = "red"

    def size(self) -> float:
        return 0.0

    def own(self) -> int:
        return 1


class Middle(Shape):
    pass


class Other:
    def size(self) -> float:
        return 5.0


class Worker(threading.Thread):
    def run(self) -> None:
        return None
"""
_SQUARES = """\
from shapes import Middle as M


class Square(M):
    def __init__(self) -> None:
        self.colour = "blue"

    @property
    def plain(self) -> int:
        return 1

    def size(self) -> float:
        return super().size() + 1
"""

_NEWER = "from shapes import Shape\n\n\nclass Box[T](Shape):\n    def size(self) -> float:\n        return 2.0\n"
_IN_ONE_LINE = "from shapes import Shape\n\n\nclass Dot(Shape): size = lambda self: 0.5\n"


async def rename(tmp_path: Path, symbol: str) -> dict[str, Any]:
    root = make_project(tmp_path / "root", {"pyproject.toml": "", "shapes.py": _SHAPES, "squares.py": _SQUARES})
    async with app_over(root, tmp_path / "home") as app:
        return (await app.boundary.call("rename_symbol", {"symbol": symbol, "new_name": "renamed"})).data


@pytest.mark.parametrize(
    ("symbol", "kept"),
    [
        ("Shape.size", "squares.py:12:9"),
        ("Square.size", "shapes.py:7:9"),
        ("Shape.colour", "squares.py:6:14"),
    ],
)
async def test_an_override_that_keeps_its_name_is_named_and_nothing_is_called_clean(
    tmp_path: Path, symbol: str, kept: str
) -> None:
    data = await rename(tmp_path, symbol)

    assert data["verdict"] == "unknown"
    assert [each["kind"] for each in data["warnings"]] == ["overrides_parted"]
    assert data["warnings"][0]["message"].endswith(f"keep the old name: {kept}")


async def test_a_member_that_overrides_one_of_a_library_is_not_called_clean(tmp_path: Path) -> None:
    data = await rename(tmp_path, "Worker.run")

    assert data["verdict"] == "unknown"
    assert "threading.py" in data["warnings"][0]["message"]


@pytest.mark.parametrize("symbol", ["Shape.own", "Square.plain", "Other.size"])
async def test_a_member_of_the_same_name_in_another_class_is_none_of_its_business(tmp_path: Path, symbol: str) -> None:
    data = await rename(tmp_path, symbol)

    assert (data["verdict"], data["warnings"]) == ("clean", [])


@pytest.mark.parametrize("more", [_NEWER, _IN_ONE_LINE, _NEWER.replace("\n", "\r\n")])
async def test_a_class_that_cannot_be_asked_about_leaves_a_doubt(tmp_path: Path, more: str) -> None:
    """Such as one with syntax that is newer than the Python that runs this: Pyright knows it."""
    files = {"pyproject.toml": '[tool.pyright]\npythonVersion = "3.13"\n', "shapes.py": _SHAPES, "more.py": more}
    root = make_project(tmp_path / "root", files)
    arguments = {"file": "shapes.py", "symbol": "Shape.size", "new_name": "renamed"}
    async with app_over(root, tmp_path / "home") as app:
        data = (await app.boundary.call("rename_symbol", arguments)).data
        alone = (await app.boundary.call("rename_symbol", {**arguments, "symbol": "Shape.own"})).data

    assert data["verdict"] == "unknown"
    assert "more.py" in str(data["warnings"]) + data["summary"]
    assert alone["verdict"] == "clean"
