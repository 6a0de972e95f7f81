"""`sightline install` and `uninstall`: shown first, asked for, written once, and taken back to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.support.wire import SIGHTLINE

CURSOR = ".cursor/mcp.json"
FOREIGN = '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}}\n}\n'


def cursor_file(sightline: CommandLine, content: str | None = None) -> Path:
    path = sightline.home / CURSOR
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        path.write_text(content)
    return path


def test_the_entry_names_this_very_command_and_a_second_run_writes_nothing(sightline: CommandLine) -> None:
    ended = sightline.run("install", "cursor", "--yes")
    assert ended.code == 0, ended.err
    path = sightline.home / CURSOR
    entry = json.loads(path.read_text())["mcpServers"]["sightline"]
    assert entry["command"] == str(SIGHTLINE)
    assert f"+++ {path}" in ended.out
    assert "was not asked" in ended.err
    before = path.stat()
    again = sightline.run("install", "cursor", "--yes")
    assert again.code == 0
    assert "already registered" in again.out
    assert "+++" not in again.out
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_dry_run_shows_the_change_and_writes_nothing(sightline: CommandLine) -> None:
    path = cursor_file(sightline, FOREIGN)
    ended = sightline.run("install", "cursor", "--dry-run")
    assert ended.code == 0
    assert '+    "sightline": {' in ended.out or '"sightline"' in ended.out
    assert "nothing is written" in ended.err
    assert path.read_text() == FOREIGN
    assert not (sightline.home / "data").exists()


def test_without_a_terminal_nothing_is_written_unless_yes_is_said(sightline: CommandLine) -> None:
    path = cursor_file(sightline, FOREIGN)
    ended = sightline.run("install", "cursor", said="y\n")
    assert ended.code == 2
    assert "--yes" in ended.err
    assert path.read_text() == FOREIGN


def test_uninstall_gives_the_file_back_to_the_byte(sightline: CommandLine) -> None:
    path = cursor_file(sightline, FOREIGN)
    sightline.run("install", "cursor", "--yes")
    assert path.read_text() != FOREIGN
    assert "// mine" in path.read_text()
    ended = sightline.run("uninstall", "cursor", "--yes")
    assert ended.code == 0, ended.err
    assert path.read_text() == FOREIGN
    again = sightline.run("uninstall", "cursor", "--yes")
    assert (again.code, "not registered" in again.out) == (0, True)


def test_another_entry_of_that_name_is_shown_and_replaced_only_by_force(sightline: CommandLine) -> None:
    other = '{"mcpServers": {"sightline": {"command": "/else/where", "args": []}}}'
    path = cursor_file(sightline, other)
    for arguments in (["install", "cursor", "--yes"], ["uninstall", "cursor", "--yes"]):
        ended = sightline.run(*arguments)
        assert ended.code == 3
        assert "/else/where" in ended.out
        assert f"{path}:1" in ended.err
        assert "--force" in ended.err
        assert path.read_text() == other
    assert sightline.run("install", "cursor", "--yes", "--force").code == 0
    assert json.loads(path.read_text())["mcpServers"]["sightline"]["command"] == str(SIGHTLINE)


def test_our_own_entry_is_changed_without_force(sightline: CommandLine) -> None:
    sightline.run("install", "cursor", "--yes")
    ended = sightline.run("install", "cursor", "--yes", "--", "--read-only")
    assert ended.code == 0, ended.err
    assert "--read-only" in (sightline.home / CURSOR).read_text()
    sightline.run("uninstall", "cursor", "--yes")
    assert not (sightline.home / ".cursor").exists()


def test_a_secret_in_the_entry_that_is_replaced_is_not_shown(sightline: CommandLine) -> None:
    secret = "ghp_" + "a1B2" * 9
    other = {"command": "x", "env": {"GITHUB_TOKEN": secret}}
    cursor_file(sightline, json.dumps({"mcpServers": {"sightline": other}}, indent=2))
    ended = sightline.run("install", "cursor", "--dry-run")
    assert "--force" in ended.err
    assert secret not in ended.out + ended.err


def test_the_key_of_a_service_that_the_entry_connects_to_is_not_shown(sightline: CommandLine) -> None:
    key = "i95yzKpn" + "bxgmUif_YzJC" + "XcHauqcBsyeb"
    other = {"url": "http://127.0.0.1:8765/mcp", "headers": {"Authorization": f"Bearer {key}"}}
    cursor_file(sightline, json.dumps({"mcpServers": {"sightline": other}}, indent=2))
    for command in ("install", "uninstall"):
        ended = sightline.run(command, "cursor", "--dry-run")
        assert "127.0.0.1:8765" in ended.out
        assert key not in ended.out + ended.err


def test_a_comment_cannot_forge_colours_on_the_terminal(sightline: CommandLine) -> None:
    cursor_file(sightline, '{"mcpServers": {"sightline": {"command": "x" /* \x1b[2J */}}}')
    ended = sightline.run("install", "cursor", "--dry-run")
    assert "\\x1b[2J" in ended.out
    assert "\x1b" not in ended.out


def test_a_broken_file_is_refused_with_its_line(sightline: CommandLine) -> None:
    path = cursor_file(sightline, '{\n  "mcpServers": {,}\n}')
    ended = sightline.run("install", "cursor", "--yes")
    assert (ended.code, ended.out) == (3, "")
    assert f"{path}:2:" in ended.err
    assert "Traceback" not in ended.err


def test_a_wrong_option_for_the_server_is_told_at_once(sightline: CommandLine) -> None:
    ended = sightline.run("install", "cursor", "--yes", "--", "--no-such-thing")
    assert ended.code == 2
    assert "--no-such-thing" in ended.err
    assert not (sightline.home / CURSOR).exists()


def test_a_project_gets_the_name_of_the_command_and_no_path(sightline: CommandLine) -> None:
    ended = sightline.run("install", "vscode", "--scope", "project", "--yes", PATH="/usr/bin")
    entry = json.loads((sightline.project / ".vscode/mcp.json").read_text())["servers"]["sightline"]
    assert entry == {"type": "stdio", "command": "sightline", "args": ["serve", "--project", "${workspaceFolder}"]}
    assert "not on your PATH" in ended.err


def test_a_link_to_a_file_kept_elsewhere_stays_a_link(sightline: CommandLine) -> None:
    kept = sightline.home / "dotfiles.json"
    kept.write_text(FOREIGN)
    link = cursor_file(sightline)
    link.symlink_to(kept)
    assert sightline.run("install", "cursor", "--yes").code == 0
    assert link.is_symlink()
    assert "sightline" in kept.read_text()


def test_a_file_that_may_not_be_written_is_no_reason_to_try_again(sightline: CommandLine) -> None:
    path = cursor_file(sightline, FOREIGN)
    path.chmod(0o400)
    ended = sightline.run("install", "cursor", "--yes")
    assert (ended.code, "read-only" in ended.err, "again" in ended.err) == (3, True, False)
    assert path.read_text() == FOREIGN


def test_a_file_that_was_made_behind_a_link_is_taken_away_and_the_link_stays(sightline: CommandLine) -> None:
    kept = sightline.home / "dotfiles.json"
    link = cursor_file(sightline)
    link.symlink_to(kept)
    assert sightline.run("install", "cursor", "--yes").code == 0
    ended = sightline.run("uninstall", "cursor", "--yes")
    assert ended.code == 0, ended.err
    assert link.is_symlink()
    assert not kept.exists()


@pytest.mark.parametrize(("typed", "is_written"), [("\n", True), ("y\n", True), ("n\n", False)])
def test_a_terminal_is_asked_once(sightline: CommandLine, typed: str, is_written: bool) -> None:
    ended = sightline.run_on_a_terminal("install", "cursor", typed=typed)
    assert ended.out.count("Write this?") == 1
    assert (sightline.home / CURSOR).exists() == is_written
    assert (ended.code == 0) == is_written


@pytest.mark.parametrize(("typed", "is_written"), [("\n", False), ("y\n", True)])
def test_a_terminal_is_asked_whether_to_lose_another_entry(
    sightline: CommandLine, typed: str, is_written: bool
) -> None:
    path = cursor_file(sightline, '{"mcpServers": {"sightline": {"command": "/else/where"}}}')
    ended = sightline.run_on_a_terminal("install", "cursor", typed=typed)
    assert "/else/where" in ended.out
    assert "Write this?" not in ended.out
    assert (ended.code, str(SIGHTLINE) in path.read_text()) == ((0, True) if is_written else (3, False))


def test_a_read_only_preset_is_said_unless_the_choice_was_made(sightline: CommandLine) -> None:
    assert "-- --read-write" in sightline.run("install", "codex", "--yes", "--no-verify").err
    ended = sightline.run("install", "codex", "--yes", "--no-verify", "--", "--read-write")
    assert (ended.code, "read-only" in ended.err) == (0, False)


def client_program(sightline: CommandLine, name: str, script: str) -> str:
    """A client that misbehaves in a way that the real one cannot be made to; the PATH that leads to it."""
    program = sightline.home / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"{program.parent}:/usr/bin:/bin"


def test_a_client_that_refuses_to_write_is_an_error_and_nothing_is_written_instead(sightline: CommandLine) -> None:
    path = client_program(sightline, "claude", "echo 'no room' >&2; exit 7")
    ended = sightline.run("install", "claude", "--yes", PATH=path)
    assert ended.code == 3
    assert "`claude mcp add-json` ended with 7: no room" in ended.err
    assert not (sightline.home / ".claude.json").exists()


def test_a_client_that_says_done_and_did_nothing_is_not_believed(sightline: CommandLine) -> None:
    path = client_program(sightline, "claude", "exit 0")
    ended = sightline.run("install", "claude", "--yes", PATH=path)
    assert ended.code == 3
    assert "does not have the entry" in ended.err
    (sightline.home / ".claude.json").write_text('{"mcpServers": {"sightline": {"command": "sightline"}}}')
    ended = sightline.run("uninstall", "claude", "--yes", PATH=path)
    assert (ended.code, "still has the entry" in ended.err) == (3, True)


def test_an_entry_that_is_lost_half_way_is_said_to_be_lost(sightline: CommandLine) -> None:
    file = sightline.home / ".claude.json"
    file.write_text('{"mcpServers": {"sightline": {"command": "x"}}}')
    path = client_program(sightline, "claude", f'[ "$2" = remove ] && echo "{{}}" > "{file}" || exit 9')
    ended = sightline.run("install", "claude", "--yes", "--force", PATH=path)
    assert ended.code == 3
    assert "is taken out already" in ended.err


@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ("echo '✓ sightline connected'", 0, "connected: ✓ sightline connected"),
        ("echo '✗ sightline failed'", 1, "failed: ✗ sightline failed"),
        ("echo 'no servers'", 1, "failed: no servers"),
    ],
)
def test_what_the_client_says_of_it_is_told_and_is_the_exit_code(
    sightline: CommandLine, script: str, code: int, said: str
) -> None:
    ended = sightline.run("install", "opencode", "--yes", PATH=client_program(sightline, "opencode", script))
    assert (ended.code, f"`opencode mcp list`: {said}\n" in ended.out) == (code, True), ended.out
    assert (sightline.home / "config" / "opencode" / "opencode.json").exists()


def test_a_client_that_gave_up_once_is_asked_again(sightline: CommandLine) -> None:
    mark = sightline.home / "asked"
    script = (
        f'if [ -e "{mark}" ]; then echo "✓ sightline connected"; else touch "{mark}"; echo "✗ sightline failed"; fi'
    )
    ended = sightline.run("install", "opencode", "--yes", PATH=client_program(sightline, "opencode", script))
    assert (ended.code, "connected: ✓ sightline connected" in ended.out) == (0, True)


def test_a_client_that_lies_in_the_project_is_not_run(sightline: CommandLine) -> None:
    sightline.write("bin/opencode", "#!/bin/sh\ntouch ran\n").chmod(0o755)
    ended = sightline.run("install", "opencode", "--yes", PATH=f"{sightline.project / 'bin'}:/usr/bin:/bin")
    assert "was not asked" in ended.err
    assert not (sightline.project / "ran").exists()


def test_a_second_way_to_the_same_tools_is_said(sightline: CommandLine) -> None:
    (sightline.home / ".gemini" / "extensions" / "sightline").mkdir(parents=True)
    ended = sightline.run("install", "gemini", "--yes", "--no-verify")
    assert ended.code == 0
    assert "in more than one way now, and one is enough: also the extension" in ended.err


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "opencode", "cursor", "vscode"])
def test_the_snippet_is_what_install_writes(sightline: CommandLine, name: str) -> None:
    shown = sightline.run("config", name, PATH="/usr/bin:/bin")
    assert shown.code == 0
    sightline.run("install", name, "--yes", "--no-verify", PATH="/usr/bin:/bin")
    path = Path(shown.err.removeprefix("in ").strip().removesuffix(":"))
    assert path.is_relative_to(sightline.home)
    assert path.read_text() == shown.out


def test_keys_that_a_person_set_beside_ours_are_kept(sightline: CommandLine) -> None:
    sightline.run("install", "codex", "--yes", "--no-verify")
    path = sightline.home / ".codex" / "config.toml"
    path.write_text(path.read_text() + "required = true\nstartup_timeout_sec = 30\n")
    before = path.read_text()
    again = sightline.run("install", "codex", "--yes", "--no-verify")
    assert (again.code, "already registered" in again.out) == (0, True), again.err
    assert path.read_text() == before
    ended = sightline.run("install", "codex", "--yes", "--no-verify", "--", "--read-write")
    assert ended.code == 0, ended.err
    assert '"--read-write"' in path.read_text()
    assert path.read_text().endswith("required = true\nstartup_timeout_sec = 30\n")
    assert sightline.run("uninstall", "codex", "--yes").code == 0
    assert not path.exists()


def test_an_entry_that_is_switched_off_is_switched_on_again(sightline: CommandLine) -> None:
    sightline.run("install", "codex", "--yes", "--no-verify")
    path = sightline.home / ".codex" / "config.toml"
    whole = path.read_text()
    path.write_text(whole + "enabled = false\n")
    ended = sightline.run("install", "codex", "--yes", "--no-verify")
    assert ended.code == 0, ended.err
    assert path.read_text() == whole


def test_folders_that_were_made_behind_a_link_are_taken_away(sightline: CommandLine) -> None:
    (sightline.home / ".cursor").symlink_to("dot/cursor")
    assert sightline.run("install", "cursor", "--yes").code == 0
    assert (sightline.home / "dot/cursor/mcp.json").exists()
    assert sightline.run("uninstall", "cursor", "--yes").code == 0
    assert not (sightline.home / "dot").exists()
    assert (sightline.home / ".cursor").is_symlink()


def test_a_part_of_a_repository_is_said_to_be_one(sightline: CommandLine) -> None:
    (sightline.project / ".git").mkdir()
    part = sightline.project / "part"
    part.mkdir()
    ended = sightline.run("install", "cursor", "--scope", "project", "--yes", folder=part)
    assert ended.code == 0
    assert (part / CURSOR).exists()
    assert f"--project {sightline.project}" in ended.err
    assert "lies in the repository" not in sightline.run("install", "cursor", "--yes", folder=part).err
    assert "lies in the repository" not in sightline.run("install", "cursor", "--scope", "project", "--yes").err


@pytest.mark.parametrize("name", [".cursor/mcp.json", ".cursor"])
def test_a_link_that_a_project_brings_is_not_followed_out_of_it(sightline: CommandLine, name: str) -> None:
    mine = cursor_file(sightline, FOREIGN)
    link = sightline.project / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(sightline.home / name)
    for command in ("install", "uninstall"):
        ended = sightline.run(command, "cursor", "--scope", "project", "--yes")
        assert (ended.code, f"out of the project, to `{mine}`" in ended.err) == (3, True), ended.err
    assert mine.read_text() == FOREIGN


def test_a_link_of_ones_own_is_said_to_be_one(sightline: CommandLine) -> None:
    kept = sightline.home / "dotfiles.json"
    kept.write_text(FOREIGN)
    cursor_file(sightline).symlink_to(kept)
    assert f"leads to {kept}" in sightline.run("install", "cursor", "--dry-run").err
