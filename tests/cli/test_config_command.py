"""`sightline config show`: every value with its origin, and no secret."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sightline.config.keys import all_keys
from tests.cli.command_line import CommandLine, Ended


def settings_of(ended: Ended) -> dict[str, dict[str, Any]]:
    assert ended.code == 0, ended.err
    return {each["key"]: each for each in json.loads(ended.out)}


def test_text_shows_every_setting_with_its_origin(sightline: CommandLine) -> None:
    sightline.write_user_file("[server]\nport = 1\n")
    project_file = sightline.write("sightline.toml", "[server]\nread_only = true\n")
    ended = sightline.run(
        "config", "show", "--set", "code.pool_size=2", SIGHTLINE_DOCS__OFFLINE="true", SIGHTLINE_SERVER__CONTEXT="codex"
    )
    lines = ended.out.splitlines()
    assert ended.code == 0
    assert [line.partition(" = ")[0] for line in lines] == list(all_keys())
    assert f"server.port = 1 (user file: {sightline.user_file})" in lines
    assert f"server.read_only = true (project file: {project_file})" in lines
    assert "output.max_total_chars = 8000 (preset: context codex)" in lines
    assert "server.host = 127.0.0.1 (default)" in lines
    assert any(line.startswith("docs.offline = true (environment") for line in lines)
    assert any(line.startswith("code.pool_size = 2 (command line") for line in lines)
    assert "\x1b" not in ended.out


def test_json_shows_the_same(sightline: CommandLine) -> None:
    sightline.write_user_file("[server]\nport = 1\n")
    shown = settings_of(sightline.run("config", "show", "--json"))
    assert list(shown) == list(all_keys())
    assert shown["server.port"] == {
        "key": "server.port",
        "value": 1,
        "origin": "user file",
        "place": str(sightline.user_file),
    }
    assert shown["server.context"] == {"key": "server.context", "value": None, "origin": "default"}
    assert shown["server.toolsets"]["value"] == ["code", "docs", "sync"]


def test_a_section_is_shown_alone(sightline: CommandLine) -> None:
    ended = sightline.run("config", "show", "logging")
    assert [line.partition(" = ")[0] for line in ended.out.splitlines()] == [
        "logging.level",
        "logging.mode",
        "logging.format",
        "logging.dir",
        "logging.metrics",
    ]
    assert list(settings_of(sightline.run("config", "show", "output", "--json"))) == [
        "output.format",
        "output.max_total_chars",
        "output.max_results",
    ]


def test_a_section_that_does_not_exist_is_refused(sightline: CommandLine) -> None:
    ended = sightline.run("config", "show", "serv")
    assert (ended.code, ended.out) == (2, "")
    assert "serv" in ended.err


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_what_was_ignored_is_said_on_stderr(sightline: CommandLine, form: list[str]) -> None:
    sightline.write("sightline.toml", "[server]\nhost = '0.0.0.0'\n")
    ended = sightline.run("config", "show", *form)
    assert "0.0.0.0" not in ended.out
    assert "`server.host`" in ended.err
    assert "sightline trust" in ended.err


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_no_secret_is_shown(sightline: CommandLine, form: list[str]) -> None:
    sightline.write_user_file(
        "[docs]\nstore_url = 'postgresql://me:hunter2@db.example/docs'\n"
        "[code.servers.x]\ncommand = 'x-ls'\nenv = { PLAIN = 'hunter2' }\nsettings = { licenseToken = 'hunter2' }\n"
    )
    ended = sightline.run("config", "show", *form)
    assert ended.code == 0
    assert "hunter2" not in ended.out + ended.err
    assert all(kept in ended.out for kept in ("db.example", "x-ls", "PLAIN", "licenseToken"))


def test_a_secret_in_the_environment_is_not_shown(sightline: CommandLine) -> None:
    servers = '{"x": {"env": {"PLAIN": "hunter2"}}}'
    ended = sightline.run(
        "config", "show", SIGHTLINE_CODE__SERVERS=servers, SIGHTLINE_DOCS__STORE_URL="pg://u:hunter2@h"
    )
    assert ended.code == 0
    assert "hunter2" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("where", "arguments"),
    [
        ("user file", []),
        ("sightline.toml", []),
        ("pyproject.toml", []),
        ("command line", ["--set", "server.prot=1"]),
    ],
)
def test_an_unknown_key_is_refused_wherever_it_stands(sightline: CommandLine, where: str, arguments: list[str]) -> None:
    if where == "user file":
        sightline.write_user_file("[server]\nprot = 1\n")
    elif where.endswith(".toml"):
        table = "tool.sightline.server" if where == "pyproject.toml" else "server"
        sightline.write(where, f"[{table}]\nprot = 1\n")
    ended = sightline.run("config", "show", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "`server.prot`" in ended.err
    assert "hint: did you mean `server.port`?" in ended.err


def test_an_unknown_key_in_the_environment_is_refused_with_the_variable(sightline: CommandLine) -> None:
    ended = sightline.run("config", "show", SIGHTLINE_SERVER__PROT="1")
    assert (ended.code, ended.out) == (2, "")
    assert "`server.prot` in environment variable `SIGHTLINE_SERVER__PROT`" in ended.err
    assert "hint: did you mean `server.port`?" in ended.err


@pytest.mark.parametrize("assignment", ["server.port", "server.port=eighty", "=1"])
def test_an_assignment_that_makes_no_sense_is_refused(sightline: CommandLine, assignment: str) -> None:
    ended = sightline.run("config", "show", "--set", assignment)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert "hint: " in ended.err


def test_the_project_is_the_option_then_the_clients_variable_then_the_folder(sightline: CommandLine) -> None:
    for number, name in enumerate(("here", "variable", "option"), start=1):
        sightline.write(f"{name}/sightline.toml", f"[code]\npool_size = {number}\n")
    here, variable, option = (sightline.project / name for name in ("here", "variable", "option"))

    def pool_size(*arguments: str, **environment: str) -> int:
        shown = sightline.run("config", "show", "code", "--json", *arguments, folder=here, **environment)
        return settings_of(shown)["code.pool_size"]["value"]

    assert pool_size() == 1
    assert pool_size(CLAUDE_PROJECT_DIR=str(variable)) == 2
    assert pool_size("--project", str(option), CLAUDE_PROJECT_DIR=str(variable)) == 3
    assert pool_size("--project", "../option") == 3


@pytest.mark.parametrize("name", ["missing", "file.txt"])
def test_a_project_that_is_no_folder_is_refused(sightline: CommandLine, name: str) -> None:
    sightline.write("file.txt", "")
    ended = sightline.run("config", "show", "--project", name)
    assert (ended.code, ended.out) == (2, "")
    assert str(sightline.project / name) in ended.err
    assert "hint: " in ended.err
