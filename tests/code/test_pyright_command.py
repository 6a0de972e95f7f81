"""The `pyright` command on its own: what only shows without a tool around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.children import Children
from sightline.code.pyright_command import CheckRequest, PyrightCommand, find_entry_file, find_node
from sightline.errors import ErrorKind, ToolFailure

pytestmark = pytest.mark.anyio


def command_of(children: Children) -> PyrightCommand:
    return PyrightCommand(children, timeout_s=60, max_output_mb=64)


async def test_the_probe_tells_the_version_that_a_check_tells_and_remembers_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()

    with Children() as children:
        command = command_of(children)
        probed = await command.probe()
        report = await command.check(CheckRequest(tmp_path, [tmp_path / "a.py"]))

        assert await command.probe() == probed

    assert probed.works
    assert probed.version == report.version


async def test_a_file_that_vanished_before_the_check_is_an_error_and_not_clean(tmp_path: Path) -> None:
    with Children() as children, pytest.raises(ToolFailure) as caught:
        await command_of(children).check(CheckRequest(tmp_path, [tmp_path / "gone.py"]))

    assert (caught.value.kind, caught.value.code) == (ErrorKind.INVALID_PARAMS, 4)
    assert "gone.py" in caught.value.message
    assert str(tmp_path) not in caught.value.message


async def test_a_root_that_vanished_before_the_check_is_an_error_and_not_clean(tmp_path: Path) -> None:
    with Children() as children, pytest.raises(ToolFailure):
        await command_of(children).check(CheckRequest(tmp_path / "gone"))


def test_node_and_the_checker_come_from_the_wheels() -> None:
    assert find_node().is_file()
    assert find_entry_file().parts[-3:] == ("pyright", "dist", "index.js")
