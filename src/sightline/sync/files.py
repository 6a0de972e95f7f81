"""How sync looks at the disk: the one seam through which source, targets and plan read it.

Whatever an answer depends on is asked for here, so that somebody can note it (`unchanged/recording.py`). Writing is
done elsewhere, by transactions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """A name in a folder: whether it is, or leads to, a folder, and whether it is a link."""

    name: str
    is_folder: bool
    is_link: bool


class Files(Protocol):
    """The questions that can be asked; each answers, and raises, as `Path` does."""

    def is_file(self, path: Path) -> bool: ...
    def is_dir(self, path: Path) -> bool: ...
    def is_symlink(self, path: Path) -> bool: ...
    def exists(self, path: Path) -> bool: ...

    def resolve(self, path: Path) -> Path: ...

    def mode(self, path: Path, *, follows_links: bool) -> int:
        """Kind and permission bits; raises `OSError`."""
        ...

    def read(self, path: Path, limit: int = -1) -> bytes:
        """The content, of a large file only so many bytes; raises `OSError`."""
        ...

    def entries(self, folder: Path) -> list[Entry]:
        """What is in a folder, by name; raises `OSError`."""
        ...

    def note_state_part(self, path: Path, project_keys: tuple[str, ...], part: str) -> None:
        """Of this file, which was read, only the part that `used_part` takes for these keys has been used."""
        ...


@dataclass(frozen=True, slots=True)
class DiskFiles:
    """The disk as it is."""

    def is_file(self, path: Path) -> bool:
        return path.is_file()

    def is_dir(self, path: Path) -> bool:
        return path.is_dir()

    def is_symlink(self, path: Path) -> bool:
        return path.is_symlink()

    def exists(self, path: Path) -> bool:
        return path.exists()

    def resolve(self, path: Path) -> Path:
        return path.resolve()

    def mode(self, path: Path, *, follows_links: bool) -> int:
        return path.stat(follow_symlinks=follows_links).st_mode

    def read(self, path: Path, limit: int = -1) -> bytes:
        with path.open("rb") as stream:
            return stream.read(limit)

    def entries(self, folder: Path) -> list[Entry]:
        with os.scandir(folder) as found:
            return sorted(Entry(each.name, _is_folder(each), each.is_symlink()) for each in found)

    def note_state_part(self, path: Path, project_keys: tuple[str, ...], part: str) -> None:
        """Nobody wants to know."""


DISK = DiskFiles()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def walk(
    files: Files, top: Path, *, follows_links: bool = False, on_error: Callable[[OSError], None] | None = None
) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Every folder from the top down with the names of its folders and files; those taken out are not entered."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = files.entries(folder)
        except OSError as error:
            if on_error is not None:
                on_error(error)
            continue
        folders = [each.name for each in entries if each.is_folder]
        links = {each.name for each in entries if each.is_link}
        yield folder, folders, [each.name for each in entries if not each.is_folder]
        waiting += [folder / name for name in reversed(folders) if follows_links or name not in links]


def json_files(files: Files, folder: Path) -> list[Path]:
    """The files of a folder that are named as JSON, sorted; none if there is no such folder."""
    try:
        names = [each.name for each in files.entries(folder)] if files.is_dir(folder) else []
    except OSError:
        return []
    return [path for name in names if (path := folder / name).match("*.json")]
