"""A server that is not told which files there are: it answers at once, and the answer does not pass for a whole one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.servers.driving import Driven, bakery_of, require

WITHOUT_COMMANDS = {"nothing": {}, "flags alone": {"compile_flags.txt": "-std=c++17\n"}}


def clangd_with(files: dict[str, str]) -> Driven:
    driven = require("clangd")
    sources = {name: text for name, text in driven.sample.files.items() if name != "compile_commands.json"}
    return replace(driven, sample=replace(driven.sample, files={**sources, **files}))


@pytest.mark.parametrize("case", WITHOUT_COMMANDS)
async def test_references_without_compile_commands_name_the_files_that_may_hold_more(case: str, tmp_path: Path) -> None:
    async with bakery_of(clangd_with(WITHOUT_COMMANDS[case]), tmp_path) as bakery:
        found = await bakery.call("find_references", **bakery.at_home())

        missed = {file for file, _ in bakery.sample.uses(bakery.root)} - {each["file"] for each in found["references"]}
        told = " ".join(each["message"] for each in found["warnings"])
        assert missed
        assert [file for file in missed if file not in told] == []


@pytest.mark.parametrize("case", WITHOUT_COMMANDS)
async def test_a_rename_without_compile_commands_is_not_called_proved(case: str, tmp_path: Path) -> None:
    async with bakery_of(clangd_with(WITHOUT_COMMANDS[case]), tmp_path) as bakery:
        plan = await bakery.call("rename_symbol", **bakery.at_home(), new_name="bun_price")

        assert plan["verdict"] == "unknown"
        assert "compile_commands.json" in plan["summary"]


async def test_commands_in_a_build_folder_are_found(tmp_path: Path) -> None:
    driven = require("clangd")
    files = dict(driven.sample.files)
    files["build/compile_commands.json"] = files.pop("compile_commands.json")
    async with bakery_of(replace(driven, sample=replace(driven.sample, files=files)), tmp_path) as bakery:
        assert await bakery.references() == bakery.sample.uses(bakery.root)
