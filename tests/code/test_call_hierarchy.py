"""`get_call_hierarchy`, by the real Pyright."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import app_over

from sightline.app import App

pytestmark = pytest.mark.anyio

CHAIN = """def bottom() -> int:
    return 1


def middle() -> int:
    return bottom() + bottom()


def top() -> int:
    return middle()


def again() -> int:
    return again() + middle()
"""


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[App]:
    (tmp_path / "chain.py").write_text(CHAIN)
    (tmp_path / "far.py").write_text("import chain\n\n\ndef far() -> int:\n    return chain.top()\n")
    async with app_over(tmp_path, tmp_path.parent / "home") as app:
        yield app


async def _calls(app: App, **arguments: Any) -> list[tuple[str, str, int, list[int]]]:
    answer = await app.boundary.call("get_call_hierarchy", arguments)
    assert answer.ok, answer.text
    return [(each["name"], each["of"], each["depth"], each["call_lines"]) for each in answer.data["calls"]]


async def test_callers_are_followed_over_files_and_levels(app: App) -> None:
    found = await _calls(app, symbol="bottom", depth=3)

    assert found[0] == ("middle", "bottom", 1, [6])
    assert ("top", "middle", 2, [10]) in found
    assert ("far", "top", 3, [5]) in found


async def test_a_function_that_calls_itself_is_followed_once(app: App) -> None:
    found = await _calls(app, symbol="middle", depth=5)

    assert found.count(("again", "again", 2, [14])) == 1
    assert max(depth for _, _, depth, _ in found) <= 3


async def test_outgoing_calls_have_the_lines_of_the_calls(app: App) -> None:
    assert await _calls(app, file="chain.py", symbol="top", direction="outgoing", depth=2) == [
        ("middle", "top", 1, [10]),
        ("bottom", "middle", 2, [6]),
    ]


async def test_depth_is_kept(app: App) -> None:
    assert {depth for _, _, depth, _ in await _calls(app, symbol="bottom", depth=1)} == {1}


async def test_what_is_no_function_is_told(app: App, tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text("value = 1\n")

    answer = await app.boundary.call("get_call_hierarchy", {"file": "value.py", "line": 1, "column": 1})

    assert answer.data["error"]["kind"] == "no_match"


async def test_a_use_in_quotes_counts_as_a_reference_at_the_first_call(app: App, tmp_path: Path) -> None:
    (tmp_path / "quoted.py").write_text(
        'from typing import TypeVar\n\nT = TypeVar("T", bound="Late")\n\n\nclass Late: ...\n'
    )

    answer = await app.boundary.call("find_references", {"file": "quoted.py", "line": 6, "column": 7})

    assert [(each["line"], each["column"]) for each in answer.data["references"]] == [(3, 25), (6, 7)]
