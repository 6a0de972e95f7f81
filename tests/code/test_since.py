"""`check_types` with `since`: what is new and what is gone, matched through shifted lines, for each client its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import app_over

from sightline.app import App
from sightline.code.checkpoints import CheckedPath, Checkpoints
from sightline.code.diagnostics import Diagnostic

pytestmark = pytest.mark.anyio

WRONG = "x: int = 'a'\n"


async def _check(app: App, path: str = ".", client: str = "", **arguments: Any) -> dict[str, Any]:
    return (await app.boundary.call("check_types", {"path": path, **arguments}, client=client)).data


async def test_an_error_that_only_moved_is_neither_new_nor_gone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WRONG)
    async with app_over(tmp_path, tmp_path.parent / "home") as app:
        await _check(app)
        (tmp_path / "a.py").write_text("# one\n# two\n" + WRONG + "y: str = 1\n")

        answer = await _check(app, since="last")

    assert [(each["line"], each["message"].split("\n")[0]) for each in answer["diagnostics"]] == [
        (4, 'Type "Literal[1]" is not assignable to declared type "str"')
    ]
    assert (answer["fixed"], answer["unchanged_count"], answer["error_count"]) == ([], 1, 2)


async def test_what_is_gone_is_listed_with_its_old_place(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\n" + WRONG)
    async with app_over(tmp_path, tmp_path.parent / "home") as app:
        first = await _check(app)
        (tmp_path / "a.py").write_text("\n\n\n")

        answer = await _check(app, since=first["checkpoint"])

    assert [each["line"] for each in answer["fixed"]] == [2]
    assert answer["diagnostics"] == []
    assert answer["verdict"] == "clean"


async def test_last_is_the_clients_own_and_must_cover_the_path(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WRONG)
    (tmp_path / "b.py").write_text(WRONG)
    async with app_over(tmp_path, tmp_path.parent / "home") as app:
        await _check(app, "a.py", client="one")

        other_client = await _check(app, "a.py", client="two", since="last")
        other_path = await _check(app, "b.py", client="one", since="last")
        unknown = await _check(app, "b.py", since="c999")
        mine = await _check(app, "a.py", client="one", since="last")

    for answer in (other_client, other_path, unknown):
        assert [notice["kind"] for notice in answer["warnings"]] == ["no_baseline"]
        assert "since" not in answer
    assert mine["unchanged_count"] == 1


async def test_a_check_for_another_python_is_no_baseline(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WRONG)
    async with app_over(tmp_path, tmp_path.parent / "home") as app:
        await _check(app, python_version="3.12")

        answer = await _check(app, since="last")

    assert [notice["kind"] for notice in answer["warnings"]] == ["no_baseline"]


async def test_a_part_of_what_was_checked_is_compared_with_that_part(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WRONG)
    (tmp_path / "b.py").write_text(WRONG)
    async with app_over(tmp_path, tmp_path.parent / "home") as app:
        await _check(app)

        answer = await _check(app, "a.py", since="last")

    assert (answer["diagnostics"], answer["fixed"], answer["unchanged_count"]) == ([], [], 1)


def test_checkpoints_are_bounded_and_the_oldest_goes_first(tmp_path: Path) -> None:
    kept = Checkpoints()
    found = Diagnostic(
        file="a.py", line=1, column=1, end_line=1, end_column=2, severity="error", message="m", rule=None
    )
    (tmp_path / "a.py").write_text("x" * 9_000_000)

    check = CheckedPath("", tmp_path, tmp_path, "pyright")

    ids = [kept.keep(check, [found]).id for _ in range(5)]

    assert [kept.find(each, check) is not None for each in ids] == [False, False, True, True, True]
