"""Files outside the project that its answers depend on: installed packages, editable installs, extra search paths.

They are many and rarely change, so they are not told to the server one by one: any change to them ends the session.
The watch is set up while the server starts; whatever changed in between is found by its time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread

from sightline.file_changes import FileChanges, TreeFilter

_MOST_TO_SWEEP = 2_000


@dataclass(slots=True)
class OutsideWatch:
    """A watch over folders outside the project."""

    roots: Sequence[Path]
    which: TreeFilter
    _since_ns: int = field(default_factory=time.time_ns)
    _trees: list[FileChanges] = field(default_factory=list[FileChanges])
    _opened: anyio.Event = field(default_factory=anyio.Event)
    _is_closed: bool = False
    _has_changed: bool = False

    async def open(self) -> None:
        """Set the watch up, in a thread: a large environment has thousands of folders."""
        try:
            self._trees = await anyio.to_thread.run_sync(self._watched, abandon_on_cancel=True)
            self._has_changed = any(tree.newest_ns() > self._since_ns for tree in self._trees)
        except BaseException:
            self._is_closed = True  # the thread, which goes on, finds it and closes what it has opened
            raise
        finally:
            self._opened.set()

    async def has_changed(self) -> bool:
        """Whether anything changed since the session started; once it has, that stays so, whoever asked first."""
        if not self._opened.is_set():
            await self._opened.wait()
        self._has_changed = self._has_changed or any(tree.look() for tree in self._trees)
        return self._has_changed

    def close(self) -> None:
        self._is_closed = True
        for tree in self._trees:
            tree.close()
        self._trees = []

    def _watched(self) -> list[FileChanges]:
        """The trees that can be watched; one that would have to be swept at every question must be small."""
        trees = [FileChanges(root, self.which) for root in self.roots]
        if self._is_closed:
            for tree in trees:
                tree.close()
            return []
        return [tree for tree in trees if tree.is_watched_by_kernel or len(tree.files) <= _MOST_TO_SWEEP]
