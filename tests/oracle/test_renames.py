"""Renames of real symbols, there and back, and renames that are cut short.

`SIGHTLINE_ORACLE=full`: 100 symbols of each language, 100 crashes.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.oracle.edit_oracle import Command, Findings, read_package, write_all
from tests.oracle.edit_oracle import Summary as CommandSummary
from tests.oracle.rename_oracle import RenameOracle, Summary, choose_python_symbols
from tests.oracle.typescript_package import choose_symbols, make_texts, typescript_folder
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

REPOSITORY = Path(__file__).resolve().parent.parent.parent
IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
SEED = int(os.environ.get("SIGHTLINE_ORACLE_SEED", "7"))
COUNT = int(os.environ.get("SIGHTLINE_ORACLE_COUNT", "100" if IS_FULL else "4"))
CRASHES = int(os.environ.get("SIGHTLINE_ORACLE_COUNT", "100" if IS_FULL else "5"))
WITHIN_S = 60 * float(os.environ.get("SIGHTLINE_ORACLE_MINUTES", "60"))
PACKAGE = "click" if IS_FULL else "h11"
SETTINGS: dict[str, Any] = {"code__command_timeout_s": 300, "code__request_timeout_s": 60}


@pytest.mark.timeout(3600)
async def test_a_clean_rename_changes_no_finding_and_can_be_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, rng = read_package(PACKAGE), random.Random(SEED)
    root = tmp_path / "real" / "project"
    write_all(root, texts)
    summary = Summary(PACKAGE)
    command = Command(tmp_path / "copy", CommandSummary(PACKAGE))
    async with app_over(root, tmp_path / "home", **SETTINGS) as app:
        oracle = RenameOracle(app, root, command.findings, (".py", ".pyi"), summary)
        await oracle.run(choose_python_symbols(texts, rng, COUNT), rng, WITHIN_S)
    with capsys.disabled():
        sys.stdout.write(f"\n{summary}\n")
    assert summary.ends["clean, renamed, and renamed back"]
    assert not summary.differences, str(summary)


@pytest.mark.timeout(3600)
@pytest.mark.skipif(typescript_folder() is None, reason="typescript-language-server and tsc are not installed")
async def test_a_clean_rename_in_typescript_changes_no_finding_and_can_be_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = typescript_folder()
    assert folder
    texts, rng = make_texts(), random.Random(SEED)
    root, copy = tmp_path / "real" / "project", tmp_path / "copy" / "project"
    write_all(root, texts)
    summary = Summary("a TypeScript package")
    path = os.pathsep.join([str(folder), os.environ["PATH"]])

    known: dict[str, Findings] = {}

    async def check(state: dict[str, str]) -> Findings:
        key = repr(sorted(state.items()))
        if key not in known:
            write_all(copy, {**texts, **state})
            command = [str(folder / "tsc"), "--noEmit", "--pretty", "false"]
            ended = await anyio.run_process(command, cwd=copy, check=False)
            lines = re.findall(r"^(.+?)\((\d+),(\d+)\): (\w+) (TS\d+): (.*)$", ended.stdout.decode(), re.MULTILINE)
            known[key] = Counter((file, int(at), int(column), *kind) for file, at, column, *kind in lines)
        return known[key]

    async with app_over(root, tmp_path / "home", {"PATH": path}, **SETTINGS) as app:
        assert await check(texts), "a package without findings proves little"
        oracle = RenameOracle(app, root, check, (".ts",), summary)
        await oracle.run(choose_symbols(texts, rng, COUNT if IS_FULL else 2), rng, WITHIN_S)
    with capsys.disabled():
        sys.stdout.write(f"\n{summary}\n")
    assert summary.ends["clean, renamed, and renamed back"]
    assert not summary.differences, str(summary)


@pytest.mark.timeout(3600)
async def test_a_rename_that_is_killed_leaves_all_files_old_or_all_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = {"target.py": "def to_rename() -> int:\n    return 1\n"}
    old |= {f"user_{n}.py": f"from target import to_rename\n\nvalue_{n} = to_rename()\n" for n in range(12)}
    new = {name: text.replace("to_rename", "renamed") for name, text in old.items()}
    rng, ends = random.Random(SEED), Counter[str]()
    root, home = tmp_path / "project", tmp_path / "home"
    for number in range(CRASHES):
        shutil.rmtree(root, ignore_errors=True)
        write_all(root, old)
        delay_s = rng.uniform(0, 0.2 if number % 2 else 0.02)
        killed = await anyio.to_thread.run_sync(_apply_and_kill, root, home, delay_s)
        is_left = any((home / "data").rglob("t-*"))
        async with app_over(root, home):
            pass
        found = {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}
        assert found in (old, new), f"crash {number}: half old, half new, or something beside them: {found}"
        ends[f"{'cut short' if is_left else 'whole'}, {'new' if found == new else 'old'}, {killed}"] += 1
    with capsys.disabled():
        sys.stdout.write(f"\n{CRASHES} renames of {len(old)} files killed: {dict(ends)}\n")
    assert any(end.startswith("cut short") for end in ends), "no kill fell into the writing"


def _apply_and_kill(root: Path, home: Path, delay_s: float) -> str:
    """Start a process that applies a rename; kill it that long after its journal has an entry."""
    command = [sys.executable, "-m", "tests.oracle.rename_driver", str(root), str(home)]
    driver = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    try:
        while driver.poll() is None and not any((home / "data").rglob("t-*")):
            pass
        deadline = time.monotonic() + delay_s
        while driver.poll() is None and time.monotonic() < deadline:
            pass
        driver.kill()
    finally:
        driver.kill()
        driver.wait()
    assert driver.returncode in (0, -signal.SIGKILL)
    return "killed" if driver.returncode else "done before"
