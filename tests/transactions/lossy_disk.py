"""A disk whose power can be cut: what was not synced may be lost then, each folder's names from some point on.

It changes the real disk at once, as a cache would show it, and remembers how to take back what does not last yet. A
file's bytes last by its own sync, a name by one of its folder, and a folder's name by one of the folder above.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.transactions.faulty_disks import StepHook, SteppedDisk


@dataclass(frozen=True)
class _Naming:
    """A change of the names in a folder that is not on the disk yet."""

    folder: Path
    undo: Callable[[], object]


class LossyDisk(SteppedDisk):
    """Knows what is not on the disk yet; `limbo` is an empty folder, for files that have no name any more."""

    def __init__(self, before_step: StepHook, limbo: Path) -> None:
        super().__init__(before_step)
        self._limbo = limbo
        self._namings: list[_Naming] = []
        self._unwritten: dict[int, int] = {}

    def cut_power(self, chance: Random | None) -> int:
        """Lose all that is not on the disk, or what chance picks; returns how much that was."""
        lost = self._lost(chance)
        for naming in reversed(self._namings):
            if naming in lost:
                naming.undo()
        unwritten = [kept for kept in self._unwritten.values() if chance is None or chance.random() < 0.5]
        for descriptor in unwritten:
            os.ftruncate(descriptor, 0)
        return len(lost) + len(unwritten)

    def _lost(self, chance: Random | None) -> list[_Naming]:
        lost: list[_Naming] = []
        for folder in sorted({naming.folder for naming in self._namings}):
            here = [naming for naming in self._namings if naming.folder == folder]
            lost += here[0 if chance is None else chance.randint(0, len(here)) :]
        return lost

    def create(self, path: Path, mode: int) -> int:
        descriptor = super().create(path, mode)
        self._unwritten[descriptor] = os.dup(descriptor)
        self._name(path, path.unlink)
        return descriptor

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        os.close(self._unwritten.pop(descriptor))

    def link(self, path: Path, name: Path) -> None:
        super().link(path, name)
        self._name(name, name.unlink)

    def rename(self, path: Path, name: Path) -> None:
        kept = self._keep(name)
        super().rename(path, name)

        def undo() -> None:
            name.replace(path)
            if kept:
                kept.replace(name)

        self._name(name, undo)

    def unlink(self, path: Path) -> bool:
        kept = self._keep(path)
        was_there = super().unlink(path)
        if kept:
            self._name(path, lambda: kept.replace(path))
        return was_there

    def make_folder(self, path: Path, mode: int = 0o777) -> None:
        is_new = not path.exists()
        super().make_folder(path, mode)
        if is_new:
            self._name(path, lambda: shutil.rmtree(path))

    def remove_folder(self, path: Path) -> None:
        mode = path.stat().st_mode
        super().remove_folder(path)
        self._name(path, lambda: path.mkdir(mode & 0o7777))

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        self._namings = [naming for naming in self._namings if naming.folder != path]

    def _name(self, path: Path, undo: Callable[[], object]) -> None:
        self._namings.append(_Naming(path.parent, undo))

    def _keep(self, path: Path) -> Path | None:
        """A name in limbo for a file that is about to lose its own."""
        if not path.is_file():
            return None
        kept = self._limbo / str(len(list(self._limbo.iterdir())))
        kept.hardlink_to(path)
        return kept
