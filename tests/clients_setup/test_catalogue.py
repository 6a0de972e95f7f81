"""Where each client keeps its files, and what its entry says."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.clients import CLIENTS, Client, client_named
from sightline.clients.failures import ClientFailed
from sightline.clients.server_command import own_program, server_command
from tests.clients_setup.surroundings import PROGRAM, around_in, entry_for

ALL = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)


def test_the_documented_clients_are_there() -> None:
    assert [client.id for client in CLIENTS] == ["claude", "codex", "gemini", "opencode", "cursor", "vscode"]


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ],
)
def test_a_moved_home_is_honoured(name: str, variable: str, file: str, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    around = around_in(tmp_path, **{variable: str(moved)})
    assert client_named(name).files("user", around)[-1] == moved / file
    assert not client_named(name).files("project", around)[-1].is_relative_to(moved)


@pytest.mark.parametrize(
    ("name", "user", "project"),
    [
        ("claude", ".claude.json", ".mcp.json"),
        ("codex", ".codex/config.toml", ".codex/config.toml"),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
        ("opencode", ".config/opencode/opencode.json", "opencode.json"),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
        ("vscode", ".config/Code/User/mcp.json", ".vscode/mcp.json"),
    ],
)
def test_the_files_are_where_the_clients_look(name: str, user: str, project: str, tmp_path: Path) -> None:
    around = around_in(tmp_path)
    assert client_named(name).files("user", around)[-1] == around.home / user
    assert client_named(name).files("project", around)[-1] == around.project / project


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("darwin", "Library/Application Support"), ("win32", "AppData/Roaming"), ("linux", ".config")],
)
def test_vs_code_keeps_its_file_where_the_platform_does(platform: str, folder: str, tmp_path: Path) -> None:
    around = around_in(tmp_path, platform)
    assert client_named("vscode").files("user", around)[0] == around.home / folder / "Code/User/mcp.json"


@ALL
def test_an_entry_of_a_project_names_no_path_of_this_machine(client: Client) -> None:
    assert "/opt" in str(entry_for(client, "user"))
    assert "/opt" not in str(entry_for(client, "project"))
    assert "'sightline'" in str(entry_for(client, "project"))


@ALL
def test_options_for_the_server_come_last_and_replace_ours(client: Client) -> None:
    command = server_command(client, "user", (PROGRAM,), ("--context", "full", "--project", "/p"))
    assert [*command.args][1:] == ["--context", "full", "--project", "/p"]


@ALL
def test_the_options_are_those_that_the_server_takes(client: Client) -> None:
    from sightline.cli.serve_command import command as serve

    args = server_command(client, "user", (PROGRAM,)).args
    assert args[0] == "serve"
    with serve.make_context("serve", list(args[1:])) as parsed:
        assert parsed.params["context"] == client.context


@pytest.mark.parametrize(
    ("name", "program"), [("gemini", "/opt/$x/sightline"), ("claude", "/${A}/sightline"), ("opencode", "/{env:A}/s")]
)
def test_a_path_that_the_client_would_rewrite_is_refused(name: str, program: str) -> None:
    with pytest.raises(ClientFailed, match="has a meaning of its own"):
        server_command(client_named(name), "user", (program,))


def test_the_program_is_the_one_of_this_installation(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    assert own_program(python, "") == (str(python), "-m", "sightline")
    elsewhere = tmp_path / "path" / "sightline"
    elsewhere.parent.mkdir()
    elsewhere.touch(0o755)
    assert own_program(python, str(elsewhere.parent)) == (str(elsewhere),)
    beside = python.with_name("sightline")
    beside.touch(0o755)
    assert own_program(python, str(elsewhere.parent)) == (str(beside),)
