"""A registry file as bytes: a snapshot of libraries with a version, and the state that vouches for it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from sightline.library_docs.registry.entries import Entry, InvalidEntry, entry_row, parse_entry

SCHEMA = 1
MAX_SNAPSHOT_BYTES = 20_000_000
# One form of time, so that two stamps can be compared as text.
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,59}\Z")
_KEYS = {"schema", "version", "generated_at", "libraries"}


class InvalidSnapshot(ValueError):
    """A registry file that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All entries, sorted by id, with the version and the time that the maker gave."""

    version: str
    generated_at: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """What the second file of a pair says about the first."""

    version: str
    checksum: str
    count: int
    updated_at: str


def parse_snapshot(data: bytes, *, is_fully_checked: bool = True) -> Snapshot:
    """The snapshot in `data`; raises `InvalidSnapshot` for the first thing that is wrong with it."""
    document = parse_document(data)
    if set(document) != _KEYS or document["schema"] != SCHEMA:
        raise InvalidSnapshot(f"not a registry of schema {SCHEMA}")
    version, generated_at, rows = document["version"], document["generated_at"], document["libraries"]
    if not isinstance(version, str) or not _VERSION.match(version):
        raise InvalidSnapshot("`version` is not a version")
    if not isinstance(generated_at, str) or not _STAMP.match(generated_at):
        raise InvalidSnapshot("`generated_at` is not a time such as 2026-01-31T12:00:00Z")
    if not isinstance(rows, dict):
        raise InvalidSnapshot("`libraries` is not a table")
    try:
        entries = [
            parse_entry(key, row, is_fully_checked=is_fully_checked)
            for key, row in cast("dict[str, object]", rows).items()
        ]
    except InvalidEntry as reason:
        raise InvalidSnapshot(str(reason)) from None
    return Snapshot(version, generated_at, tuple(sorted(entries, key=lambda entry: entry.library)))


def parse_document(data: bytes) -> dict[str, object]:
    """The JSON object in `data`; raises `InvalidSnapshot`."""
    if len(data) > MAX_SNAPSHOT_BYTES:
        raise InvalidSnapshot(f"larger than {MAX_SNAPSHOT_BYTES:,} bytes")
    try:
        document: object = json.loads(data, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as reason:
        raise InvalidSnapshot(f"not JSON: {reason}"[:200]) from None
    if not isinstance(document, dict):
        raise InvalidSnapshot("not a JSON object")
    return cast("dict[str, object]", document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def encode_snapshot(version: str, generated_at: str, entries: Iterable[Entry]) -> bytes:
    """The same bytes for the same entries, one entry per line, so that a change can be reviewed."""
    rows = sorted((str(entry.library), entry_row(entry)) for entry in entries)
    head = [f'"schema":{SCHEMA}', f'"version":{json.dumps(version)}', f'"generated_at":{json.dumps(generated_at)}']
    lines = [f"{json.dumps(key)}:{json.dumps(row, separators=(',', ':'), sort_keys=True)}" for key, row in rows]
    return ("{" + ",\n".join(head) + ',\n"libraries":{\n' + ",\n".join(lines) + "\n}}\n").encode("ascii")


def checksum_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def state_of(data: bytes, snapshot: Snapshot, updated_at: str) -> SnapshotState:
    return SnapshotState(snapshot.version, checksum_of(data), len(snapshot.entries), updated_at)


def encode_state(state: SnapshotState) -> bytes:
    document = {
        "version": state.version,
        "checksum": state.checksum,
        "count": state.count,
        "updated_at": state.updated_at,
    }
    return (json.dumps(document, indent=2) + "\n").encode("ascii")


def parse_state(data: bytes) -> SnapshotState:
    """The state in `data`; raises `InvalidSnapshot`."""
    document = parse_document(data)
    version, checksum = document.get("version"), document.get("checksum")
    count, updated_at = document.get("count"), document.get("updated_at")
    if not (isinstance(version, str) and isinstance(checksum, str) and isinstance(updated_at, str)):
        raise InvalidSnapshot("the state has no `version`, `checksum` or `updated_at`")
    if not isinstance(count, int) or isinstance(count, bool):
        raise InvalidSnapshot("the state has no `count`")
    return SnapshotState(version, checksum, count, updated_at)
