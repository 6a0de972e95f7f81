"""Reading files of a package, and nothing but files of that package.

A name in a package is data from strangers: it may climb (`../`), be a link to elsewhere, a pipe, or enormous. What is
refused is refused with a reason; what is cut says so. Nothing here follows a linked folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_DOCUMENT_BYTES = 1_000_000
MOST_ENTRIES = 20_000
_DEEPEST = 12


class FileRefused(Exception):
    """A file that is not read, with the reason in plain words."""


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file; `is_cut` if it was longer than the limit, `size` in bytes as it is on disk."""

    text: str
    size: int
    is_cut: bool = False


def read_inside(folder: Path, relative: str, *, limit: int = MOST_DOCUMENT_BYTES) -> FileText:
    """The text of a regular file that really lies in `folder`; raises `FileRefused`."""
    content, size = read_bytes_inside(folder, relative, limit=limit)
    text = content.decode("utf-8-sig", errors="replace").replace("\0", "\ufffd")
    return FileText(text.replace("\r\n", "\n").replace("\r", "\n"), size, size > len(content))


def read_bytes_inside(folder: Path, relative: str, *, limit: int) -> tuple[bytes, int]:
    """At most `limit` bytes of a file in `folder`, and its full size; raises `FileRefused`."""
    path = real_path_inside(folder, relative)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise FileRefused(f"`{relative}` cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            raise FileRefused(f"`{relative}` is not a regular file")
        try:
            content = file.read(limit)
        except OSError as error:
            raise FileRefused(f"`{relative}` cannot be read: {error.strerror}") from None
        return content, max(seen.st_size, len(content))


def real_path_inside(folder: Path, relative: str) -> str:
    """The real path of a name in `folder`; raises `FileRefused` for whatever leads out of it."""
    if not is_plain_name(relative):
        raise FileRefused(f"`{relative[:200]!r}` is not a name inside the package")
    try:
        real = os.path.realpath(os.path.join(folder, relative))  # noqa: PTH118 - in every read, many times
        inside = os.path.realpath(folder)
    except (OSError, ValueError):
        raise FileRefused(f"`{relative}` cannot be followed") from None
    if real != inside and not real.startswith(inside.rstrip(os.sep) + os.sep):
        raise FileRefused(f"`{relative}` is a link that leads out of the package")
    return real


def stamp_of(path: str | Path) -> str:
    """What changes with every write: package managers give files old times, and the change time cannot be set back."""
    try:
        seen = os.stat(path)  # noqa: PTH116 - many looks per question
    except OSError:
        return "-"
    return f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}.{seen.st_ino}"


def is_plain_name(relative: str) -> bool:
    """Whether a name stays in its folder by its letters alone."""
    if (
        not relative
        or "\0" in relative
        or "\\" in relative
        or relative.startswith("/")
        or ":" in relative.split("/", maxsplit=1)[0]
    ):
        return False
    return all(part not in ("", ".", "..") for part in relative.split("/"))


@dataclass(slots=True)
class Walk:
    """Names of files under a folder, in order, up to a number of entries; `is_cut` tells if it was reached."""

    folder: Path
    most: int = MOST_ENTRIES
    looked_at: int = 0
    is_cut: bool = False

    def files(self, below: str = "", *, skipped: frozenset[str] = frozenset()) -> Iterator[str]:
        """Relative names of files below a subfolder; linked folders and `skipped` ones are not entered."""
        if below and not self._is_real_folder(below):
            return
        yield from self._files(below, skipped, _DEEPEST)

    def top_files(self) -> Iterator[str]:
        """Names of the files in the folder itself."""
        yield from (name for name, is_folder in self._entries("") if not is_folder)

    def _is_real_folder(self, below: str) -> bool:
        try:
            real = real_path_inside(self.folder, below)
        except FileRefused:
            return False
        return os.path.isdir(real)  # noqa: PTH112 - text in, text out

    def _files(self, below: str, skipped: frozenset[str], depth: int) -> Iterator[str]:
        folders: list[str] = []
        for name, is_folder in self._entries(below):
            relative = f"{below}/{name}" if below else name
            if not is_folder:
                yield relative
            elif name not in skipped:
                folders.append(relative)
        if depth > 0:
            for folder in folders:
                yield from self._files(folder, skipped, depth - 1)

    def _entries(self, below: str) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        try:
            with os.scandir(self.folder / below) as entries:
                for entry in entries:
                    if self.looked_at >= self.most:
                        self.is_cut = True
                        break
                    self.looked_at += 1
                    if entry.is_dir(follow_symlinks=False):
                        found.append((entry.name, True))
                    elif _is_file(entry):
                        found.append((entry.name, False))
        except OSError:
            return []
        return sorted(found)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False
