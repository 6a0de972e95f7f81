"""Disks that fail, or that stop the process, at a chosen step. A step is a call that changes the disk."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from pathlib import Path

from sightline.transactions.disk import Disk, Owner

StepHook = Callable[[str], None]


class SteppedDisk(Disk):
    """The real disk, with a hook before each step; a write counts as two halves."""

    def __init__(self, before_step: StepHook) -> None:
        self._before_step = before_step

    def create(self, path: Path, mode: int) -> int:
        self._before_step(f"create {path.name}")
        return super().create(path, mode)

    def write(self, descriptor: int, content: bytes) -> None:
        self._before_step("write")
        super().write(descriptor, content[: len(content) // 2])
        self._before_step("write the rest")
        super().write(descriptor, content[len(content) // 2 :])

    def sync(self, descriptor: int) -> None:
        self._before_step("sync")
        super().sync(descriptor)

    def set_owner(self, path: Path, owner: Owner) -> None:
        self._before_step(f"set_owner {path.name}")
        super().set_owner(path, owner)

    def set_mode(self, path: Path, mode: int) -> None:
        self._before_step(f"set_mode {path.name}")
        super().set_mode(path, mode)

    def link(self, path: Path, name: Path) -> None:
        self._before_step(f"link {path.name}")
        super().link(path, name)

    def rename(self, path: Path, name: Path) -> None:
        self._before_step(f"rename {name.name}")
        super().rename(path, name)

    def unlink(self, path: Path) -> bool:
        self._before_step(f"unlink {path.name}")
        return super().unlink(path)

    def make_folder(self, path: Path, mode: int = 0o777) -> None:
        self._before_step(f"make_folder {path.name}")
        super().make_folder(path, mode)

    def remove_folder(self, path: Path) -> None:
        self._before_step(f"remove_folder {path.name}")
        super().remove_folder(path)

    def sync_folder(self, path: Path) -> None:
        self._before_step(f"sync_folder {path.name}")
        super().sync_folder(path)

    def wait_for(self, syncs: Sequence[Callable[[], None]]) -> None:
        """One after the other, so that every one of them is a step, and the steps are the same each time."""
        for sync in syncs:
            sync()


class Steps:
    """A hook that counts, and does something at one step."""

    def __init__(self, at: int | str | None = None, act: Callable[[], object] = lambda: None) -> None:
        self.count = 0
        self.log: list[str] = []
        self._at = at
        self._act = act

    def __call__(self, step: str) -> None:
        self.log.append(step)
        is_it = self._at in (self.count, step)
        self.count += 1
        if is_it:
            self._act()


class FullDisk(SteppedDisk):
    """A disk with no room from a step on: what needs room fails, renaming and removing still work."""

    def __init__(self, room_for: int) -> None:
        super().__init__(self._use_room)
        self._room = room_for

    def _use_room(self, step: str) -> None:
        if step.startswith(("create", "write", "make_folder")):
            if self._room <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            self._room -= 1


class LinklessDisk(SteppedDisk):
    """A file system without hard links."""

    def link(self, path: Path, name: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")


def say_no() -> None:
    raise OSError(errno.EIO, "Input/output error")
