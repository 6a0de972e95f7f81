"""Linux's own record of changes (inotify), read at the time of a question.

The kernel queues an event before the system call that caused it returns. So whoever changed a file and then asks
us finds the event already in the queue: no thread, no waiting. That holds for local file systems only; for
network and shared ones, and on other systems, there is no watch, and the caller looks for itself.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_LOCAL = {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"}


@dataclass(frozen=True, slots=True)
class Touched:
    """The entries, as (folder, name), that something happened to; everything, if the queue overflowed."""

    entries: frozenset[tuple[str, str]] = frozenset()
    is_everything: bool = False


@dataclass(slots=True)
class KernelWatch:
    """An inotify instance and the folders it watches."""

    _inotify: Any
    _device: int
    _by_descriptor: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    _by_folder: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, folder: str) -> bool:
        """Watch a folder, before it is listed; False if that cannot be relied on here."""
        try:
            if os.stat(folder).st_dev != self._device:
                return False
            descriptor = self._watched(folder)
        except OSError:  # no watches left, or the folder is gone again
            return not os.path.isdir(folder)
        self._by_descriptor.setdefault(descriptor, set()).add(folder)  # a folder reached by a link too has one watch
        self._by_folder[folder] = descriptor
        return True

    def is_still_there(self, folder: str) -> bool:
        """Whether the folder at this path is the one that is watched; an inode number can be used again."""
        try:
            return self._watched(folder) == self._by_folder.get(folder)
        except OSError:
            return False

    def _watched(self, folder: str) -> int:
        """The kernel's descriptor: that of before, if it watches this very folder already."""
        from inotify_simple import flags, masks

        wanted = masks.ALL_EVENTS & ~(flags.ACCESS | flags.OPEN | flags.CLOSE_NOWRITE | flags.CLOSE_WRITE)
        return self._inotify.add_watch(folder, wanted | flags.ONLYDIR)

    def remove(self, folder: str) -> None:
        """Stop watching a folder that is no longer at this path."""
        descriptor = self._by_folder.pop(folder, None)
        if descriptor is None:
            return
        folders = self._by_descriptor.get(descriptor, set())
        folders.discard(folder)
        if not folders:
            self._by_descriptor.pop(descriptor, None)
            try:
                self._inotify.rm_watch(descriptor)
            except OSError:
                return  # it was deleted, and its watch with it

    def drain(self) -> Touched:
        """Everything that happened since the last time."""
        from inotify_simple import flags

        entries: set[tuple[str, str]] = set()
        for event in self._inotify.read(timeout=0):
            if event.mask & flags.Q_OVERFLOW:
                return Touched(is_everything=True)
            if not event.mask & flags.IGNORED:
                entries.update((folder, event.name) for folder in self._by_descriptor.get(event.wd, ()))
        return Touched(frozenset(entries))

    def close(self) -> None:
        self._inotify.close()


def open_kernel_watch(root: Path) -> KernelWatch | None:
    """A watch for the file system of `root`, where one can be relied on."""
    if sys.platform != "linux" or _file_system_of(root) not in _LOCAL:
        return None
    try:
        from inotify_simple import INotify

        return KernelWatch(INotify(), root.stat().st_dev)
    except (ImportError, OSError):
        return None


def _file_system_of(path: Path) -> str | None:
    """The type of the file system that holds a path, by the longest mount point above it."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    mounts = {Path(_unescaped(line.split(" ")[4])): line.partition(" - ")[2].split(" ")[0] for line in lines}
    return next((mounts[folder] for folder in (path, *path.parents) if folder in mounts), None)


def _unescaped(text: str) -> str:
    return text.replace(r"\040", " ").replace(r"\011", "\t").replace(r"\012", "\n").replace(r"\134", "\\")
