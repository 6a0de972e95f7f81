"""An answer with all that it depended on, as one private file; and whether all of that is as it was.

A stamp counts only if it was clearly older than the run: a later write could leave it as it is, on a clock that ticks
slowly. Else, and where a stamp has moved, the content is compared.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.sync.unchanged.stamps import bytes_digest, content_digest, look_at, state_part_digest

if TYPE_CHECKING:
    from sightline.sync.unchanged.recording import Record

_FORMAT = 1
_SLOWEST_CLOCK_NS = 2_000_000_000
# Windows tells when a file was made, not when it was changed; a program can set all other times back.
_HAS_CHANGE_TIME = sys.platform != "win32"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a command has printed, colours included, and its exit code."""

    text: str
    errors: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`paths` maps to the kind, and for what was read also to stamp (empty if it cannot be relied on) and digest.

    The digest of Claude Code's state file is of the part that is used, for the project keys behind it.
    """

    program: str
    salt: str
    variables: Mapping[str, str | None]
    paths: Mapping[str, list[str]]
    shown: Shown

    def holds(self, program: str, environment: Mapping[str, str]) -> bool:
        """Whether the same run would see the same now."""
        return (
            program == self.program
            and all(_salted(self.salt, environment.get(name)) == value for name, value in self.variables.items())
            and all(_is_as_it_was(path, *noted) for path, noted in self.paths.items())
        )


def _is_as_it_was(path: str, kind: str, stamp: str | None = None, digest: str = "", *state_keys: str) -> bool:
    now = look_at(path)
    if now.kind != kind:
        return False
    if stamp is None or (stamp and stamp == now.stamp):
        return True
    return bool(digest) and digest == (state_part_digest(path, state_keys) if state_keys else content_digest(path))


def holds_now(record: Record) -> bool:
    """Whether a run that looks at the same would see the same now."""
    return record.is_complete and all(_is_as_it_was(path, *_noted(record, path)) for path in record.looks)


def _noted(record: Record, path: str) -> list[str]:
    seen = record.looks[path]
    if path not in record.digests:
        return [seen.kind]
    is_old = _HAS_CHANGE_TIME and is_settled(seen.newest_ns, record.begun_ns)
    return [seen.kind, seen.stamp if is_old else "", record.digests[path]]


def snapshot_of(record: Record, program: str, shown: Shown) -> Snapshot | None:
    """None if anything moved since the run began, or cannot be told apart from something that did."""
    paths: dict[str, list[str]] = {}
    for path in record.looks:
        noted = paths[path] = _noted(record, path)
        if len(noted) == 1:
            continue
        _, stamp, digest = noted
        if not stamp and (not digest or content_digest(path) != digest):
            return None
        part, *keys = record.state_parts.get(path, ("",))
        # Where the file is named in the answer, the numbers of its lines are, too.
        if part and Path(path).name not in shown.text + shown.errors and state_part_digest(path, keys) == part:
            noted[2:] = [part, *keys]
    if not record.is_still_so():
        return None
    salt = os.urandom(16).hex()
    variables = {name: _salted(salt, value) for name, value in record.variables.items()}
    return Snapshot(program, salt, variables, paths, shown)


def is_settled(changed_ns: int, begun_ns: int) -> bool:
    """Whether a change was so long before that a later one must show."""
    return changed_ns < begun_ns - _SLOWEST_CLOCK_NS


def _salted(salt: str, value: str | None) -> str | None:
    """A variable may hold a secret."""
    return None if value is None else bytes_digest(f"{salt}{value}".encode("utf-8", "surrogateescape"))


def write_snapshot(file: Path, snapshot: Snapshot) -> None:
    """Replace the file as a whole; raises `OSError`."""
    body = json.dumps(
        {
            "format": _FORMAT,
            "program": snapshot.program,
            "salt": snapshot.salt,
            "variables": snapshot.variables,
            "paths": snapshot.paths,
            "shown": [snapshot.shown.text, snapshot.shown.errors, snapshot.shown.exit_code],
        },
        separators=(",", ":"),
    ).encode("ascii")
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.urandom(8).hex()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(f"{bytes_digest(body)}\n".encode("ascii") + body)
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_snapshot(file: Path) -> Snapshot | None:
    """None if there is none, or if it is not what was written."""
    try:
        digest, _, body = file.read_bytes().partition(b"\n")
        if digest.decode("ascii") != bytes_digest(body):
            return None
        content: dict[str, Any] = json.loads(body)
        if content["format"] != _FORMAT:
            return None
        text, errors, exit_code = content["shown"]
        shown = Shown(text, errors, exit_code)
        return Snapshot(content["program"], content["salt"], content["variables"], content["paths"], shown)
    except (OSError, ValueError, KeyError, TypeError):
        return None
