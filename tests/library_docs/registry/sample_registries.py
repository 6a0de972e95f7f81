"""Registry files for the tests, made by hand."""

from __future__ import annotations

import json
from pathlib import Path

from sightline.library_docs.registry.registry import Registry, registry_of
from sightline.library_docs.registry.snapshots import checksum_of, encode_state, parse_snapshot, state_of

STAMP = "2026-05-01T12:00:00Z"


def snapshot_bytes(rows: dict[str, object], version: str = "2026.05.01", generated_at: str = STAMP) -> bytes:
    document = {"schema": 1, "version": version, "generated_at": generated_at, "libraries": rows}
    return json.dumps(document).encode()


def registry_with(rows: dict[str, object], version: str = "2026.05.01", generated_at: str = STAMP) -> Registry:
    return registry_of(parse_snapshot(snapshot_bytes(rows, version, generated_at)), "bundled")


def write_pair(folder: Path, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "known-libraries.json").write_bytes(data)
    state = state_of(data, parse_snapshot(data), STAMP)
    assert state.checksum == checksum_of(data)
    (folder / "registry-state.json").write_bytes(encode_state(state))
