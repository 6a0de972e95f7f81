"""Killed at any point, or run ten times at once: all old or all new, none lost, nothing corrupt."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.sync.applying.driver import ItemBench

REPOSITORY = Path(__file__).resolve().parent.parent.parent.parent
_IN_MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_path() -> Generator[Path]:
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as folder:
        yield Path(folder).resolve()


def driver(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tests.sync.applying.driver", *map(str, arguments)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("work", ["crash_apply", "crash_rollback"])
def test_a_crash_at_any_step_leaves_all_old_or_all_new(quick_path: Path, work: str) -> None:
    """Every step, not a sample: files, folders, state and backup."""
    done = subprocess.run(driver(work, quick_path), cwd=REPOSITORY, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["points"] > 100
    assert min(figures["old"], figures["new"]) > 20, figures


@pytest.mark.timeout(600)
def test_ten_processes_at_once_sync_one_at_a_time_and_lose_nothing(quick_path: Path) -> None:
    bench = ItemBench(quick_path)
    (bench.home / "items").mkdir()
    bench.write("c.toml", b"# mine\n")
    names = [f"item-{number}" for number in range(10)]
    with contextlib.ExitStack() as stack:
        children: list[subprocess.Popen[bytes]] = []
        for number, name in enumerate(names):
            command = driver("join", quick_path, name, "0" if number % 2 else "20")
            child = subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            children.append(stack.enter_context(child))
        for child in children:
            assert child.stdout
            assert child.stdout.readline() == b"ready\n"
        for child in children:
            assert child.stdin
            child.stdin.close()
        answers = [json.loads(child.stdout.read()) for child in children if child.stdout]
    assert [child.returncode for child in children] == [0] * 10
    assert sum(answer["stale"] + answer["busy"] for answer in answers) > 0, "they never met"
    assert bench.plan().is_empty
    assert set(tomllib.loads(bench.read("c.toml").decode())["mcp_servers"]) == set(names)
    assert bench.read("c.toml").startswith(b"# mine\n")
    assert [path.name for path in sorted((bench.project / ".agents/skills").iterdir())] == names
    assert not list(bench.project.rglob(".sightline-*"))
