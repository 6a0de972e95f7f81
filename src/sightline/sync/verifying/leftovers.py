"""The folder of a trial, and what may be left of one: processes that went their own way, folders of a killed sync."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from anyio import CancelScope, to_thread

MARK = "SIGHTLINE_TRIAL"
_PREFIX = "sightline-trial-"
# No trial takes nearly as long: each of its few commands has a deadline.
_ABANDONED_S = 3600.0
_MOST_LOOKS = 5


@asynccontextmanager
async def trial_folder(clock: Callable[[], float] = time.time) -> AsyncGenerator[Path]:
    """A folder for its owner alone, gone with all that runs in it when the block ends; older ones are removed first."""
    made = await to_thread.run_sync(_made, clock())
    folder = _real(made.name)
    try:
        yield folder
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(_end, made, folder)


def _real(folder: str) -> Path:
    """Behind all links: the CLIs tell the project by its real path."""
    return Path(folder).resolve()


def mark_of(folder: Path) -> str:
    """What every process of a trial has in its environment, under `MARK`."""
    return folder.name


def _made(now: float) -> tempfile.TemporaryDirectory[str]:
    for each in _abandoned(Path(tempfile.gettempdir()), now):
        shutil.rmtree(each, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)


def _abandoned(place: Path, now: float) -> Iterator[Path]:
    """Folders of ours that a sync left when it was killed; a link with such a name is somebody's trick."""
    for each in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = each.lstat()
            is_ours = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
            if stat.S_ISDIR(found.st_mode) and is_ours and now - found.st_mtime > _ABANDONED_S:
                yield each


def _end(made: tempfile.TemporaryDirectory[str], folder: Path) -> None:
    for _ in range(_MOST_LOOKS):  # again, for what was started while we looked
        if not _kill_marked(mark_of(folder)):
            break
    made.cleanup()


def _kill_marked(mark: str) -> int:
    """Kill what a CLI started in a session of its own, as a daemon: `Children` knows only of the CLI's."""
    import psutil

    killed = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                process.kill()
                killed += 1
    return killed
