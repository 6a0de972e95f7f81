"""What has the name of a settings file and is none, a pipe or a folder, is named at once; no command waits for it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine

FILES = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "config/opencode/opencode.json",
    "cursor": ".cursor/mcp.json",
    "vscode": "config/Code/User/mcp.json",
}
NOBODY = "/usr/bin:/bin"


def make_pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("name", FILES)
def test_a_client_whose_file_is_a_pipe_gets_no_entry(sightline: CommandLine, name: str) -> None:
    pipe = make_pipe(sightline.home / FILES[name])
    for command in ("install", "uninstall"):
        ended = sightline.run(command, name, "--yes", PATH=NOBODY)
        assert (ended.code, ended.out) == (3, "")
        assert f"`{pipe}` cannot be read: it is not a regular file" in ended.err
        assert "hint: move away" in ended.err
    assert pipe.is_fifo()
    assert not (sightline.home / "data").exists()


def test_a_client_whose_file_is_a_folder_or_a_device_gets_no_entry(sightline: CommandLine) -> None:
    path = sightline.home / FILES["cursor"]
    path.mkdir(parents=True)
    assert "not a regular file" in sightline.run("install", "cursor", "--yes").err
    path.rmdir()
    path.symlink_to("/dev/zero")
    ended = sightline.run("install", "cursor", "--yes")
    assert (ended.code, "not a regular file" in ended.err) == (3, True)


def test_doctor_names_every_pipe_and_goes_on(sightline: CommandLine) -> None:
    pipes = [make_pipe(sightline.home / name) for name in FILES.values()]
    cache = make_pipe(sightline.home / "data/sightline/docs.sqlite3")
    records = make_pipe(sightline.home / "data/sightline/registrations.json")
    registry = make_pipe(sightline.home / "data/sightline/registry/known-libraries.json")
    make_pipe(sightline.project / "pyproject.toml")
    ended = sightline.run("doctor", "--json", "--fix", PATH=NOBODY)
    assert ended.code == 1, ended.err
    findings = json.loads(ended.out)["findings"]
    told = [each["message"] for each in findings if "not a regular file" in each["message"]]
    for path in (*pipes, cache, records):
        assert sum(str(path) in each for each in told) >= 1, path
    assert any(registry.name in each for each in told)
    assert records.is_fifo(), "what is not damaged is not set aside"
    assert findings[-1]["check"] == "clients"


def test_settings_that_are_a_pipe_are_an_error_and_nobody_waits(sightline: CommandLine) -> None:
    pipe = make_pipe(sightline.user_file)
    ended = sightline.run("config", "show")
    assert (ended.code, f"{pipe}: it is not a regular file" in ended.err) == (2, True), ended.err
    pipe.unlink()
    pipe = make_pipe(sightline.project / "sightline.toml")
    ended = sightline.run("config", "show")
    assert (ended.code, f"{pipe}: it is not a regular file" in ended.err) == (2, True), ended.err


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/commands/x.md", "CLAUDE.md"])
def test_a_pipe_among_the_sources_is_named(sightline: CommandLine, name: str) -> None:
    make_pipe(sightline.project / name)
    ended = sightline.run("sync", "--dry-run", PATH=NOBODY)
    assert "Traceback" not in ended.err
    assert name in ended.out + ended.err


@pytest.mark.parametrize("target", ["codex", "gemini", "opencode"])
def test_a_pipe_in_the_place_of_a_target_is_named_and_kept(sightline: CommandLine, target: str) -> None:
    (sightline.home / ".claude.json").write_text('{"mcpServers": {"x": {"command": "x"}}}')
    pipe = make_pipe(sightline.home / FILES[target])
    ended = sightline.run("sync", "--yes", "--target", target, "--scope", "user", PATH=NOBODY)
    assert "Traceback" not in ended.err
    assert FILES[target] in ended.out + ended.err, ended.out
    assert pipe.is_fifo()
