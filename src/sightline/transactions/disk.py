"""Every call by which a transaction changes the disk, one by one.

This is the seam for faults: a test hands in a disk that is full, or that ends the process between any two calls. It
knows no transaction. Reading needs no seam and is done in place. Only waiting for the disk is done on several threads,
so that a file system can make many files last with one write of its own journal; all changes are made in order.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

# File systems that cannot sync a folder say so in one of these ways; their renames are as durable as they get.
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF})
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

_WAITING_THREADS = 8

Owner = tuple[int, int]


class Disk:
    """The real disk."""

    def create(self, path: Path, mode: int) -> int:
        """The descriptor of a new file; never that of one which exists."""
        return os.open(path, _CREATE, mode)

    def write(self, descriptor: int, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    def sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def set_owner(self, path: Path, owner: Owner) -> None:
        if sys.platform != "win32":
            os.chown(path, *owner)

    def set_mode(self, path: Path, mode: int) -> None:
        path.chmod(mode)

    def link(self, path: Path, name: Path) -> None:
        """Give the file a second name."""
        name.hardlink_to(path)

    def rename(self, path: Path, name: Path) -> None:
        """Move in one step, over whatever has that name."""
        path.replace(name)

    def unlink(self, path: Path) -> bool:
        """Remove a name; false if there was none."""
        try:
            path.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def make_folder(self, path: Path, mode: int = 0o777) -> None:
        path.mkdir(mode, exist_ok=True)

    def remove_folder(self, path: Path) -> None:
        path.rmdir()

    def sync_folder(self, path: Path) -> None:
        """Make the names in a folder last through a power cut."""
        if sys.platform == "win32":
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                raise
        finally:
            os.close(descriptor)

    def wait_for(self, syncs: Sequence[Callable[[], None]]) -> None:
        """Make all of these calls of `sync` and `sync_folder`, at the same time; raises the first failure in order."""
        if len(syncs) < 2:
            for sync in syncs:
                sync()
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(len(syncs), _WAITING_THREADS)) as threads:
            waiting = [threads.submit(sync) for sync in syncs]
        for each in waiting:
            each.result()
