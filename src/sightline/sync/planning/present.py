"""What stands at the targets now. Reading only; links are seen and not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import takewhile
from pathlib import Path
from typing import Literal

from sightline.frozen import frozen
from sightline.sync.files import DISK, Files

Standing = Literal["missing", "file", "link", "not_a_file", "outside", "unreadable"]


@frozen
class PresentFile:
    """One path: `link` if it, or a folder above it, is a symbolic link; `outside` if it is in no allowed folder."""

    standing: Standing
    content: bytes | None = field(default=None, repr=False)
    mode: int | None = None


@frozen
class Present:
    """Every path that a plan may be about, and the folders above them that exist."""

    files: Mapping[Path, PresentFile]
    folders: frozenset[Path] = frozenset()


def read_present(paths: Iterable[Path], roots: Sequence[Path], disk: Files = DISK) -> Present:
    """Look at every path; `roots` are the folders that may be written to, and are themselves trusted to be links."""
    files: dict[Path, PresentFile] = {}
    above = {root: [folder for folder in (root, *root.parents) if disk.is_dir(folder)] for root in roots}
    folders: set[Path] = set()
    for path in sorted(set(paths)):
        root = _root_of(path, roots)
        if root is None:
            files[path] = PresentFile("outside")
            continue
        folders.update(above[root])
        files[path] = _look(path, root, folders, disk)
    return Present(files, frozenset(folders))


def _root_of(path: Path, roots: Sequence[Path]) -> Path | None:
    """The innermost one that the path lies in."""
    if not path.is_absolute() or os.path.normpath(path) != str(path):
        return None
    return next((folder for folder in path.parents if folder in roots), None)


def _look(path: Path, root: Path, folders: set[Path], disk: Files) -> PresentFile:
    try:
        for folder in _folders_between(root, path):
            if folder in folders:
                continue
            mode = disk.mode(folder, follows_links=False)
            if stat.S_ISLNK(mode):
                return PresentFile("link")
            if not stat.S_ISDIR(mode):
                return PresentFile("not_a_file")
            folders.add(folder)
        return _look_at_file(path, disk)
    except FileNotFoundError:
        return PresentFile("missing")
    except OSError:
        return PresentFile("unreadable")


def _look_at_file(path: Path, disk: Files) -> PresentFile:
    mode = disk.mode(path, follows_links=False)
    if stat.S_ISLNK(mode):
        return PresentFile("link")
    if not stat.S_ISREG(mode):
        return PresentFile("not_a_file")
    return PresentFile("file", disk.read(path), stat.S_IMODE(mode))


def _folders_between(root: Path, path: Path) -> list[Path]:
    """The folders below the root that lead to the path, outer ones first."""
    return list(reversed(path.parents))[len(root.parts) :]


def missing_folders(path: Path, present: Present, roots: Sequence[Path]) -> tuple[Path, ...]:
    """The folders that have to be made for a new file, the allowed one and those above it included."""
    if _root_of(path, roots) is None:
        return ()
    return tuple(takewhile(lambda folder: folder not in present.folders, path.parents))
