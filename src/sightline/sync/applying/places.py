"""Where sync keeps its own files: state, backups, locks, journal; all in one private folder of the user."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.outputs import OutputScope
from sightline.sync.planning.records import StateKey


@frozen
class SyncPlaces:
    """The folder, and the names in it."""

    folder: Path

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    def lock(self, root: Path, scope: OutputScope) -> Path:
        return self.folder / "locks" / f"{scope_name(root, scope)}.lock"

    @property
    def all_states(self) -> Path:
        return self.folder / "state"

    def states(self, root: Path, scope: OutputScope) -> Path:
        return self.all_states / scope_name(root, scope)

    def state(self, key: StateKey) -> Path:
        return self.states(key.root, key.scope) / f"{key.target}.json"

    def backups(self, root: Path, scope: OutputScope) -> Path:
        return self.folder / "backups" / scope_name(root, scope)


def scope_name(root: Path, scope: OutputScope) -> str:
    """A file name for one project, or for the user."""
    return f"{scope}-{hashlib.sha256(str(root).encode('utf-8', errors='surrogateescape')).hexdigest()[:16]}"
