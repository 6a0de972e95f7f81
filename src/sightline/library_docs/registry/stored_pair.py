"""A registry on disk: the data and the state that vouches for it, valid only together.

The state is written last. A crash between the two leaves a checksum that does not fit, and the pair is not used.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from sightline.library_docs.registry.snapshots import (
    MAX_SNAPSHOT_BYTES,
    InvalidSnapshot,
    Snapshot,
    SnapshotState,
    checksum_of,
    encode_state,
    parse_snapshot,
    parse_state,
)
from sightline.regular_files import read_regular

DATA_NAME = "known-libraries.json"
STATE_NAME = "registry-state.json"


def load_pair(folder: Path) -> Snapshot | None:
    """The snapshot in `folder`; None if there is no pair at all; raises `InvalidSnapshot` if it must not be used."""
    data, state = _read(folder / DATA_NAME), _read(folder / STATE_NAME)
    if data is None and state is None:
        return None
    if data is None or state is None:
        raise InvalidSnapshot("one file of the pair is missing")
    return verified_snapshot(data, parse_state(state))


def verified_snapshot(data: bytes, state: SnapshotState) -> Snapshot:
    """The snapshot if the state fits it; raises `InvalidSnapshot`. Its hosts were checked before it was stored."""
    if checksum_of(data) != state.checksum:
        raise InvalidSnapshot("the checksum does not fit the data")
    snapshot = parse_snapshot(data, is_fully_checked=False)
    if (snapshot.version, len(snapshot.entries)) != (state.version, state.count):
        raise InvalidSnapshot("the state belongs to another version")
    return snapshot


def save_pair(folder: Path, data: bytes, state: SnapshotState) -> None:
    """Replace the pair; raises `OSError`. No temporary file is left, whatever happens."""
    folder.mkdir(parents=True, exist_ok=True)
    drafts: list[Path] = []
    try:
        for content in (data, encode_state(state)):
            _write_draft(folder, content, drafts)
        drafts[0].replace(folder / DATA_NAME)
        drafts[1].replace(folder / STATE_NAME)
        _sync_folder(folder)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(path, MAX_SNAPSHOT_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as reason:
        raise InvalidSnapshot(f"`{path.name}` cannot be read: {reason.strerror}") from None


def _write_draft(folder: Path, content: bytes, drafts: list[Path]) -> None:
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".registry-", suffix=".tmp")
    drafts.append(Path(name))
    Path(name).chmod(0o644)  # a public registry, not a secret
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
