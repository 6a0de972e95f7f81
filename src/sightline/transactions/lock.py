"""One transaction at a time: a lock between processes that the kernel releases when its holder dies."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path

from sightline.transactions.failures import Busy

_PAUSE_S = 0.02
_HELD_BY_ANOTHER = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})


@contextlib.contextmanager
def hold_lock(path: Path, wait_s: float) -> Generator[None]:
    """Hold the lock that is this file; raises `Busy` when another holds it for longer than we may wait.

    The lock belongs to the open file, so that two threads of one process exclude each other as well.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(descriptor, path, wait_s)
        try:
            yield
        finally:
            _release(descriptor)  # closing is not enough: a forked child may have the same open file
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while not _try(descriptor):
        if time.monotonic() >= deadline:
            raise Busy(path.parent, wait_s)
        time.sleep(_PAUSE_S)


def _try(descriptor: int) -> bool:
    try:
        _lock_now(descriptor)
    except OSError as error:
        if error.errno in _HELD_BY_ANOTHER:
            return False
        raise
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock_now(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _release(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock_now(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
