"""The exit codes of `sightline sync`: 0 all is applied and understood, 1 something remains, 3 nothing was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.sync.hard_project import fake_secret
from tests.sync.tools.small_project import make_small_project, set_servers

NO_CLIS = "/usr/bin:/bin"
SAYS_NOTHING_IS_THERE = '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit\necho []\n'
DOES_NOT_START = '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit\n[ ! -e AGENTS.md ] && echo []\n'


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    project = make_small_project(tmp_path.resolve())
    return CommandLine(project.parent / "home", project)


def with_codex(shop: CommandLine, script: str) -> str:
    """A search path on which a program named `codex` stands."""
    folder = shop.project.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "codex").write_text(script)
    (folder / "codex").chmod(0o755)
    return f"{folder}:{NO_CLIS}"


def code(shop: CommandLine, *arguments: str, path: str = NO_CLIS) -> int:
    return shop.run("sync", *arguments, PATH=path).code


def test_all_applied_is_zero_and_so_is_nothing_to_do(shop: CommandLine) -> None:
    assert [code(shop, "--yes"), code(shop, "--yes"), code(shop)] == [0, 0, 0]


def test_a_conflict_that_was_skipped_is_one_until_somebody_decides(shop: CommandLine) -> None:
    code(shop, "--yes")
    agent = shop.project / ".codex/agents/tester.toml"
    agent.write_text(agent.read_text().replace("Runs tests", "Mine"))
    (shop.project / "CLAUDE.md").write_text("# Shop\n\nUse spaces.\n")

    with_other_writes = code(shop, "--yes")
    alone = code(shop, "--yes")
    only_shown = code(shop, "--dry-run")
    decided = code(shop, "--yes", "--keep", "*")

    assert "Use spaces." in (shop.project / "AGENTS.md").read_text()
    assert (with_other_writes, alone, only_shown, decided) == (1, 1, 0, 0)


def test_a_file_that_is_left_alone_is_one(shop: CommandLine) -> None:
    (shop.project / ".gemini/settings.json").write_text("{ oops")

    assert code(shop, "--yes") == 1
    assert (shop.project / "AGENTS.md").exists()


def test_a_cli_that_has_not_understood_is_one_and_is_named(shop: CommandLine) -> None:
    done = shop.run("sync", "--yes", "--target", "codex", PATH=with_codex(shop, SAYS_NOTHING_IS_THERE))

    assert (shop.project / ".codex/config.toml").exists()
    assert done.code == 1
    assert "codex has not understood all of it" in done.out


def test_a_cli_that_would_not_start_any_more_is_three_and_nothing_is_written(shop: CommandLine) -> None:
    assert code(shop, "--yes", "--target", "codex", path=with_codex(shop, DOES_NOT_START)) == 3
    assert not (shop.project / "AGENTS.md").exists()


def test_a_literal_secret_is_three(shop: CommandLine) -> None:
    set_servers(shop.project, files={"command": "f", "env": {"SLACK_TOKEN": fake_secret("slack")}})

    assert code(shop, "--yes") == 3


def test_the_help_tells_the_codes(shop: CommandLine) -> None:
    said = " ".join(shop.run_in_process("sync", "--help").out.split())

    assert all(words in said for words in ("Exit code: 0", "1 something remains", "3 nothing was done"))
