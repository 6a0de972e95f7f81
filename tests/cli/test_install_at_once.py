"""Many `install` and `uninstall` at one time: each does its work, and what one remembers another does not lose."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from filelock import FileLock

from sightline.clients.failures import ClientFailed
from sightline.clients.turns import taking_turns
from tests.cli.command_line import DEADLINE_S, CommandLine, Ended
from tests.cli.test_odd_files import FILES
from tests.support.wire import SIGHTLINE

NOBODY = "/usr/bin:/bin"


def all_at_once(sightline: CommandLine, commands: Sequence[Sequence[str]]) -> list[Ended]:
    """Every command in a process of its own, all running together."""
    started = [
        subprocess.Popen(
            [SIGHTLINE, command, "--yes", *rest],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=sightline.project,
            env=sightline.environment(PATH=NOBODY),
        )
        for command, *rest in commands
    ]
    said = [each.communicate(timeout=DEADLINE_S) for each in started]
    return [Ended(each.returncode, out.decode(), err.decode()) for each, (out, err) in zip(started, said, strict=True)]


def remembered(sightline: CommandLine) -> set[str]:
    path = sightline.home / "data" / "sightline" / "registrations.json"
    return set(json.loads(path.read_text())["files"]) if path.exists() else set()


def test_ten_at_once_over_six_clients_lose_nothing_and_leave_nothing(sightline: CommandLine) -> None:
    mine = '{\n  // mine\n  "mcpServers": {}\n}\n'
    (sightline.home / ".cursor").mkdir()
    (sightline.home / FILES["cursor"]).write_text(mine)
    files = {name: sightline.home / path for name, path in FILES.items()}

    ended = all_at_once(sightline, [("install", name) for name in (*FILES, "codex", "cursor", "gemini", "claude")])
    assert [each.code for each in ended] == [0] * 10, [each.err for each in ended]
    assert remembered(sightline) == {str(path) for path in files.values()}
    assert all("sightline" in path.read_text() for path in files.values())

    gone, kept = ("codex", "vscode", "cursor"), ("claude", "gemini", "opencode")
    changes = [("install", name, "--", "--read-only") for name in kept]
    ended = all_at_once(sightline, [*(("uninstall", name) for name in (*gone, *gone, "codex")), *changes])
    assert [each.code for each in ended] == [0] * 10, [each.err for each in ended]
    assert remembered(sightline) == {str(files[name]) for name in kept}
    assert all("--read-only" in files[name].read_text() for name in kept)
    assert files["cursor"].read_text() == mine

    ended = all_at_once(sightline, [("uninstall", name) for name in kept])
    assert [each.code for each in ended] == [0, 0, 0], [each.err for each in ended]
    assert remembered(sightline) == set()
    assert [name for name, path in files.items() if path.exists()] == ["cursor"]


def test_who_waits_too_long_for_the_turn_is_told(tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / "registrations.lock"),
        pytest.raises(ClientFailed, match=r"holds `.*registrations.lock`"),
        taking_turns(tmp_path, wait_s=0.01),
    ):
        pass
    with taking_turns(tmp_path, wait_s=0.01):
        pass
