"""Noting everything that a run looks at: paths with what was seen there, and environment variables.

A path is noted before it is used, and looked at once more at the end. What changed meanwhile, or could not be looked
at, makes the record incomplete, and nothing is built on it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sightline.sync.files import Entry, Files
from sightline.sync.unchanged.stamps import Look, bytes_digest, entries_digest, look_at

_ABSENT = (FileNotFoundError, NotADirectoryError)
_MOST_PATHS = 50_000
_MOST_LINKS = 40


@dataclass(slots=True)
class Record:
    """What a run has looked at since it began: every path, of some also the content, and the variables."""

    begun_ns: int = field(default_factory=time.time_ns)
    looks: dict[str, Look] = field(default_factory=dict[str, Look])
    digests: dict[str, str] = field(default_factory=dict[str, str])
    state_parts: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])  # digest, then keys
    variables: dict[str, str | None] = field(default_factory=dict[str, str | None])
    ways: set[str] = field(default_factory=set[str])
    real_paths: dict[Path, Path] = field(default_factory=dict[Path, Path])
    is_complete: bool = True

    def look(self, path: str) -> Look:
        seen = self.looks.get(path)
        if seen is None:
            seen = self.looks[path] = look_at(path)
            self.is_complete = self.is_complete and len(self.looks) <= _MOST_PATHS
        return seen

    def used(self, path: str, digest: str) -> None:
        """The run has seen this content there; another one than before tells that somebody is writing."""
        self.is_complete = self.is_complete and self.digests.setdefault(path, digest) == digest

    def is_still_so(self) -> bool:
        """Whether everything is as it was when it was first looked at."""
        return self.is_complete and all(self._is_same(path, seen) for path, seen in self.looks.items())

    def _is_same(self, path: str, before: Look) -> bool:
        now = look_at(path)
        return now.kind == before.kind and (path not in self.digests or now.stamp == before.stamp)


@dataclass(frozen=True, slots=True)
class RecordingFiles:
    """Files that note what they are asked for."""

    disk: Files
    record: Record

    def is_file(self, path: Path) -> bool:
        self.record.look(str(path))
        return self.disk.is_file(path)

    def is_dir(self, path: Path) -> bool:
        self.record.look(str(path))
        return self.disk.is_dir(path)

    def is_symlink(self, path: Path) -> bool:
        self.record.look(str(path))
        return self.disk.is_symlink(path)

    def exists(self, path: Path) -> bool:
        self.record.look(str(path))
        return self.disk.exists(path)

    def mode(self, path: Path, *, follows_links: bool) -> int:
        self.record.look(str(path))
        return self.disk.mode(path, follows_links=follows_links)

    def resolve(self, path: Path) -> Path:
        """Where a path leads does not change during a run, or all that was noted counts for nothing."""
        real = self.record.real_paths.get(path)
        if real is None:
            self._note_way(str(path.absolute()), _MOST_LINKS)
            real = self.record.real_paths[path] = self.disk.resolve(path)
        return real

    def _note_way(self, path: str, links_left: int) -> None:
        """Every folder and link on the way: any of them may become a link. The way to a known step is known."""
        steps: list[str] = []
        while path not in self.record.ways:
            steps.append(path)
            self.record.ways.add(path)
            path = os.path.dirname(path)  # noqa: PTH120 - for every path of every run
        for step in reversed(steps):
            if self.record.look(step).kind.startswith("l"):
                if links_left == 0:
                    self.record.is_complete = False
                    return
                with contextlib.suppress(OSError):
                    parent, target = Path(step).parent, Path(step).readlink()
                    self._note_way(str(parent / target), links_left - 1)

    def read(self, path: Path, limit: int = -1) -> bytes:
        name = str(path)
        self.record.look(name)
        with self._unless_absent():
            content = self.disk.read(path, limit)
        # Of a file that is too large nothing was used but its size.
        self.record.used(name, "" if len(content) == limit else bytes_digest(content))
        return content

    def entries(self, folder: Path) -> list[Entry]:
        name = str(folder)
        self.record.look(name)
        with self._unless_absent():
            entries = self.disk.entries(folder)
        self.record.used(name, entries_digest([_entry_text(each) for each in entries]))
        for each in entries:
            if each.is_link:
                self.record.look(str(folder / each.name))
        return entries

    def note_state_part(self, path: Path, project_keys: tuple[str, ...], part: str) -> None:
        self.record.state_parts[str(path)] = (bytes_digest(part.encode()), *project_keys)

    @contextlib.contextmanager
    def _unless_absent(self) -> Generator[None]:
        """What exists and cannot be had may be had tomorrow, with nothing to see from outside."""
        try:
            yield
        except OSError as error:
            self.record.is_complete = self.record.is_complete and isinstance(error, _ABSENT)
            raise


def _entry_text(entry: Entry) -> str:
    return f"{'l' if entry.is_link else 'd' if entry.is_folder else 'f'}{entry.name}"


@dataclass(frozen=True, slots=True)
class RecordingVariables(Mapping[str, str]):
    """An environment that notes what it is asked for; who asks for all of it leaves the record incomplete."""

    variables: Mapping[str, str]
    record: Record

    def __getitem__(self, name: str) -> str:
        self.record.variables[name] = self.variables.get(name)
        return self.variables[name]

    def __iter__(self) -> Iterator[str]:
        self.record.is_complete = False
        return iter(self.variables)

    def __len__(self) -> int:
        self.record.is_complete = False
        return len(self.variables)
