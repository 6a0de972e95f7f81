"""From a caller's changes to the entries of a transaction: links followed, contents compared, the unfit refused.

It only reads. Whatever can be known to go wrong is found here, before anything is touched.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from sightline.frozen import frozen
from sightline.real_paths import RealPaths
from sightline.transactions.entries import Entry, FileChange, Version, digest_of
from sightline.transactions.failures import Refused, StaleContent, WriteFailed, reason_of


@frozen
class Step:
    """An entry with its bytes."""

    entry: Entry
    before: bytes | None
    after: bytes | None


@frozen
class Plan:
    """The steps in the order of their making, the folders that they need, the hard links that they part."""

    steps: tuple[Step, ...]
    folders: tuple[Path, ...]
    parted: tuple[Path, ...]


@frozen
class _Target:
    """A change with what is at its place now."""

    change: FileChange
    path: Path
    content: bytes | None
    stat: os.stat_result | None

    @property
    def is_stale(self) -> bool:
        return self.content != self.change.before

    @property
    def mode(self) -> int | None:
        return stat.S_IMODE(self.stat.st_mode) if self.stat else None

    @property
    def new_mode(self) -> int | None:
        return self.mode if self.change.mode is None else self.change.mode

    @property
    def is_changed(self) -> bool:
        return self.change.before != self.change.after or (self.stat is not None and self.new_mode != self.mode)


def make_plan(changes: Sequence[FileChange], held: Collection[Path]) -> Plan:
    """Compare every file with its change; raises `StaleContent` or `Refused`.

    `held` are the files of a transaction that could not be settled: another one on top would lose its backups' meaning.
    """
    real_paths = RealPaths()
    targets = [_look(change, real_paths) for change in changes]
    _refuse_doubles(targets)
    if stale := [target.change.path for target in targets if target.is_stale]:
        raise StaleContent(stale)
    # Deletions come last, so that a moved file is at one of its two places at all times.
    to_make = sorted(
        (target for target in targets if target.is_changed), key=lambda target: target.change.after is None
    )
    for target in to_make:
        _refuse_unfit(target, held)
    folders = _missing_folders(target.path for target in to_make if target.change.after is not None)
    steps = tuple(_step(number, target) for number, target in enumerate(to_make))
    return Plan(steps, folders, tuple(target.change.path for target in to_make if _links(target) > 1))


def _look(change: FileChange, real_paths: RealPaths) -> _Target:
    path = _real_path(change, real_paths)
    try:
        seen = path.stat()
        if not stat.S_ISREG(seen.st_mode):
            raise Refused(change.path, "it is not a regular file")
        return _Target(change, path, path.read_bytes(), seen)
    except (FileNotFoundError, NotADirectoryError):
        return _Target(change, path, None, None)
    except OSError as error:
        raise WriteFailed(change.path, reason_of(error)) from None


def _real_path(change: FileChange, real_paths: RealPaths) -> Path:
    if change.after is None and change.path.is_symlink():
        raise Refused(change.path, "it is a symbolic link; to delete, name the file that it leads to")
    try:
        path = real_paths.of(change.path)
        is_loop = path.is_symlink()  # from Python 3.13 on a loop is no error
    except (OSError, RuntimeError):
        is_loop, path = True, change.path
    if is_loop:
        raise Refused(change.path, "its symbolic links lead nowhere")
    return path


def _refuse_doubles(targets: Iterable[_Target]) -> None:
    seen: set[Path] = set()
    for target in targets:
        if target.path in seen:
            raise Refused(target.change.path, "two changes lead to this one file")
        seen.add(target.path)


def _refuse_unfit(target: _Target, held: Collection[Path]) -> None:
    if target.path in held:
        raise Refused(target.change.path, "an earlier change of it is neither complete nor taken back")
    # Replacing needs only the folder's permission, and root has every one: the mode says what a person wants.
    is_protected = target.stat is not None and not target.stat.st_mode & 0o222
    if is_protected or (target.stat is not None and not os.access(target.path, os.W_OK)):
        raise Refused(target.change.path, "it is read-only")


def _missing_folders(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The folders to make, outer ones first."""
    missing: set[Path] = set()
    there: set[Path] = set()
    for path in paths:
        for folder in path.parents:
            if folder in missing or folder in there:
                break
            if folder.is_dir():
                there.add(folder)
                break
            if folder.exists():
                raise Refused(path, f"`{folder}` is not a folder")
            missing.add(folder)
    return tuple(sorted(missing))


def _links(target: _Target) -> int:
    return target.stat.st_nlink if target.stat else 0


def _step(number: int, target: _Target) -> Step:
    change = target.change
    old = None if change.before is None else Version(digest_of(change.before), target.mode)
    new = None if change.after is None else Version(digest_of(change.after), target.new_mode)
    owner = (target.stat.st_uid, target.stat.st_gid) if target.stat else None
    return Step(Entry(number, target.path, old, new, owner), change.before, change.after)
