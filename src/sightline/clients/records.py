"""What Sightline remembers of each client's file that it wrote to, so that taking the entry out leaves no trace.

One file for all, written in the same transaction as the client's own: the two never disagree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sightline.clients.failures import Damaged, unreadable
from sightline.regular_files import read_regular
from sightline.sync.formats.values import KeyPath, Value
from sightline.transactions import FileChange

FILE_NAME = "registrations.json"


@dataclass(frozen=True, slots=True)
class Record:
    """An entry as it was written; `made` are the objects around it, `folders` those that were made for the file."""

    digest: str
    made: tuple[KeyPath, ...] = ()
    is_created: bool = False
    folders: tuple[Path, ...] = ()


def entry_digest(entry: Value) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True, default=str).encode()).hexdigest()


class Records:
    """The records of one user, by the client's file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._content = _content(self._path)
        self._records = _parsed(self._path, self._content)

    def get(self, path: Path) -> Record | None:
        found = self._records.get(str(path))
        return None if found is None else _record(found)

    def change(self, path: Path, record: Record | None) -> FileChange:
        """The change of our own file that goes with a change of the client's."""
        others = {name: each for name, each in self._records.items() if name != str(path)}
        records = others if record is None else {**others, str(path): _as_json(record)}
        after = json.dumps({"version": 1, "files": records}, indent=2, sort_keys=True).encode() + b"\n"
        return FileChange(self._path, self._content, after if records else None, mode=0o600 if records else None)


def _content(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from None


def _parsed(path: Path, content: bytes | None) -> Mapping[str, Any]:
    if content is None:
        return {}
    try:
        known = json.loads(content)
        files = cast("dict[str, Any]", known["files"])
        for each in files.values():
            _record(each)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Damaged(f"`{path}` is damaged", "`sightline doctor --fix` sets it aside") from None
    return files


def _record(value: Any) -> Record:
    made = tuple(tuple(str(step) for step in key) for key in value["made"])
    return Record(str(value["digest"]), made, bool(value["created"]), tuple(Path(each) for each in value["folders"]))


def _as_json(record: Record) -> dict[str, Any]:
    folders = [str(folder) for folder in record.folders]
    return {
        "digest": record.digest,
        "made": [list(key) for key in record.made],
        "created": record.is_created,
        "folders": folders,
    }
