"""What happens to one file: as the caller says it, and as the journal remembers it.

A file is known by its bytes. Only where a change leaves these alone does its mode tell old from new.
"""

from __future__ import annotations

import hashlib
import stat
from enum import Enum, auto
from pathlib import Path
from typing import Any

from sightline.frozen import frozen
from sightline.transactions.disk import Owner


@frozen
class FileChange:
    """One file of a plan: the bytes that the plan was made for, and those it shall have.

    None stands for no file. A move is a deletion and a creation. `before == after` only checks. Without `mode` an
    existing file keeps its own, and a new one gets the usual.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None


@frozen
class Version:
    """A file's content, and its mode where that is known."""

    digest: str
    mode: int | None


class Seen(Enum):
    """What a target holds now."""

    OLD = auto()
    NEW = auto()
    OTHER = auto()


@frozen
class Entry:
    """A change as the journal remembers it: the file with links followed, and its two versions."""

    number: int
    path: Path
    old: Version | None
    new: Version | None
    owner: Owner | None

    def look(self) -> Seen:
        """Which version the file is now; raises `OSError` where that cannot be told."""
        try:
            found = version_at(self.path)
        except NotRegular:
            return Seen.OTHER
        if self._is(found, self.old):
            return Seen.OLD
        return Seen.NEW if self._is(found, self.new) else Seen.OTHER

    def _is(self, found: Version | None, version: Version | None) -> bool:
        if found is None or version is None:
            return found is version
        only_mode_changes = self.old and self.new and self.old.digest == self.new.digest
        return found == version if only_mode_changes else found.digest == version.digest

    def to_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "old": self.old and [self.old.digest, self.old.mode],
            "new": self.new and [self.new.digest, self.new.mode],
            "owner": self.owner,
        }

    @staticmethod
    def from_json(number: int, record: dict[str, Any]) -> Entry:
        old, new, owner = record["old"], record["new"], record["owner"]
        return Entry(
            number,
            Path(record["path"]),
            Version(*old) if old else None,
            Version(*new) if new else None,
            (owner[0], owner[1]) if owner else None,
        )


class NotRegular(Exception):
    """Something has the name, and it is not a regular file."""


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def version_at(path: Path) -> Version | None:
    """The version on disk, None if there is none; raises `NotRegular` for a folder, a link, a device."""
    try:
        seen = path.lstat()
        if not stat.S_ISREG(seen.st_mode):
            raise NotRegular
        return Version(digest_of(path.read_bytes()), stat.S_IMODE(seen.st_mode))
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_intact(path: Path, version: Version) -> bool:
    """Whether a draft or a backup still holds the bytes that it was made with."""
    try:
        found = version_at(path)
    except NotRegular:
        return False
    return found is not None and found.digest == version.digest
