"""The commands that are compared, and how long one takes from its start to its end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SIGHTLINE = str(Path(sys.executable).with_name("sightline"))

LIFE_S = 300.0


def serve_command(project: Path, *settings: str) -> list[str]:
    """Settings are written as `KEY=VALUE`."""
    return [SIGHTLINE, "serve", "--project", str(project), *(f"--set={setting}" for setting in settings)]


def bare_server_command(tool_count: int) -> list[str]:
    """Started as a console script starts: an import and a call."""
    return [sys.executable, "-c", "from bench.bare_server import main; main()", str(tool_count)]


def milliseconds_of(command: Sequence[str], *, cwd: Path, accepted: Sequence[int] = (0,)) -> float:
    """Run a command to its end; raises `RuntimeError` if it fails, because its time would mean nothing."""
    null = subprocess.DEVNULL
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=cwd, stdin=null, stdout=null, stderr=null) as process, ending(process, LIFE_S):
        exit_code = process.wait()  # without a timeout: with one it polls, in steps of up to 50 ms
        elapsed = (time.perf_counter() - started) * 1000
    if exit_code not in accepted:
        raise RuntimeError(f"ended with code {exit_code}: {' '.join(command)}")
    return elapsed


@contextmanager
def ending(process: subprocess.Popen[bytes], seconds: float) -> Generator[None]:
    """Kill the process if the block lasts longer than this, or fails."""
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    except BaseException:
        process.kill()
        raise
    finally:
        timer.cancel()
