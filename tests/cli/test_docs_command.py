"""`sightline docs …`: library documentation for people, by the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.library_docs.bakery import make_project

OFFLINE = ("--set", "docs.offline=true")


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home", make_project(tmp_path))


def test_resolve_show_read_and_search(shop: CommandLine) -> None:
    resolved = shop.run("docs", "resolve", "widget>=2", *OFFLINE)
    shown = shop.run("docs", "show", "pypi:widget", "widget.turn", *OFFLINE)
    read = shop.run("docs", "read", "pkg:pypi/widget@2.0.0#README.md", "--section", "Routing errors", *OFFLINE)
    found = shop.run("docs", "search", "RouteError", *OFFLINE)

    assert "pypi:widget" in resolved.out
    assert "def turn(angle: float) -> None" in shown.out
    assert "RouteError" in read.out
    assert "Makes widgets" not in read.out.partition("outline:")[0]
    assert "pkg:pypi/widget@2.0.0#README.md" in found.out


def test_prefetch_status_and_clear(shop: CommandLine) -> None:
    named = shop.run("docs", "prefetch", "pypi:widget", *OFFLINE)
    before = shop.run("docs", "status", *OFFLINE)
    cleared = shop.run("docs", "clear", *OFFLINE)
    after = shop.run("docs", "status", *OFFLINE)

    assert (named.code, "pypi:widget: installed only, installed 2.0.0" in named.out) == (0, True)
    assert "documents of installed packages: 1, of 1 packages" in before.out
    assert "network: off" in before.out
    assert cleared.out == "1 documents removed\n"
    assert "documents of installed packages: 0, of 0 packages" in after.out


def test_a_name_that_nobody_knows_is_a_failure_with_suggestions(shop: CommandLine) -> None:
    ended = shop.run("docs", "show", "widgte", *OFFLINE)

    assert ended.code == 3
    assert "pypi:widget" in ended.err
    assert "not installed, not declared, not known" in ended.err
