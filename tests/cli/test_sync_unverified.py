"""A CLI that has not understood what was written for it: that is told until it has, and it is asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.cli.test_sync_exit_codes import NO_CLIS, SAYS_NOTHING_IS_THERE, with_codex
from tests.sync.tools.small_project import make_small_project, set_servers

CANNOT_BE_ASKED = '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit\necho no JSON\n'
LISTS_ITS_SERVERS = """#!/bin/sh
[ "$1" = --version ] && echo codex-cli 0.166.0 && exit
[ "$1" = mcp ] && cat {listed} && exit
echo []
"""


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    project = make_small_project(tmp_path.resolve())
    return CommandLine(project.parent / "home", project)


def test_what_has_failed_is_told_by_status_and_later_runs(shop: CommandLine) -> None:
    path = with_codex(shop, SAYS_NOTHING_IS_THERE)
    assert shop.run("sync", "--yes", "--target", "codex", PATH=path).code == 1

    later = {
        words: shop.run("sync", *words, "--target", "codex", PATH=NO_CLIS) for words in ((), ("--check",), ("status",))
    }

    assert [ended.code for ended in later.values()] == [1, 1, 0]
    assert all("the CLI does not list it" in later[words].out for words in ((), ("status",)))
    assert "codex: not understood" in later["--check",].out
    assert "not_understood" in later["status",].out
    # No other target has been asked, so nothing is said of them.
    assert shop.run("sync", "--yes", "--target", "gemini", PATH=NO_CLIS).code == 0
    assert shop.run("sync", "--check", "--target", "gemini", PATH=NO_CLIS).code == 0


def test_it_is_asked_again_until_it_has_understood(shop: CommandLine) -> None:
    listed = shop.project.parent / "listed.json"
    path = with_codex(shop, LISTS_ITS_SERVERS.format(listed=listed))
    set_servers(shop.project)
    shop.write("CLAUDE.md", "")
    for name in ("agents", "commands", "skills"):
        for each in (shop.project / ".claude" / name).rglob("*.md"):
            each.unlink()
    set_servers(shop.project, files={"command": "f"})
    listed.write_text("[]")
    told = [shop.run("sync", "--yes", "--target", "codex", PATH=path) for _ in range(3)]
    assert [ended.code for ended in told] == [1, 1, 1]
    config = shop.project / ".codex/config.toml"
    before = config.stat().st_mtime_ns

    transport: dict[str, object] = {
        "type": "stdio",
        "command": "f",
        "args": [],
        "env": None,
        "env_vars": [],
        "cwd": None,
    }
    listed.write_text(json.dumps([{"name": "files", "enabled": True, "transport": transport}]))
    again = shop.run("sync", "--yes", "--target", "codex", PATH=path)
    listed.write_text("[]")

    assert (again.code, "codex 0.166.0: verified" in again.out) == (0, True), again.out
    assert config.stat().st_mtime_ns == before
    assert shop.run("sync", "--yes", "--target", "codex", PATH=path).code == 0
    assert shop.run("sync", "--check", "--target", "codex", PATH=path).code == 0


def test_what_could_not_be_asked_is_told_but_is_no_failure(shop: CommandLine) -> None:
    path = with_codex(shop, CANNOT_BE_ASKED)
    first = shop.run("sync", "--yes", "--target", "codex", PATH=path)
    status = shop.run("sync", "status", "--target", "codex", PATH=NO_CLIS)

    assert (first.code, shop.run("sync", "--check", "--target", "codex", PATH=NO_CLIS).code) == (0, 0)
    assert "could not be asked" in status.out


def test_whoever_wants_nobody_to_be_asked_is_told_nothing_more(shop: CommandLine) -> None:
    shop.run("sync", "--yes", "--target", "codex", PATH=with_codex(shop, SAYS_NOTHING_IS_THERE))

    never = shop.run("sync", "--yes", "--target", "codex", "--set", "sync.verify=never", PATH=NO_CLIS)

    assert never.code == 0
    assert shop.run("sync", "--check", "--target", "codex", PATH=NO_CLIS).code == 0


def test_a_sync_that_is_taken_back_takes_its_verdict_along(shop: CommandLine) -> None:
    (shop.project / "own.md").write_text("x")
    shop.run("sync", "--yes", "--target", "codex", PATH=NO_CLIS)
    shop.write("CLAUDE.md", "# Shop\n\nUse spaces.\n")
    shop.run("sync", "--yes", "--target", "codex", PATH=with_codex(shop, SAYS_NOTHING_IS_THERE))
    assert "does not list it" in shop.run("sync", "status", PATH=NO_CLIS).out

    shop.run("sync", "rollback", "--yes", PATH=NO_CLIS)

    assert "does not list it" not in shop.run("sync", "status", PATH=NO_CLIS).out


def test_conflicts_are_shown_when_it_is_asked_again(shop: CommandLine) -> None:
    path = with_codex(shop, SAYS_NOTHING_IS_THERE)
    shop.run("sync", "--yes", "--target", "codex", PATH=path)
    agent = shop.project / ".codex/agents/tester.toml"
    agent.write_text(agent.read_text().replace("Runs tests", "Mine"))
    source = shop.project / ".claude/agents/tester.md"
    source.write_text(source.read_text().replace("Runs tests", "Runs all tests"))

    again = shop.run("sync", "--yes", "--target", "codex", PATH=path)

    assert again.code == 1
    assert ".codex/agents/tester.toml: " in again.out
    assert "codex 0.166.0: failed" in again.out
