"""Child processes: their results, their bounds, and that none is left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import psutil
import pytest

from sightline.children import (
    ChildNotStarted,
    ChildOutputTooLarge,
    Children,
    ChildTimedOut,
    CompletedChild,
)

pytestmark = pytest.mark.anyio

LONG_S = 60.0
SHORT_S = 1.0


async def run_script(children: Children, script: str, cwd: Path, timeout_s: float = LONG_S) -> CompletedChild:
    return await children.run(["/bin/sh", "-c", script], cwd=cwd, timeout_s=timeout_s, max_output_bytes=1_000_000)


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def assert_ended(*pids: int, deadline_s: float = 10.0) -> None:
    end = time.monotonic() + deadline_s
    while running := [pid for pid in pids if is_running(pid)]:
        assert time.monotonic() < end, f"still running: {running}"
        time.sleep(0.01)


def wait_for_pids(file: Path, count: int, deadline_s: float = 10.0) -> list[int]:
    end = time.monotonic() + deadline_s
    while len(pids := file.read_text().split() if file.exists() else []) < count:
        assert time.monotonic() < end, f"{file} does not hold {count} pids"
        time.sleep(0.01)
    return [int(pid) for pid in pids]


async def test_output_errors_and_exit_code_are_told_apart(tmp_path: Path) -> None:
    with Children() as children:
        ended = await run_script(children, "echo out; echo err >&2; exit 3", tmp_path)

    assert (ended.exit_code, ended.stdout, ended.stderr) == (3, b"out\n", "err")


async def test_a_child_that_is_killed_by_a_signal_has_a_negative_code(tmp_path: Path) -> None:
    with Children() as children:
        ended = await run_script(children, "kill -9 $$", tmp_path)

    assert ended.exit_code == -signal.SIGKILL


async def test_a_child_runs_in_its_folder_with_its_environment_and_without_our_stdin(tmp_path: Path) -> None:
    with Children() as children:
        ended = await children.run(
            ["/bin/sh", "-c", 'pwd; echo "$ONLY"; cat; readlink /proc/self/fd/0'],
            cwd=tmp_path,
            timeout_s=LONG_S,
            max_output_bytes=1000,
            environment={"ONLY": "this", "PATH": "/usr/bin:/bin"},
        )

    assert ended.stdout.decode().split() == [str(tmp_path), "this", "/dev/null"]


@pytest.mark.parametrize("command", ["/nowhere/to/be/found", "/etc/passwd"])
async def test_a_command_that_cannot_be_started_is_named_with_the_reason(tmp_path: Path, command: str) -> None:
    with Children() as children, pytest.raises(ChildNotStarted, match=f"`{command}` cannot be started: .+"):
        await children.run([command], cwd=tmp_path, timeout_s=LONG_S, max_output_bytes=1)


async def test_a_folder_that_is_gone_is_a_reason_not_to_start(tmp_path: Path) -> None:
    with Children() as children, pytest.raises(ChildNotStarted):
        await run_script(children, "true", tmp_path / "gone")


async def test_a_child_past_its_deadline_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    script = "sleep 60 & echo $$ $! > pids; wait"

    with Children() as children:
        with pytest.raises(ChildTimedOut, match=r"no end within 1 s"):
            await run_script(children, script, tmp_path, timeout_s=SHORT_S)
        assert_ended(*wait_for_pids(tmp_path / "pids", 2))


async def test_a_child_that_ignores_the_polite_signals_is_killed_too(tmp_path: Path) -> None:
    script = "trap '' TERM INT HUP; echo $$ > pids; while :; do sleep 1; done"

    with Children() as children:
        with pytest.raises(ChildTimedOut):
            await run_script(children, script, tmp_path, timeout_s=SHORT_S)
        assert_ended(*wait_for_pids(tmp_path / "pids", 1))


async def test_what_a_finished_child_leaves_in_the_background_is_killed(tmp_path: Path) -> None:
    with Children() as children:
        await run_script(children, "sleep 60 >/dev/null 2>&1 & echo $! > pids", tmp_path)

        assert_ended(*wait_for_pids(tmp_path / "pids", 1))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which session a process belongs to")
async def test_what_left_the_child_s_group_is_killed_with_its_session(tmp_path: Path) -> None:
    script = "import os,time; os.setpgid(0, 0); open('pids', 'w').write(str(os.getpid())); time.sleep(60)"
    with Children() as children:
        command = f'"{sys.executable}" -c "{script}" >/dev/null 2>&1 & while [ ! -s pids ]; do :; done'
        await run_script(children, command, tmp_path)

        assert_ended(*wait_for_pids(tmp_path / "pids", 1))


async def test_cancellation_kills_the_child_with_all_that_it_started(tmp_path: Path) -> None:
    with Children() as children:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_script, children, "sleep 60 & echo $$ $! > pids; wait", tmp_path)
            await anyio.to_thread.run_sync(wait_for_pids, tmp_path / "pids", 2)
            tasks.cancel_scope.cancel()

        assert_ended(*wait_for_pids(tmp_path / "pids", 2))


async def test_cancellation_at_any_moment_of_the_start_leaves_nothing_behind(tmp_path: Path) -> None:
    with Children() as children:
        await run_script(children, "true", tmp_path)
        for moment in range(20):
            folder = tmp_path / str(moment)
            folder.mkdir()
            before = len(psutil.Process().children())
            pids: list[int] = []
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run_script, children, "sleep 60 & echo $$ $! > pids; wait", folder)
                for _ in range(moment):
                    await anyio.lowlevel.checkpoint()
                if len(psutil.Process().children()) > before:
                    pids += wait_for_pids(folder / "pids", 2)
                tasks.cancel_scope.cancel()
            assert_ended(*pids, deadline_s=2)


async def test_a_child_that_writes_too_much_is_stopped(tmp_path: Path) -> None:
    with Children() as children:
        with pytest.raises(ChildOutputTooLarge, match="more than 1,000,000 bytes"):
            await run_script(children, "echo $$ > pids; exec yes", tmp_path)

        assert_ended(*wait_for_pids(tmp_path / "pids", 1))


async def test_output_of_exactly_the_limit_is_kept(tmp_path: Path) -> None:
    with Children() as children:
        ended = await run_script(children, "head -c 1000000 /dev/zero", tmp_path)

    assert len(ended.stdout) == 1_000_000


async def test_a_flood_of_errors_neither_blocks_the_child_nor_fills_our_memory(tmp_path: Path) -> None:
    script = "head -c 5000000 /dev/zero | tr '\\0' e >&2; echo the end >&2; echo done"

    with Children() as children:
        ended = await run_script(children, script, tmp_path)

    assert ended.stdout == b"done\n"
    assert ended.stderr.endswith("the end")
    assert len(ended.stderr) <= 20_000


async def test_errors_that_are_not_utf8_are_survived(tmp_path: Path) -> None:
    with Children() as children:
        ended = await run_script(children, r"printf '\377bad' >&2", tmp_path)

    assert ended.stderr == "\ufffdbad"


async def test_children_run_beside_each_other(tmp_path: Path) -> None:
    """Each waits for the other: one after the other, they would never end."""
    scripts = [
        "mkfifo one two; touch ready; echo a > one; cat two",
        "until [ -e ready ]; do :; done; cat one; echo b > two",
    ]
    ended: list[bytes] = []

    async def keep(script: str) -> None:
        ended.append((await run_script(children, script, tmp_path, timeout_s=20)).stdout)

    with Children() as children:
        async with anyio.create_task_group() as tasks:
            for script in scripts:
                tasks.start_soon(keep, script)

    assert sorted(ended) == [b"a\n", b"b\n"]


async def test_the_guard_ends_with_its_application(tmp_path: Path) -> None:
    before = {child.pid for child in psutil.Process().children()}

    with Children() as children:
        await run_script(children, "true", tmp_path)
        guards = {child.pid for child in psutil.Process().children()} - before
        assert guards

    assert not any(is_running(pid) for pid in guards)


_OWNER = """
import logging
import sys
from pathlib import Path
import anyio
from sightline.children import Children

logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)

async def run(children, script):
    await children.run(["/bin/sh", "-c", script], cwd=Path(sys.argv[1]), timeout_s=120, max_output_bytes=1)

async def main():
    with Children() as children:
        await run(children, "true")
        async with anyio.create_task_group() as tasks:
            for name in ("one", "two"):
                tasks.start_soon(run, children, f"sleep 60 & echo $$ $! > {name}; wait")

anyio.run(main)
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_children_die_with_an_owner_that_is_killed(tmp_path: Path, ending: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", _OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout
        started = (line for line in owner.stdout if line == "child started\n")
        for _ in range(3):  # the guard knows of a child when its start is logged
            next(started)
        pids = [pid for name in ("one", "two") for pid in wait_for_pids(tmp_path / name, 2)]
        assert all(is_running(pid) for pid in pids)
        owner.send_signal(ending)

    assert_ended(*pids)
