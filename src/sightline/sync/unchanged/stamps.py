"""What can be told of a path without knowing what it is for: its kind, its stamp, and what is in it.

The kind is what `is_file`, `exists`, `resolve` and the like depend on, link and what it leads to included. The stamp
changes with the content: the change time moves with every write, and nobody can set it back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from sightline.sync.state_part import used_part_of_text

_LETTERS = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l"}
MISSING = "-"
_MOST_BYTES = 100_000_000


class Look(NamedTuple):
    """One look at a path; `newest_ns` is the last change that the file system tells."""

    kind: str
    stamp: str
    newest_ns: int


def look_at(path: str) -> Look:
    """The path as it is now, a link together with what it leads to; raises nothing."""
    try:
        own = os.lstat(path)
        if not stat.S_ISLNK(own.st_mode):
            return Look(_kind(own), _stamp(own), max(own.st_mtime_ns, own.st_ctime_ns))
        target = os.readlink(path)  # noqa: PTH115 - for every path of every run
    except (OSError, ValueError) as error:
        return Look(_failure(error), "", 0)
    try:
        led_to = os.stat(path)  # noqa: PTH116 - for every path of every run
    except OSError as error:
        return Look(f"l{target}>{_failure(error)}", _stamp(own), own.st_ctime_ns)
    newest = max(own.st_ctime_ns, led_to.st_mtime_ns, led_to.st_ctime_ns)
    return Look(f"l{target}>{_kind(led_to)}", f"{_stamp(own)} {_stamp(led_to)}", newest)


def _kind(seen: os.stat_result) -> str:
    """The permissions of a folder show in what can be done there; those of a file are copied."""
    letter = _LETTERS.get(stat.S_IFMT(seen.st_mode), "o")
    return letter if letter == "d" else f"{letter}{stat.S_IMODE(seen.st_mode):o}"


def _failure(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return MISSING
    return f"!{error.errno}" if isinstance(error, OSError) else "!"


def _stamp(seen: os.stat_result) -> str:
    times = f"{seen.st_mtime_ns} {seen.st_ctime_ns}"
    return f"{seen.st_mode} {seen.st_size} {times} {seen.st_ino} {seen.st_dev} {seen.st_uid} {seen.st_gid}"


def content_digest(path: str) -> str:
    """Of a file's bytes or of a folder's entries as they are now; empty if they cannot be had."""
    try:
        if Path(path).is_dir():
            with os.scandir(path) as found:
                return entries_digest([entry_text(each) for each in found])
        with Path(path).open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError:
        return ""
    return bytes_digest(content) if len(content) <= _MOST_BYTES else ""


def state_part_digest(path: str, project_keys: Sequence[str]) -> str:
    """Of what is used of Claude Code's state file now; empty if that cannot be told."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
    part = used_part_of_text(text, project_keys)
    return "" if part is None else bytes_digest(part.encode())


def entry_text(entry: os.DirEntry[str]) -> str:
    """A name and what it is; where a link leads is told by a look at the link."""
    letter = "l" if entry.is_symlink() else "d" if entry.is_dir(follow_symlinks=False) else "f"
    return f"{letter}{entry.name}"


def entries_digest(entries: list[str]) -> str:
    return bytes_digest("\0".join(sorted(entries)).encode("utf-8", "surrogateescape"))


def bytes_digest(content: bytes) -> str:
    return blake2b(content, digest_size=20).hexdigest()
