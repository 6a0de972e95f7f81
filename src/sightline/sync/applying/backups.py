"""What it takes to undo one sync: for each file the way back from the new bytes, and what was remembered before.

Of shared files only what we replaced is kept, so that no secret that its owner wrote there is copied.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from sightline.frozen import frozen
from sightline.sync.applying.failures import StateDamaged
from sightline.sync.applying.state_files import json_bytes, state_from_json, state_to_json
from sightline.sync.outputs import OutputScope
from sightline.sync.planning.records import StateKey, TargetState, bytes_digest
from sightline.sync.planning.reverse import Reversal, restored, reversals

_FORMAT = 1
_NAME = re.compile(r"(\d{6,})-[0-9a-f]+")


@frozen
class BackupEntry:
    """One file: digests before and after (none for no file), the way back, and the mode if it has to be set again."""

    path: Path
    before: str | None
    after: str | None
    edits: tuple[Reversal, ...]
    mode: int | None

    def is_after(self, now: bytes | None) -> bool:
        """Whether these are the bytes that we wrote."""
        return _digest(now) == self.after

    def old_bytes(self, now: bytes | None) -> bytes | None:
        """The bytes from before; raises `ValueError` if these are not the bytes that we wrote."""
        if not self.is_after(now):
            raise ValueError("changed since")
        if self.before is None:
            return None
        old = restored(now or b"", self.edits)
        if bytes_digest(old) != self.before:
            raise ValueError("the backup is damaged")
        return old


@frozen
class Memory:
    """What a target remembered of those paths whose record a sync changed."""

    paths: frozenset[Path]
    state: TargetState


@frozen
class Backup:
    """One sync that can be taken back."""

    backup_id: str
    plan_id: str
    applied_at: str
    roots: Mapping[OutputScope, Path]
    entries: tuple[BackupEntry, ...]
    memories: Mapping[StateKey, Memory]


def memory_before(before: TargetState, after: TargetState) -> Memory:
    """What has to come back when `after` goes."""
    both = {*before.records, *after.records}
    changed = frozenset(path for path in both if before.records.get(path) != after.records.get(path))
    records = {path: record for path, record in before.records.items() if path in changed}
    return Memory(changed, replace(before, records=records))


def entry_for(path: Path, before: bytes | None, after: bytes | None, mode: int | None) -> BackupEntry:
    """`mode` is the one from before, if it does not come back by itself."""
    edits = () if before is None else reversals(before, after or b"")
    return BackupEntry(path, _digest(before), _digest(after), edits, mode)


def _digest(content: bytes | None) -> str | None:
    return None if content is None else bytes_digest(content)


def list_backups(folder: Path) -> list[Path]:
    """Oldest first."""
    found = folder.glob("*.json") if folder.is_dir() else ()
    return sorted((path for path in found if _NAME.fullmatch(path.stem)), key=lambda path: _number(path.stem))


def next_id(existing: list[Path], plan_id: str) -> str:
    last = _number(existing[-1].stem) if existing else 0
    return f"{last + 1:06d}-{plan_id[:8]}"


def _number(name: str) -> int:
    return int(name.partition("-")[0])


def pieces_of(backup: Backup) -> Iterator[bytes]:
    """Every run of old bytes that the backup holds, for the leak scan: in the file they may be encoded."""
    return (edit.old for entry in backup.entries for edit in entry.edits)


def backup_bytes(backup: Backup) -> bytes:
    return json_bytes(
        {
            "format": _FORMAT,
            "plan_id": backup.plan_id,
            "applied_at": backup.applied_at,
            "roots": {scope: str(root) for scope, root in backup.roots.items()},
            "entries": [_entry_to_json(entry) for entry in backup.entries],
            "memories": [
                {
                    "root": str(key.root),
                    "scope": key.scope,
                    "target": key.target,
                    "paths": sorted(str(path) for path in memory.paths),
                    "state": state_to_json(memory.state),
                }
                for key, memory in backup.memories.items()
            ],
        }
    )


def read_backup(path: Path) -> Backup:
    """Raises `StateDamaged`."""
    try:
        content = json.loads(path.read_bytes())
        if content["format"] != _FORMAT:
            raise StateDamaged(path, "it is of another version")
        return _backup(path.stem, content)
    except OSError as error:
        raise StateDamaged(path, error.strerror or "unreadable") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise StateDamaged(path, "it is not what was written") from None


def _backup(backup_id: str, content: dict[str, Any]) -> Backup:
    memories: dict[StateKey, Memory] = {}
    for each in cast("list[dict[str, Any]]", content["memories"]):
        key = StateKey(Path(each["root"]), _scope(each["scope"]), str(each["target"]))
        memories[key] = Memory(frozenset(Path(path) for path in each["paths"]), state_from_json(each["state"]))
    roots: dict[OutputScope, Path] = {
        _scope(scope): Path(root) for scope, root in cast("dict[str, str]", content["roots"]).items()
    }
    entries = tuple(_entry_from_json(each) for each in content["entries"])
    return Backup(backup_id, str(content["plan_id"]), str(content["applied_at"]), roots, entries, memories)


def _scope(name: str) -> OutputScope:
    if name not in ("user", "project"):
        raise ValueError(name)
    return name


def _entry_to_json(entry: BackupEntry) -> dict[str, Any]:
    return {
        "path": str(entry.path),
        "before": entry.before,
        "after": entry.after,
        "mode": entry.mode,
        "edits": [[edit.start, edit.end, *_encoded(edit.old)] for edit in entry.edits],
    }


def _entry_from_json(content: dict[str, Any]) -> BackupEntry:
    edits = tuple(
        Reversal(int(start), int(end), _decoded(how, text))
        for start, end, how, text in cast("list[tuple[int, int, str, str]]", content["edits"])
    )
    return BackupEntry(Path(content["path"]), content["before"], content["after"], edits, content["mode"])


def _encoded(content: bytes) -> tuple[str, str]:
    try:
        return "text", content.decode("utf-8")
    except UnicodeDecodeError:
        return "base64", base64.b64encode(content).decode("ascii")


def _decoded(how: str, text: str) -> bytes:
    return text.encode("utf-8") if how == "text" else base64.b64decode(text, validate=True)
