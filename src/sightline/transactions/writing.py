"""Writing many new files and making them last together. Raises the system's errors, or blames the file one names."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterable
from functools import partial
from itertools import islice
from pathlib import Path

from sightline.frozen import frozen
from sightline.transactions.disk import Disk, Owner
from sightline.transactions.failures import WriteFailed, reason_of

# So many files are open at a time; a process may have 256 by default on macOS, and more elsewhere.
_BATCH = 200


@frozen
class NewFile:
    """A file to be written; without a mode it gets the one that every new file gets.

    `blamed` is the file that a failure is told of, as a `WriteFailed`; without it the system's error is raised.
    """

    path: Path
    content: bytes
    mode: int | None
    owner: Owner | None = None
    blamed: Path | None = None


@contextlib.contextmanager
def blaming(path: Path | None) -> Generator[None]:
    """Name the file that was being written, not the draft or the backup that the system complains about."""
    try:
        yield
    except OSError as error:
        if path is None:
            raise
        raise WriteFailed(path, reason_of(error)) from error


def write_files(disk: Disk, files: Iterable[NewFile]) -> None:
    """Write new files one after the other, and make their bytes last, many at the same time."""
    rest = iter(files)
    while batch := list(islice(rest, _BATCH)):
        with contextlib.ExitStack() as opened:
            disk.wait_for([_write(disk, file, opened) for file in batch])


def sync_folders(disk: Disk, folders: Iterable[Path]) -> None:
    """Make the names in these folders last, as far as the folders exist."""
    disk.wait_for([partial(disk.sync_folder, folder) for folder in sorted(set(folders)) if folder.is_dir()])


def _write(disk: Disk, file: NewFile, opened: contextlib.ExitStack) -> Callable[[], None]:
    """Write a file and return the call that makes it last; it stays open, because only so is every failure told."""
    with blaming(file.blamed):
        descriptor = disk.create(file.path, 0o666 if file.mode is None else 0o600)
        opened.callback(os.close, descriptor)
        disk.write(descriptor, file.content)
        if file.owner is not None:
            _give_to(disk, file.path, file.owner)
        if file.mode is not None and file.mode != 0o600:
            disk.set_mode(file.path, file.mode)
    return partial(_sync, disk, descriptor, file.blamed)


def _sync(disk: Disk, descriptor: int, blamed: Path | None) -> None:
    with blaming(blamed):
        disk.sync(descriptor)


def _give_to(disk: Disk, path: Path, owner: Owner) -> None:
    seen = path.stat()
    if (seen.st_uid, seen.st_gid) != owner:
        with contextlib.suppress(PermissionError):
            disk.set_owner(path, owner)
