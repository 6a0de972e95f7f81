"""Reading a file that a person or a program keeps, without ever waiting for one that is none.

A pipe has no end until somebody writes, a device perhaps none at all. Knows no formats.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


class NotRegular(OSError):
    """Something has the name, and it is a folder, a pipe, a socket or a device; its `strerror` says so."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file", str(path))


def read_regular(path: Path, limit: int = -1) -> bytes:
    """A regular file's content, links followed, up to `limit` bytes; raises `OSError`.

    The null device counts as empty: people mask files with it.
    """
    if _is_empty(path.stat(), path):  # before opening: that alone wakes whoever waits at a pipe
        return b""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _is_empty(os.fstat(descriptor), path)  # another may have taken its place
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)


def _is_empty(seen: os.stat_result, path: Path) -> bool:
    """Whether it is the null device; raises `NotRegular` for all else that is no file."""
    if stat.S_ISREG(seen.st_mode):
        return False
    if stat.S_ISCHR(seen.st_mode) and seen.st_rdev == Path(os.devnull).stat().st_rdev:
        return True
    raise NotRegular(path)
