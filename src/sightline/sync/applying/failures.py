"""How applying and taking back can fail. Nothing has been written then.

SyncFailed
├── StalePlan          an input moved since the plan was made
├── SyncBusy           another sync of this project or user is running
├── SecretsDetected    the source holds a literal secret, or something to be written does
├── TargetsRefused     a target's own command does not take the planned files
├── HomeIsProject      the project's files would be the user's own
├── StateDamaged       what we remember cannot be read, and is not guessed at
├── NoSuchBackup       there is nothing to roll back to
└── NotWritten         the disk, its permissions or somebody else's edit was in the way
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sightline.errors import ErrorKind


class SyncFailed(Exception):
    """A sync that was not made; `kind` is the word for the answer."""

    kind: ClassVar[ErrorKind] = ErrorKind.INTERNAL_ERROR


class StalePlan(SyncFailed):
    """The plan of now has another id."""

    kind = ErrorKind.STALE_PLAN

    def __init__(self, plan_id: str, current: str) -> None:
        super().__init__(f"plan `{plan_id}` is out of date: source, targets or choices have changed, plan again")
        self.plan_id = plan_id
        self.current = current


class SyncBusy(SyncFailed):
    """Another sync holds the lock; `running_s` tells for how long, if that is known."""

    kind = ErrorKind.BUSY

    def __init__(self, running_s: float | None) -> None:
        since = "" if running_s is None else f", for {running_s:.0f} s now"
        super().__init__(f"another sync is running{since}: try again when it is done")
        self.running_s = running_s


class SecretsDetected(SyncFailed):
    """Named by place, never by value."""

    kind = ErrorKind.SECRETS_DETECTED

    def __init__(self, places: Sequence[str], path: Path | None = None) -> None:
        where = "the source holds" if path is None else f"`{path}` would hold"
        super().__init__(f"{where} literal secrets, which are never copied: {', '.join(places)}")
        self.path = path
        self.places = tuple(places)


class TargetsRefused(SyncFailed):
    """Asked in a trial home before anything was written."""

    kind = ErrorKind.CONFLICT

    def __init__(self, reasons: Mapping[str, str]) -> None:
        said = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        super().__init__(f"nothing is written, because the target itself refuses the planned files: {said}")
        self.reasons = dict(reasons)


class HomeIsProject(SyncFailed):
    """One folder cannot be both the project and the home folder."""

    kind = ErrorKind.INVALID_PARAMS

    def __init__(self) -> None:
        super().__init__("the project is your home folder, where project files are your own files: use scope `user`")


class StateDamaged(SyncFailed):
    """A file of ours that cannot be read; without it we cannot know what is ours."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"`{path}` cannot be read: {reason}; move it away to start anew")
        self.path = path


class NoSuchBackup(SyncFailed):
    """No sync with this id, or none at all, is left to take back."""

    kind = ErrorKind.NO_MATCH

    def __init__(self, backup_id: str | None) -> None:
        super().__init__(f"no backup `{backup_id}`" if backup_id else "there is no backup")
        self.backup_id = backup_id


class NotWritten(SyncFailed):
    """The transaction was refused or taken back as a whole."""

    kind = ErrorKind.CONFLICT
