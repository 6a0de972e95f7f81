"""When Claude Code's files change: by looking at them, which works on every system, and one run for many changes."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from sightline.sync.applying import Debounce
from sightline.sync.source import SourcePlaces, read_source_tree

_LOOK_EVERY_S = 0.5
_READ_EVERY_S = 10.0
_ITEM_FOLDERS = ("skills", "commands", "agents", "rules")

Stamp = tuple[int, int, int] | None


class SourceWatch:
    """The source of one project as it was at the last look."""

    def __init__(self, places: SourcePlaces, quiet_s: float) -> None:
        self._places = places
        self._debounce = Debounce(quiet_s, time.monotonic)
        self._seen = self._read()
        self._read_at = time.monotonic()

    def wait(self) -> None:
        """Return when something has changed and it has been quiet since; what comes later counts for the next time."""
        while True:
            if self._has_changed():
                self._debounce.trigger()
            if self._debounce.take():
                return
            time.sleep(min(_LOOK_EVERY_S, self._debounce.wait_s() or _LOOK_EVERY_S))

    def _has_changed(self) -> bool:
        """By the stamps of what is known; now and then all is read, for a new file where none was looked for."""
        is_due = time.monotonic() - self._read_at >= _READ_EVERY_S
        if not is_due and all(_stamp(path) == stamp for path, stamp in self._seen.items()):
            return False
        before, self._seen, self._read_at = self._seen, self._read(), time.monotonic()
        return self._seen != before

    def _read(self) -> dict[Path, Stamp]:
        return {path: _stamp(path) for path in self._paths()}

    def _paths(self) -> Iterator[Path]:
        """Every file that was read or was looked for, and the folders in which a new one would show."""
        places = self._places
        yield from (file.path for file in read_source_tree(places).inputs)
        yield places.project
        for folder in (places.config, places.project / ".claude"):
            for name in _ITEM_FOLDERS:
                yield from _folders_in(folder / name)


def _folders_in(top: Path) -> Iterator[Path]:
    yield top
    for folder, names, _ in os.walk(top):
        yield from (Path(folder, name) for name in names)


def _stamp(path: Path) -> Stamp:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


def is_last_trigger(stamp: Path, quiet_s: float) -> bool:
    """Leave a mark, wait, and see whether it is still ours: of many triggers in a row only the last one counts."""
    mark = uuid.uuid4().hex
    stamp.parent.mkdir(0o700, parents=True, exist_ok=True)
    stamp.write_text(mark)
    time.sleep(quiet_s)
    return stamp.read_text() == mark
