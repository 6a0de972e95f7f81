"""Where the registry comes from at the start: the pair of the last update, else the one that is bundled."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from sightline.library_docs.registry.extra_registries import merge_extra_registries
from sightline.library_docs.registry.registry import Registry, registry_of
from sightline.library_docs.registry.snapshots import InvalidSnapshot, Snapshot, SnapshotState, parse_state
from sightline.library_docs.registry.stored_pair import DATA_NAME, STATE_NAME, load_pair, verified_snapshot


def load_registry(folder: Path | None, extra: Sequence[Path] = ()) -> Registry:
    """The registry of `folder` if its pair is whole and not older than the bundled one; blocks for some 50 ms.

    A pair that is not used is named in `problems`. `extra` are a person's own files.
    """
    problems: tuple[str, ...] = ()
    try:
        local = load_pair(folder) if folder else None
    except InvalidSnapshot as reason:
        local, problems = None, (f"the stored registry is not used: {reason}",)
    if local and local.generated_at >= _bundled_state().updated_at:
        return merge_extra_registries(registry_of(local, "local"), extra)
    return merge_extra_registries(registry_of(load_bundled_snapshot(), "bundled", problems), extra)


def load_bundled_snapshot() -> Snapshot:
    """The snapshot that comes with Sightline; its checks are among the tests."""
    return verified_snapshot(_bundled(DATA_NAME), _bundled_state())


def _bundled_state() -> SnapshotState:
    return parse_state(_bundled(STATE_NAME))


def _bundled(name: str) -> bytes:
    return (files("sightline.library_docs.registry") / "bundled" / name).read_bytes()
