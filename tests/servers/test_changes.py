"""Files that change under a running server: its next answer is right for the disk, or says that it does not know."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.servers.driving import ALL, DRIVEN, WITH_FUNCTION, Bakery, bakery_of, offers, require
from tests.servers.sample import Change, line_of

WITH_NEWCOMER = [name for name in ALL if DRIVEN[name].sample.newcomer]
WITH_DEPENDENTS = [name for name in ALL if DRIVEN[name].sample.breaking]
SHOWN_EDITS = [name for name in WITH_DEPENDENTS if DRIVEN[name].can_be_shown_edits]
NOT_SHOWN_EDITS = [name for name in ALL if not DRIVEN[name].can_be_shown_edits]
RENAMING = [name for name in WITH_FUNCTION if offers(name, "rename")]


@pytest.mark.parametrize("server_id", ALL)
async def test_an_error_that_comes_and_goes_on_disk_is_seen_at_once(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        user, wrong = bakery.sample.user, bakery.sample.wrong
        assert await bakery.verdict(user) == ("clean", set())

        bakery.change(wrong)
        verdict, lines = await bakery.verdict(user)
        assert verdict in {"errors", "warnings"}
        assert lines

        bakery.undo(wrong)
        assert await bakery.verdict(user) == ("clean", set())


@pytest.mark.parametrize("server_id", WITH_DEPENDENTS)
async def test_a_file_becomes_wrong_when_what_it_depends_on_changes(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        breaking = bakery.sample.breaking
        assert breaking
        for file in bakery.sample.broken_by:
            assert (await bakery.verdict(file))[0] == "clean"

        bakery.change(breaking)
        for file in bakery.sample.broken_by:
            assert (await bakery.verdict(file))[0] in {"errors", "warnings"}, file

        bakery.undo(breaking)
        assert (await bakery.verdict(bakery.sample.broken_by[-1]))[0] == "clean"


@pytest.mark.parametrize("server_id", WITH_NEWCOMER)
async def test_uses_in_a_file_that_comes_and_goes_are_counted_and_forgotten(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        assert bakery.sample.newcomer
        name, text = bakery.sample.newcomer
        await bakery.references()

        (bakery.root / name).parent.mkdir(exist_ok=True)
        (bakery.root / name).write_text(text, encoding="utf-8")
        await assert_references_are_those_on_disk_or_doubted(bakery, name)

        (bakery.root / name).unlink()
        assert await bakery.references() == bakery.sample.uses(bakery.root)


async def assert_references_are_those_on_disk_or_doubted(bakery: Bakery, newcomer: str) -> None:
    """A server that knows only a fixed list of files must not pass for one that knows all."""
    found = await bakery.call("find_references", **bakery.at_home())
    spots = {(each["file"], each["line"]) for each in found["references"]}
    missing = bakery.sample.uses(bakery.root) - spots
    if missing:
        assert {file for file, _ in missing} == {newcomer}
        assert any(newcomer in each["message"] for each in found["warnings"])


@pytest.mark.parametrize("server_id", SHOWN_EDITS)
async def test_an_edit_is_checked_with_all_files_that_depend_on_it(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        breaking, before = bakery.sample.breaking, bakery.texts()
        assert breaking

        found = await bakery.call("check_edit", edits=[as_edit(breaking)])

        assert found["verdict"] == "errors"
        assert {each["file"] for each in found["introduced"]} >= set(bakery.sample.broken_by)
        assert bakery.texts() == before
        assert (await bakery.verdict(bakery.sample.user))[0] == "clean"


@pytest.mark.parametrize("server_id", NOT_SHOWN_EDITS)
async def test_an_edit_is_not_checked_by_a_server_that_cannot_be_shown_it(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        answer = await bakery.ask("check_edit", edits=[as_edit(bakery.sample.wrong)])

        assert answer.data["error"]["kind"] == "unsupported"
        assert answer.data["next_steps"][0]["tool"] == "check_types"


@pytest.mark.parametrize("server_id", RENAMING)
async def test_a_rename_reaches_every_use_and_back_again_restores_every_byte(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        old, before = bakery.sample.function, bakery.texts()
        new = f"{old}2"

        await rename(bakery, bakery.at_home(), new)
        renamed = {name: re.sub(rb"\b%s\b" % old.encode(), new.encode(), text) for name, text in before.items()}
        assert bakery.texts() == renamed

        await rename(bakery, bakery.at_home(new), old)
        assert bakery.texts() == before


@pytest.mark.parametrize("server_id", [name for name in ALL if DRIVEN[name].sample.renamed])
async def test_a_name_of_one_file_is_renamed_and_not_called_proved(server_id: str, tmp_path: Path) -> None:
    async with bakery_of(require(server_id), tmp_path) as bakery:
        change = bakery.sample.renamed
        assert change
        path = bakery.root / change.file
        place = {"file": change.file, "line": line_of(path, f"*{change.old}"), "symbol": change.old}

        verdict = await rename(bakery, place, change.new)

        assert verdict == "unknown"


async def rename(bakery: Bakery, place: dict[str, Any], new: str) -> str:
    """Preview, then apply what was shown; the verdict of the preview."""
    before = bakery.texts()
    plan = await bakery.call("rename_symbol", **place, new_name=new)
    assert plan["verdict"] in {"clean", "unknown"}, plan["summary"]
    assert bakery.texts() == before
    done = await bakery.call("rename_symbol", **place, new_name=new, apply=True, plan_id=plan["plan_id"])
    assert done["applied"]
    return plan["verdict"]


def as_edit(change: Change) -> dict[str, Any]:
    return {"file": change.file, "replacements": [{"old_text": change.old, "new_text": change.new}]}
