"""Which program gave an answer: Sightline's own files, its libraries, the interpreter and the user.

The version does not tell: a checkout changes without one. A library that comes, goes or changes its version shows in
the folder that it is installed in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """`digest` is another one for every other program; `newest_ns` is when its own files were last changed."""

    digest: str
    newest_ns: int


def running_program(package: Path, search_path: Sequence[str]) -> Program:
    """By what is on disk now; `package` is Sightline's own folder."""
    user = os.getuid() if hasattr(os, "getuid") else -1
    files = sorted(_own_files(package), key=lambda entry: entry.path)
    stamps = [(entry.path, entry.stat()) for entry in files]
    found = [sys.version, sys.platform, str(user), *map(_library_folder, search_path)]
    found += (f"{path} {seen.st_mtime_ns} {seen.st_ctime_ns} {seen.st_size}" for path, seen in stamps)
    digest = blake2b("\0".join(found).encode("utf-8", "surrogateescape"), digest_size=20).hexdigest()
    return Program(digest, max(max(seen.st_mtime_ns, seen.st_ctime_ns) for _, seen in stamps))


def _own_files(package: Path) -> Iterator[os.DirEntry[str]]:
    """Without `__pycache__`, which Python makes from the others."""
    waiting = [str(package)]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                if not entry.is_dir():
                    yield entry
                elif entry.name != "__pycache__":
                    waiting.append(entry.path)


def _library_folder(folder: str) -> str:
    try:
        return f"{folder} {Path(folder).stat().st_mtime_ns}"
    except OSError:
        return folder
