"""How writing many files can fail.

TransactionFailed       nothing has changed: it was not begun, or all of it was taken back
├── Refused             a change that is never made: a protected file, a folder, two changes of one file
├── StaleContent        a file is not what the plan was made for
├── Busy                another process writes with the same journal
├── WriteFailed         the disk or its permissions said no
└── NotRestored         and then taking back failed too: the journal remembers, and `recover` goes on with it
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sightline.frozen import frozen


@frozen
class Conflict:
    """A file that somebody else changed before it could be settled; it was left as they made it.

    `backup` holds the bytes from before the transaction, and None if the file did not exist then.
    """

    path: Path
    backup: Path | None


class TransactionFailed(Exception):
    """Nothing has changed, but for `conflicts`: files that somebody else changed after us and before taking back."""

    conflicts: tuple[Conflict, ...] = ()


class Refused(TransactionFailed):
    """A change that is never made, for a reason that lies in the file or in the plan."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"`{path}` is not written: {reason}")
        self.path = path
        self.reason = reason


class StaleContent(TransactionFailed):
    """Files that are not what the plan was made for."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(f"changed since the plan was made: {', '.join(f'`{path}`' for path in paths)}")
        self.paths = tuple(paths)


class Busy(TransactionFailed):
    """Another process held the journal all the time that we may wait."""

    def __init__(self, journal: Path, seconds: float) -> None:
        super().__init__(f"another process is writing: `{journal}` was not free within {seconds:g} s")
        self.journal = journal


class WriteFailed(TransactionFailed):
    """The operating system did not let us write the file, or the journal."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"`{path}` cannot be written: {reason}")
        self.path = path
        self.reason = reason


class NotRestored(TransactionFailed):
    """The files are partly new, and stay so until `recover` succeeds."""

    def __init__(self, paths: Sequence[Path], reason: str) -> None:
        super().__init__(f"not taken back yet: {', '.join(f'`{path}`' for path in paths)}: {reason}")
        self.paths = tuple(paths)
        self.reason = reason


def reason_of(error: OSError) -> str:
    """The system's words, without the path, which the message names already."""
    return error.strerror or str(error) or type(error).__name__
