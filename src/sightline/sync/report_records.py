"""What a caller is told about a sync, as records: light, because every start loads them."""

from __future__ import annotations

from sightline.tool import output_field, record


@record
class KeyChange:
    """A key or block of a file: what is done to it, and why if that is not plain."""

    place: str
    action: str
    reason: str | None = None


@record
class FileChange:
    """A file; `keys` only where single keys or blocks of it are ours, `also_for` other targets that share it."""

    path: str
    action: str
    scope: str
    keys: list[KeyChange] | None = None
    also_for: list[str] | None = None


@record
class Conflict:
    """Left as it is until somebody says `keep` or `take`."""

    place: str
    reason: str


@record
class Obstacle:
    """A file that is left alone as a whole."""

    kind: str
    path: str
    line: int | None = None
    message: str


@record
class Loss:
    """What was not carried over as it is; without `field` the whole item."""

    item: str
    field: str | None = None
    grade: str
    reason: str


@record
class Verdict:
    """What the target's own command said about the planned files, and what it was asked."""

    status: str
    version: str | None = None
    findings: list[str]
    asked: list[str]


@record
class TargetReport:
    """One target: what would be or was done, what is lost, what the target said."""

    status: str
    changes: list[FileChange]
    conflicts: list[Conflict]
    problems: list[Obstacle]
    carried: dict[str, int] = output_field("Fields by grade")
    losses: list[Loss]
    security: list[str]
    steps: list[str]
    notes: list[str]
    verified: Verdict | None = None


@record
class SourceNote:
    """Something in the source that could not be read as meant, or is not known; `blocks` is what is left alone."""

    file: str
    line: int
    message: str
    blocks: list[str] | None = None
