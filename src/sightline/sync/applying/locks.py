"""One sync at a time, for each project and for the user's own files; the kernel frees a dead process's lock."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from sightline.sync.applying.failures import SyncBusy
from sightline.transactions import Busy, hold_lock

Seconds = Callable[[], float]


@contextlib.contextmanager
def hold_locks(locks: Sequence[Path], wait_s: float, clock: Seconds) -> Generator[None]:
    """Hold all of them, taken in one order everywhere; raises `SyncBusy` after the wait, which may be none.

    `clock` counts seconds since the epoch, so that other processes can tell how long we have been at it.
    """
    with contextlib.ExitStack() as held:
        for path in sorted(locks):
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            try:
                held.enter_context(hold_lock(path, wait_s))
            except Busy:
                raise SyncBusy(_held_for(path, clock)) from None
            _since(path).write_text(json.dumps(clock()), encoding="ascii")
        yield


def running_for(locks: Sequence[Path], clock: Seconds) -> float | None:
    """For how many seconds a sync has been running; none if there is none. Answers at once."""
    try:
        with hold_free(locks):
            return None
    except SyncBusy:
        return max((seconds for path in locks if (seconds := _held_for(path, clock)) is not None), default=0.0)


@contextlib.contextmanager
def hold_free(locks: Sequence[Path]) -> Generator[None]:
    """Hold those that exist for a moment, without saying so; raises `SyncBusy` if one is held."""
    with contextlib.ExitStack() as held:
        for path in sorted(path for path in locks if path.exists()):
            try:
                held.enter_context(hold_lock(path, 0.0))
            except Busy:
                raise SyncBusy(None) from None
        yield


def _since(lock: Path) -> Path:
    return lock.with_suffix(".since")


def _held_for(lock: Path, clock: Seconds) -> float | None:
    try:
        since = float(json.loads(_since(lock).read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError):
        return None
    return max(0.0, clock() - since)
