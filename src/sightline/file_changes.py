"""Which source files of a tree changed since the last look, by what is on disk and not by hearsay.

Two ways to the same answer. Where the kernel's record can be relied on, only what it names is looked at. Anywhere
else every folder and file is: by size, inode, mtime and ctime, and by content while a file is so fresh that a
second write could leave all of these as they were.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sightline.kernel_watch import KernelWatch, open_kernel_watch

_FRESH_NS = 2_000_000_000
_MOST_LINKS = 2

Signature = tuple[int, int, int, int]
Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to the tree since the last look; `folders` are those that came or went, whatever they hold."""

    created: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted or self.folders)

    def and_then(self, later: Changes) -> Changes:
        """Both together, by what is true in the end."""
        created = (self.created | later.created) - later.deleted
        deleted = (self.deleted | later.deleted) - later.created
        changed = (self.changed | later.changed) - created - deleted
        return Changes(created, changed, deleted, self.folders | later.folders)


@dataclass(frozen=True, slots=True)
class TreeFilter:
    """Which files matter, by name, and which folders are not entered."""

    is_source: Callable[[str], bool]
    is_skipped: Callable[[os.DirEntry[str]], bool]


@dataclass(slots=True)
class _Folder:
    """`signature` is None while the folder is so fresh that it has to be listed again.

    `identity` tells another folder at the same path from the one that is watched; `links` counts the links on the way.
    """

    identity: Identity | None
    links: int = 0
    signature: Signature | None = None
    folders: set[str] = field(default_factory=set[str])
    files: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class _File:
    """`digest` is kept while the file is so fresh that its signature proves nothing."""

    signature: Signature
    digest: bytes | None


