"""The way back from a sync: which files get which bytes, and what is remembered then. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.applying.backups import Backup, BackupEntry, Memory
from sightline.sync.formats.values import KeyPath
from sightline.sync.planning.holders import held_by_others
from sightline.sync.planning.present import PresentFile, read_present
from sightline.sync.planning.records import PathRecord, StateKey, TargetState
from sightline.transactions import FileChange

_ADDED_BY_OPENCODE = b'  "$schema": "https://opencode.ai/config.json",\n'
_REASONS = {
    "outside": "it lies outside the folders that may be written to now: a folder of that CLI was moved",
    "unreadable": "it cannot be read",
}


@frozen
class RollbackConflict:
    """A file that is not what we wrote any more; it is left alone."""

    path: Path
    reason: str


@frozen
class RolledBack:
    """What was restored, and what could not be."""

    backup_id: str
    restored: tuple[Path, ...]
    conflicts: tuple[RollbackConflict, ...]


@frozen
class WayBack:
    """The changes to be made, the states to be written, the conflicts."""

    changes: tuple[FileChange, ...]
    states: Mapping[StateKey, TargetState]
    conflicts: tuple[RollbackConflict, ...]


def way_back(
    backup: Backup,
    current: Mapping[StateKey, TargetState],
    allowed: Sequence[Path],
    others: Mapping[StateKey, TargetState],
) -> WayBack:
    """Undo what was not touched since; what a later sync remembers of other paths stays, and what `others` need."""
    needed = _needed_by(held_by_others(others), backup, current)
    present = read_present([entry.path for entry in backup.entries], allowed)
    changes: list[FileChange] = []
    conflicts: list[RollbackConflict] = []
    for entry in backup.entries:
        if entry.path in needed:
            conflicts.append(RollbackConflict(entry.path, "another project needs what was written there"))
            continue
        change = _undone(entry, present.files[entry.path])
        if isinstance(change, FileChange):
            changes.append(change)
        else:
            conflicts.append(change)
    left_alone = {conflict.path for conflict in conflicts}
    states = {
        key: _merged(current.get(key, TargetState()), memory, left_alone) for key, memory in backup.memories.items()
    }
    return WayBack(tuple(changes), states, tuple(conflicts))


def _needed_by(
    held: Mapping[Path, Mapping[KeyPath, object]], backup: Backup, current: Mapping[StateKey, TargetState]
) -> set[Path]:
    """The paths where something would go that was ours alone when it was written, and is not any more."""
    needed: set[Path] = set()
    for key, memory in backup.memories.items():
        for path in memory.paths & held.keys():
            now, old = current.get(key, TargetState()).records.get(path), memory.state.records.get(path)
            gone = {*(now.units if now else ())} - {*(old.units if old else ())}
            if not gone.isdisjoint(held[path]):
                needed.add(path)
    return needed


def _undone(entry: BackupEntry, now: PresentFile) -> FileChange | RollbackConflict:
    if now.standing not in ("file", "missing"):
        return RollbackConflict(entry.path, _REASONS.get(now.standing, "it is not a regular file any more"))
    try:
        old = entry.old_bytes(_as_written(entry, now.content))
    except ValueError as error:
        return RollbackConflict(entry.path, str(error))
    return FileChange(entry.path, now.content, old, entry.mode)


def _as_written(entry: BackupEntry, now: bytes | None) -> bytes | None:
    """Without the line that OpenCode adds to its file at every start (1.18.33), if that makes it the one we wrote."""
    if now is None or _ADDED_BY_OPENCODE not in now or entry.is_after(now):
        return now
    plain = now.replace(_ADDED_BY_OPENCODE, b"", 1)
    return plain if entry.is_after(plain) else now


def _merged(current: TargetState, memory: Memory, left_alone: set[Path]) -> TargetState:
    """The old memory of every path that the sync was about, but for those whose file stays."""
    forgotten, old = memory.paths - left_alone, memory.state
    records: dict[Path, PathRecord] = {path: each for path, each in current.records.items() if path not in forgotten}
    records.update({path: each for path, each in old.records.items() if path in forgotten})
    return replace(old, records=dict(sorted(records.items())), folders=current.folders | old.folders)
