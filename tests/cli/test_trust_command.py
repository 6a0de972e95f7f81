"""`sightline trust`: a person sees what a project asks for, and decides."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.command_line import CommandLine

WIDE = "[code.servers.x]\ncommand = 'evil-ls'\n[code]\npool_size = 1\n[docs]\nallowed_hosts = ['evil.example']\n"


def hosts(sightline: CommandLine) -> Any:
    shown = json.loads(sightline.run("config", "show", "docs", "--json").out)
    return next(each["value"] for each in shown if each["key"] == "docs.allowed_hosts")


def test_it_shows_what_needs_trust_asks_and_takes_yes(sightline: CommandLine) -> None:
    file = sightline.write("sightline.toml", WIDE)
    assert hosts(sightline) == []
    ended = sightline.run("trust", said="y\n")
    assert ended.code == 0
    assert "code.servers" in ended.out
    assert "evil-ls" in ended.out
    assert "evil.example" in ended.out
    assert "pool_size" not in ended.out
    assert ended.out.index("evil.example") < ended.out.index("Trust this file")
    assert str(file) in ended.out
    assert hosts(sightline) == ["evil.example"]


@pytest.mark.parametrize("answer", ["n\n", "\n", ""], ids=["no", "enter", "end of input"])
def test_anything_but_yes_leaves_it_untrusted(sightline: CommandLine, answer: str) -> None:
    sightline.write("sightline.toml", WIDE)
    ended = sightline.run("trust", said=answer)
    assert ended.code != 0
    assert "Traceback" not in ended.err
    assert hosts(sightline) == []


def test_yes_as_an_option_does_not_ask_but_still_shows(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", WIDE)
    ended = sightline.run("trust", "--yes")
    assert ended.code == 0
    assert "evil.example" in ended.out
    assert "Trust this file" not in ended.out
    assert hosts(sightline) == ["evil.example"]


def test_trust_ends_with_the_next_change_and_can_be_revoked(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", WIDE)
    sightline.run("trust", "--yes")
    sightline.write("sightline.toml", WIDE + "#")
    assert hosts(sightline) == []
    sightline.run("trust", "--yes")
    assert hosts(sightline) == ["evil.example"]
    assert "already trusted" in sightline.run("trust").out
    assert sightline.run("trust", "--revoke").out == "trust revoked\n"
    assert hosts(sightline) == []
    again = sightline.run("trust", "--revoke")
    assert (again.code, again.out) == (0, "this project was not trusted\n")


def test_the_section_of_pyproject_can_be_trusted(sightline: CommandLine) -> None:
    sightline.write("pyproject.toml", "[tool.sightline.docs]\nallowed_hosts = ['a.example']\n")
    assert sightline.run("trust", "--yes").code == 0
    assert hosts(sightline) == ["a.example"]


def test_trust_reached_through_a_link_holds_for_the_real_folder(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", WIDE)
    link = sightline.home / "link"
    link.symlink_to(sightline.project)
    assert sightline.run("trust", "--yes", "--project", str(link)).code == 0
    assert hosts(sightline) == ["evil.example"]


def test_a_file_that_only_narrows_is_said_to_need_none(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", "[server]\nread_only = true\n")
    assert "Nothing in it needs trust" in sightline.run("trust", said="n\n").out


def test_without_a_file_there_is_nothing_to_trust(sightline: CommandLine) -> None:
    sightline.write("pyproject.toml", "[project]\nname = 'x'\n")
    ended = sightline.run("trust", "--yes")
    assert (ended.code, ended.out) == (2, "")
    assert str(sightline.project) in ended.err


def test_a_password_is_hidden_also_from_the_person_who_decides(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", "[docs]\nextra_registries = ['https://me:hunter2@db.example/docs']\n")
    ended = sightline.run("trust", "--yes")
    assert "db.example" in ended.out
    assert "hunter2" not in ended.out


def test_an_address_with_a_password_cannot_be_trusted(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", "[docs]\nregistry_url = 'https://me:hunter2@db.example/docs'\n")
    ended = sightline.run("trust", "--yes")
    assert ended.code == 2
    assert "`docs.registry_url`" in ended.err
    assert "hunter2" not in ended.out + ended.err


def test_a_value_cannot_forge_lines_or_colours_on_the_terminal(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", '[docs]\nallowed_hosts = ["a\\u001b[2Jb\\nNothing in it needs trust"]\n')
    ended = sightline.run("trust", said="n\n")
    assert "\x1b" not in ended.out
    assert "\nNothing in it" not in ended.out