class FileChanges:
    """The source files below a root, as they were when last looked at."""

    def __init__(self, root: Path, which: TreeFilter, *, use_kernel: bool = True) -> None:
        self._which = which
        self._root = os.path.realpath(root)
        self._folders: dict[str, _Folder] = {}
        self._files: dict[str, _File] = {}
        self._links: dict[str, Identity | None] = {}
        self._watch: KernelWatch | None = open_kernel_watch(root) if use_kernel else None
        self._enter(str(root))

    @property
    def files(self) -> Collection[str]:
        """All source files, as of the last look."""
        return self._files.keys()

    @property
    def folders(self) -> Collection[str]:
        """All folders that are looked into, as of the last look."""
        return self._folders.keys()

    @property
    def has_links(self) -> bool:
        """Whether a link leads from one place of the tree to another, so that one file has several paths."""
        followed = (link for link in self._links if link in self._folders or link in self._files)
        return any(os.path.realpath(link).startswith(self._root + os.sep) for link in followed)

    def size_of(self, path: str) -> int:
        """A file's size as of the last look; 0 if it is not there."""
        known = self._files.get(path)
        return known.signature[2] if known else 0

    def newest_ns(self) -> int:
        """When a file last changed, as of the last look."""
        return max((known.signature[1] for known in self._files.values()), default=0)

    @property
    def is_watched_by_kernel(self) -> bool:
        return self._watch is not None

    def close(self) -> None:
        self._unwatch()

    def look(self) -> Changes:
        """What is different from the last look."""
        if self._watch is None:
            return self._look_everywhere()
        touched = self._watch.drain()
        if touched.is_everything:
            return self._look_everywhere()
        return self._look_at(touched.entries) if touched.entries or self._links else Changes()

    def _look_at(self, entries: Iterable[tuple[str, str]]) -> Changes:
        """Look only where the kernel saw something; whatever it names counts as changed."""
        before, folders = dict(self._files), frozenset(self._folders)
        moved = {os.path.dirname(link) for link, led_to in self._links.items() if _identity(link) != led_to}
        for folder in sorted({folder for folder, _ in entries} | moved):
            self._list(folder)
        named = {os.path.join(folder, name) for folder, name in entries} & self._files.keys()
        for path in named:
            self._remember(path)
        both = before.keys() & self._files.keys()
        seen_anew = {path for path in both if self._files[path] is not before[path]}  # or in a replaced folder
        linked = {path for path in self._links.keys() & both - seen_anew if self._is_changed(path, before[path])}
        return self._changes(before.keys(), folders, (seen_anew | linked) & self._files.keys())

    def _look_everywhere(self) -> Changes:
        before, folders = dict(self._files), frozenset(self._folders)
        for folder in sorted(self._folders):
            known = self._folders.get(folder)
            if known and (known.signature is None or known.signature != _signature(folder)):
                self._list(folder)
        changed = {path for path in before.keys() & self._files.keys() if self._is_changed(path, before[path])}
        changed &= self._files.keys()
        return self._changes(before.keys(), folders, changed)

    def _changes(self, before: Collection[str], folders: frozenset[str], changed: Iterable[str]) -> Changes:
        known, now = set(before), self._files.keys()
        moved = folders.symmetric_difference(self._folders)
        return Changes(frozenset(now - known), frozenset(changed), frozenset(known - now), moved)

    def _is_changed(self, path: str, was: _File) -> bool:
        signature = _signature(path)
        if signature == was.signature and was.digest is None:
            return False
        self._remember(path)
        now = self._files.get(path)
        return now is None or now.signature != was.signature or now.digest != was.digest

    def _list(self, folder: str) -> None:
        """Compare a folder's entries with those known; enter new folders, leave those that are gone."""
        known = self._folders.get(folder)
        if known is None:
            return
        if known.identity != _identity(folder) or (self._watch and not self._watch.is_still_there(folder)):
            self._leave(folder)
            self._enter(folder)
            return
        try:
            signature = _signature(folder)
            with os.scandir(folder) as entries:
                folders, files = self._sorted_out(entries)
        except OSError:
            self._leave(folder)
            return
        known.signature = None if _is_fresh(signature) else signature
        for path in known.folders - folders:
            self._leave(path)
        for path in known.folders & folders:
            if path in self._folders and self._folders[path].identity != _identity(path):
                self._list(path)
        for path in known.files - files:
            self._files.pop(path, None)
        new_folders, new_files = folders - known.folders, files - known.files
        known.folders, known.files = folders, files
        for path in new_files:
            self._remember(path)
        for path in sorted(new_folders):
            self._enter(path)

    def _sorted_out(self, entries: Iterable[os.DirEntry[str]]) -> tuple[set[str], set[str]]:
        folders: set[str] = set()
        files: set[str] = set()
        for entry in entries:
            try:
                if entry.is_symlink():
                    self._links[entry.path] = _identity(entry.path)
                if entry.is_dir():
                    if not self._which.is_skipped(entry) and not _is_loop(entry):
                        folders.add(entry.path)
                elif self._which.is_source(entry.name) and entry.is_file():
                    files.add(entry.path)
            except OSError:
                continue
        return folders, files

    def _enter(self, folder: str) -> None:
        """Watch first and list then, so that nothing falls between. Few links are followed in a row: they may loop."""
        identity = _identity(folder)
        parent = self._folders.get(os.path.dirname(folder))
        links = (parent.links if parent else 0) + (folder in self._links)
        if identity is None or links > _MOST_LINKS:
            return
        if self._watch and not self._watch.add(folder):
            self._unwatch()
        self._folders[folder] = _Folder(identity, links)
        self._list(folder)

    def _leave(self, folder: str) -> None:
        known = self._folders.pop(folder, None)
        if known is None:
            return
        if self._watch:
            self._watch.remove(folder)
        for link in [link for link in self._links if os.path.dirname(link) == folder]:
            del self._links[link]
        for path in known.files:
            self._files.pop(path, None)
        for path in known.folders:
            self._leave(path)

    def _remember(self, path: str) -> None:
        signature = _signature(path)
        if signature is None:
            self._files.pop(path, None)
            return
        needs_digest = (self._watch is None or path in self._links) and _is_fresh(signature)
        self._files[path] = _File(signature, _digest(path) if needs_digest else None)

    def _unwatch(self) -> None:
        if self._watch:
            self._watch.close()
            self._watch = None


def _signature(path: str) -> Signature | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino


def _identity(path: str) -> Identity | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


def _is_fresh(signature: Signature | None) -> bool:
    return signature is None or max(signature[0], signature[1]) > time.time_ns() - _FRESH_NS


def _digest(path: str) -> bytes:
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).digest()
    except OSError:
        return b""


def _is_loop(entry: os.DirEntry[str]) -> bool:
    """A link to a folder that it lies in would never end."""
    if not entry.is_symlink():
        return False
    target = os.path.realpath(entry.path)
    return os.path.realpath(os.path.dirname(entry.path)).startswith(target.rstrip(os.sep) + os.sep) or (
        os.path.realpath(os.path.dirname(entry.path)) == target
    )
