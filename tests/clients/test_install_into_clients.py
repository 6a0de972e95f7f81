"""`sightline install` against the real clients: what it writes, each of them reads, and after uninstall none does."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.clients.dialects import OpenAiResponses
from tests.clients.programs import SIGHTLINE, Ended, Program
from tests.clients.scripted_model import DONE, scripted_model


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return folder


def sightline(client: Program, project: Path, *arguments: str, **variables: str) -> Ended:
    """Our command in the client's home, with the client on the PATH."""
    path = os.pathsep.join([str(client.path.parent), "/usr/bin", "/bin"])
    done = subprocess.run(
        [SIGHTLINE, *arguments],
        cwd=project,
        env={**client.environment(), "PATH": path, **variables},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_claude_code_writes_its_own_file_and_connects(claude: Program, project: Path) -> None:
    claude.run("mcp", "add", "--scope", "user", "other", "--", "/bin/false", folder=project)
    ended = sightline(claude, project, "install", "claude", "--yes")
    assert ended.code == 0, ended.all
    assert "`claude mcp get sightline`: connected:" in ended.out
    listed = claude.run("mcp", "list", folder=project)
    assert "sightline:" in listed.out
    assert "✔ Connected" in listed.out
    assert "other:" in listed.out
    again = sightline(claude, project, "install", "claude", "--yes", "--no-verify")
    assert "already registered" in again.out
    assert sightline(claude, project, "uninstall", "claude", "--yes").code == 0
    known = json.loads((claude.home / ".claude.json").read_text())
    assert list(known["mcpServers"]) == ["other"]


def test_claude_code_replaces_an_entry_by_force(claude: Program, project: Path) -> None:
    claude.run("mcp", "add", "--scope", "user", "sightline", "--", "/bin/false", folder=project)
    assert sightline(claude, project, "install", "claude", "--yes").code == 3
    ended = sightline(claude, project, "install", "claude", "--yes", "--force")
    assert (ended.code, "connected:" in ended.out) == (0, True), ended.all


def test_claude_code_in_a_moved_home(claude: Program, project: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    ended = sightline(claude, project, "install", "claude", "--yes", CLAUDE_CONFIG_DIR=str(moved))
    assert ended.code == 0, ended.all
    assert "sightline" in json.loads((moved / ".claude.json").read_text())["mcpServers"]
    assert not (claude.home / ".claude.json").exists()


def test_claude_code_waits_for_approval_of_a_project(claude: Program, project: Path) -> None:
    ended = sightline(claude, project, "install", "claude", "--scope", "project", "--yes")
    assert ended.code == 0, ended.all
    assert "`claude mcp get sightline`: waiting:" in ended.out
    assert "asks each person" in ended.err


def test_codex_reads_the_entry_and_keeps_the_rest(codex: Program, project: Path) -> None:
    config = codex.home / ".codex" / "config.toml"
    config.parent.mkdir()
    before = '# mine\nmodel = "x" # kept\n\n[mcp_servers.other]\ncommand = "/bin/false"\n'
    config.write_text(before)
    ended = sightline(codex, project, "install", "codex", "--yes")
    assert ended.code == 0, ended.all
    assert "`codex mcp get sightline --json`: listed:" in ended.out
    known = json.loads(codex.run("mcp", "list", "--json", folder=project).out)
    assert {each["name"]: each["transport"]["command"] for each in known} == {
        "other": "/bin/false",
        "sightline": str(SIGHTLINE),
    }
    strict = codex.run("app-server", "--strict-config", "--print-startup-config", folder=project)
    assert "unknown configuration field" not in strict.all
    assert sightline(codex, project, "uninstall", "codex", "--yes").code == 0
    assert config.read_text() == before


def test_codex_waits_until_a_project_is_trusted(codex: Program, project: Path) -> None:
    ended = sightline(codex, project, "install", "codex", "--scope", "project", "--yes")
    assert ended.code == 0, ended.all
    assert "`codex mcp get sightline --json`: waiting:" in ended.out
    config = codex.home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f'[projects."{project}"]\ntrust_level = "trusted"\n')
    trusted = sightline(codex, project, "install", "codex", "--scope", "project", "--yes")
    assert "`codex mcp get sightline --json`: listed:" in trusted.out


def test_codex_in_a_moved_home(codex: Program, project: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    ended = sightline(codex, project, "install", "codex", "--yes", CODEX_HOME=str(moved))
    assert (ended.code, "listed:" in ended.out) == (0, True), ended.all
    assert (moved / "config.toml").exists()


def test_gemini_connects_in_a_trusted_folder_and_waits_elsewhere(gemini: Program, project: Path) -> None:
    trusted = sightline(gemini, project, "install", "gemini", "--yes")
    assert trusted.code == 0, trusted.all
    assert "`gemini mcp list`: connected:" in trusted.out
    untrusted = sightline(gemini, project, "install", "gemini", "--yes", GEMINI_CLI_TRUST_WORKSPACE="")
    assert "`gemini mcp list`: waiting:" in untrusted.out
    assert "not trusted" in untrusted.err
    assert sightline(gemini, project, "uninstall", "gemini", "--yes").code == 0
    assert "sightline" not in gemini.run("mcp", "list", folder=project).all


def test_gemini_in_a_moved_home_and_in_a_project(gemini: Program, project: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    ended = sightline(gemini, project, "install", "gemini", "--yes", GEMINI_CLI_HOME=str(moved))
    assert (ended.code, "connected:" in ended.out) == (0, True), ended.all
    assert (moved / ".gemini" / "settings.json").exists()
    path = f"{gemini.environment()['PATH']}{os.pathsep}{SIGHTLINE.parent}"
    shared = sightline(gemini, project, "install", "gemini", "--scope", "project", "--yes", PATH=path)
    assert (shared.code, "connected:" in shared.out) == (0, True), shared.all


def test_opencode_connects_and_a_command_that_fails_is_said(opencode: Program, project: Path) -> None:
    ended = sightline(opencode, project, "install", "opencode", "--yes")
    assert ended.code == 0, ended.all
    assert "`opencode mcp list`: connected:" in ended.out
    config = opencode.home / ".config" / "opencode" / "opencode.json"
    assert sightline(opencode, project, "uninstall", "opencode", "--yes").code == 0
    assert list(json.loads(config.read_text())) == ["$schema"], "OpenCode adds it to every file that it reads"
    # The name alone is not on this PATH, so that the client cannot start it.
    failed = sightline(opencode, project, "install", "opencode", "--scope", "project", "--yes")
    assert failed.code == 1, failed.all
    assert "`opencode mcp list`: failed:" in failed.out
    assert "not on your PATH" in failed.err


CODEX_MODEL = """model = "scripted"
model_provider = "scripted"
approval_policy = "never"
[model_providers.scripted]
name = "scripted"
base_url = "{base}/v1"
wire_api = "responses"
"""


def test_codex_waits_for_a_server_that_a_person_marks_as_required(codex: Program, project: Path) -> None:
    """Without the mark it waits a second, and then asks its model without the server's tools."""
    file = codex.home / ".codex" / "config.toml"
    with scripted_model(OpenAiResponses(), []) as model:
        file.parent.mkdir()
        file.write_text(CODEX_MODEL.format(base=model.base))
        assert sightline(codex, project, "install", "codex", "--yes").code == 0
        file.write_text(f"{file.read_text()}required = true\nstartup_timeout_sec = 60\n")
        marked = file.read_text()
        again = sightline(codex, project, "install", "codex", "--yes")
        assert (again.code, "already registered" in again.out) == (0, True), again.all
        assert file.read_text() == marked
        ended = codex.run("exec", "--skip-git-repo-check", "hello", folder=project)
    assert DONE in ended.out
    first = next(each for each in model.asked if each.path.endswith("/responses"))
    assert "mcp__sightline" in json.dumps(first.body["tools"])


def test_codex_starts_without_us_when_we_are_gone(codex: Program, project: Path) -> None:
    """Which it would not, were the server required: an entry of ours must not keep its client from starting."""
    file = codex.home / ".codex" / "config.toml"
    with scripted_model(OpenAiResponses(), []) as model:
        file.parent.mkdir()
        file.write_text(CODEX_MODEL.format(base=model.base))
        assert sightline(codex, project, "install", "codex", "--yes").code == 0
        file.write_text(file.read_text().replace(str(SIGHTLINE), str(project / "gone" / "sightline")))
        ended = codex.run("exec", "--skip-git-repo-check", "hello", folder=project)
    assert (ended.code, DONE in ended.out) == (0, True), ended.all


def test_gemini_that_blocks_the_server_is_not_said_to_list_it(gemini: Program, project: Path) -> None:
    file = gemini.home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"mcp": {"excluded": ["sightline"]}}')
    ended = sightline(gemini, project, "install", "gemini", "--yes")
    assert (ended.code, "failed:" in ended.out, "Blocked" in ended.out) == (1, True, True), ended.all
