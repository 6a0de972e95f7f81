"""Ten processes at once, half of them the command and half the tools: one at a time, none lost, nothing corrupt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path

import pytest
from filelock import FileLock

from sightline.sync.applying import SyncPlaces
from tests.sync.end_to_end.desk import a_desk
from tests.sync.hard_project import make_hard_project

REPOSITORY = Path(__file__).resolve().parents[3]
SIGHTLINE = str(Path(sys.executable).with_name("sightline"))


def environment_of(home: Path, data: Path) -> dict[str, str]:
    own = {"HOME": str(home), "XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": str(home / ".config")}
    return {**own, "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}


@pytest.mark.timeout(300)
def test_ten_processes_at_once_leave_everything_in_sync() -> None:
    with a_desk() as desk, ExitStack() as stack:
        make_hard_project(desk.folder, with_foreign=True)
        environment = environment_of(desk.home, desk.data)
        common = ["--project", str(desk.project), "--scope", "all", "--set", "sync.verify=never"]
        command = [SIGHTLINE, "sync", "--yes", *common]
        tools = [
            sys.executable,
            "-m",
            "tests.sync.end_to_end.tool_driver",
            str(desk.project),
            str(desk.home),
            str(desk.data),
        ]
        children: list[subprocess.Popen[str]] = []
        for number in range(10):
            desk.write(
                f"work/shop/.claude/skills/extra{number}/SKILL.md", f"---\ndescription: {number}\n---\nX\n".encode()
            )
            child = subprocess.Popen(
                tools if number % 2 else command,
                env=environment,
                cwd=REPOSITORY,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            children.append(stack.enter_context(child))
        ends = [(child.communicate(timeout=250), child.returncode) for child in children]
        commands, answers = ends[::2], [json.loads(output) for (output, _), _ in ends[1::2]]
        # 1 is for the conflicts with the person's own files, which nobody has decided about.
        stale = [end for end in commands if end[1] != 1]
        assert all("out of date" in errors for (_, errors), _ in stale), ends
        assert {kind for answer in answers for kind in answer["failures"]} <= {"busy", "stale_plan"}, answers
        assert all(answer["last"] in ("success", "partial", "in_sync") for answer in answers), answers
        last = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=100)
        assert last.returncode == 1, last.stderr
        written = {path.parent.name for path in (desk.project / ".agents/skills").glob("extra*/SKILL.md")}
        assert written == {f"extra{number}" for number in range(10)}
        for path in (desk.home / ".codex/config.toml", desk.project / ".codex/config.toml"):
            assert tomllib.loads(path.read_text())
            assert "keep" in path.read_text()
        assert not list(desk.folder.rglob(".sightline-*"))
        assert [path.name for path in (desk.data / "sightline/sync/journal").iterdir()] == ["lock"]
        check = subprocess.run(
            [SIGHTLINE, "sync", "diff", *common],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert (check.returncode, check.stdout) == (0, "")


@pytest.mark.timeout(300)
def test_while_one_is_at_it_tools_say_busy_at_once_and_the_status_answers() -> None:
    with a_desk() as desk:
        make_hard_project(desk.folder)
        places = SyncPlaces(desk.data / "sightline" / "sync")
        lock = places.lock(desk.project, "project")
        lock.parent.mkdir(parents=True)
        lock.with_suffix(".since").write_text("1000.0")
        environment = environment_of(desk.home, desk.data)
        command = [
            sys.executable,
            "-m",
            "tests.sync.end_to_end.tool_driver",
            str(desk.project),
            str(desk.home),
            str(desk.data),
        ]
        with FileLock(lock):
            done = subprocess.run(
                [*command, "once"],
                env=environment,
                cwd=REPOSITORY,
                check=True,
                capture_output=True,
                text=True,
                timeout=100,
            )
        answer = json.loads(done.stdout)
        assert answer["failures"] == ["busy"]
        assert answer["running_s"] > 1_000_000
        assert answer["status_running_s"] > 1_000_000
        assert not (desk.project / "AGENTS.md").exists()
