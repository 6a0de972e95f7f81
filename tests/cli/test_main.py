"""The command itself: version, help, what it does on its own, what it loads, and its errors."""

from __future__ import annotations

import json
import subprocess

import pytest

from sightline import __version__
from tests.cli.command_line import CommandLine
from tests.support.wire import HANDSHAKE, SIGHTLINE, end


def test_version_says_the_version(sightline: CommandLine) -> None:
    ended = sightline.run("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"sightline, version {__version__}\n", "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_every_subcommand(sightline: CommandLine, flag: str) -> None:
    ended = sightline.run(flag)
    assert ended.code == 0
    assert all(f"  {name} " in ended.out for name in ("serve", "check", "call", "tools", "config", "trust"))


@pytest.mark.parametrize("name", ["serve", "check", "call", "tools", "config", "trust"])
def test_every_subcommand_has_a_help_of_its_own(sightline: CommandLine, name: str) -> None:
    ended = sightline.run_in_process(name, "--help")
    assert ended.code == 0
    assert f" {name} [OPTIONS]" in ended.out
    assert ended.err == ""


def test_alone_on_a_terminal_it_shows_help(sightline: CommandLine) -> None:
    ended = sightline.run_on_a_terminal()
    assert ended.code == 0
    assert "Usage: sightline" in ended.out
    assert "serve" in ended.out


def test_alone_without_a_terminal_it_serves(sightline: CommandLine) -> None:
    process = subprocess.Popen(
        [SIGHTLINE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=sightline.project,
        env=sightline.environment(),
    )
    try:
        assert process.stdin
        assert process.stdout
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
    finally:
        end(process)
        assert process.stdout
        process.stdout.close()
    assert answer["id"] == 1
    assert answer["result"]["serverInfo"]["name"] == "sightline"
    assert process.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["tools"], ["tools", "--json"], ["config", "show"], ["config", "show", "--json"]],
    ids=" ".join,
)
def test_a_light_subcommand_does_not_load_the_sdk(sightline: CommandLine, arguments: list[str]) -> None:
    ended = sightline.run_python("-X", "importtime", "-m", "sightline", *arguments)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in ended.err.splitlines()}
    assert ended.code == 0
    assert "sightline" in loaded
    assert loaded.isdisjoint({"mcp", "mcp_types", "starlette", "uvicorn", "httpx", "httpx2", "rich"})


def test_version_loads_next_to_nothing(sightline: CommandLine) -> None:
    ended = sightline.run_python("-X", "importtime", "-m", "sightline", "--version")
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in ended.err.splitlines()}
    assert loaded.isdisjoint({"pydantic", "anyio", "asyncio", "structlog", "psutil"})


@pytest.mark.parametrize("arguments", [["chek"], ["tools", "--nonsense"], ["check", "--severity", "huge"], ["call"]])
def test_a_mistake_in_the_command_is_a_usage_error_on_stderr(sightline: CommandLine, arguments: list[str]) -> None:
    ended = sightline.run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Error:" in ended.err


@pytest.mark.parametrize("command", [["tools"], ["config", "show"], ["check"], ["serve"], ["call", "health_check"]])
def test_bad_settings_end_every_command_with_message_and_hint(sightline: CommandLine, command: list[str]) -> None:
    sightline.write_user_file("[server]\nprot = 1\n")
    ended = sightline.run(*command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        f"error: unknown setting: `server.prot` in {sightline.user_file}",
        "hint: did you mean `server.port`?",
    ]


def test_a_reader_that_leaves_early_causes_no_traceback(sightline: CommandLine) -> None:
    process = subprocess.Popen(
        [SIGHTLINE, "config", "show", "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=sightline.project,
        env=sightline.environment(),
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    complaint = process.stderr.read().decode()
    process.stderr.close()
    process.wait(30)
    assert "Traceback" not in complaint
    assert "defect" not in complaint
