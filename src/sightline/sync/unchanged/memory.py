"""The answer that is remembered for one question: in the same words, about the same project, by the same user.

It stands beside the state of a sync and can be thrown away at any time. Before the first sync of all,
nothing is kept: looking leaves no trace.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.sync.unchanged.program import Program, running_program
from sightline.sync.unchanged.snapshot import Shown, is_settled, read_snapshot, snapshot_of, write_snapshot
from sightline.sync.unchanged.stamps import bytes_digest

if TYPE_CHECKING:
    from sightline.sync.unchanged.recording import Record

_FOLDER = "unchanged"
_KEPT = 12
_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class AnswerMemory:
    """`data` is the folder of all syncs; `question` everything that was asked, settings included.

    `program` must be what ran before anything that answers was imported.
    """

    data: Path
    root: Path
    question: tuple[str, ...]
    environment: Mapping[str, str]
    program: Program

    def recall(self) -> Shown | None:
        """The answer, if a run now would come to the same; none if that is not certain."""
        snapshot = read_snapshot(self._file)
        if snapshot is None or not snapshot.holds(self.program.digest, self.environment):
            return None
        return snapshot.shown

    def keep(self, record: Record, shown: Shown) -> None:
        """Remember the answer, if all that it was made from is still so; that it cannot be kept is no failure."""
        if not (self.data / "state").is_dir() or current_program() != self.program:
            return
        if not is_settled(self.program.newest_ns, record.begun_ns):
            return
        snapshot = snapshot_of(record, self.program.digest, shown)
        if snapshot is not None:
            with contextlib.suppress(OSError):
                write_snapshot(self._file, snapshot)
                self._forget_old()

    def _forget_old(self) -> None:
        known = sorted(self._file.parent.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in known[_KEPT:]:
            path.unlink()

    @property
    def _file(self) -> Path:
        project = bytes_digest(os.fsencode(self.root))[:16]
        question = "\0".join(self.question).encode("utf-8", "surrogateescape")
        return self.data / _FOLDER / project / f"{bytes_digest(question)}.json"


def current_program() -> Program:
    """Sightline as it is on disk now."""
    return running_program(_PACKAGE, sys.path)
