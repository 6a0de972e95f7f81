"""What a transaction remembers on disk, so that another process can settle it.

    <journal>/lock                    held by whoever applies or recovers
    <journal>/t-<id>/<state>.json     the manifest; its name is the state, so that one rename is a step forward
    <journal>/t-<id>/<number>         the bytes from before
    <journal>/kept/<id>/<number>/…    the bytes from before a conflict, for the person; never removed by us

A folder without a manifest touched nothing outside the journal. Whoever uses this holds the lock.
"""

from __future__ import annotations

import errno
import json
import secrets
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from sightline.transactions.disk import Disk
from sightline.transactions.entries import Entry, is_intact
from sightline.transactions.planning import Plan
from sightline.transactions.writing import NewFile, sync_folders, write_files

_FORMAT = 1
_PREFIX = "t-"


class State(StrEnum):
    """How far a transaction is: UNTOUCHED → REPLACING → REPLACED, and back by RESTORING → UNTOUCHED."""

    UNTOUCHED = "untouched"  # every file is old; there may be drafts
    REPLACING = "replacing"  # the old bytes and all drafts are on the disk; each file is old or new
    RESTORING = "restoring"  # the same, on the way back
    REPLACED = "replaced"  # every file is new; there may be drafts


class Unreadable(Exception):
    """A manifest that this version cannot read; nothing is done about it."""


class Record:
    """One transaction in the journal."""

    def __init__(self, folder: Path, disk: Disk, entries: Sequence[Entry], folders: Sequence[Path]) -> None:
        self.folder = folder
        self.entries = tuple(entries)
        self.folders = tuple(folders)
        self.state = State.UNTOUCHED
        self._disk = disk

    @property
    def id(self) -> str:
        return self.folder.name.removeprefix(_PREFIX)

    def write(self, plan: Plan) -> None:
        """Remember the plan and the old bytes; from here on a crash can be settled."""
        self._disk.make_folder(self.folder, 0o700)
        draft = self.folder / "draft"
        backups = (
            NewFile(self._backup(step.entry), step.before, 0o600) for step in plan.steps if step.before is not None
        )
        write_files(self._disk, (*backups, NewFile(draft, self._manifest(), 0o600)))
        self._disk.rename(draft, self._state_file(State.UNTOUCHED))
        sync_folders(self._disk, (self.folder, self.folder.parent))

    def mark(self, state: State, *, is_lasting: bool = True) -> None:
        """Go to a state, for good."""
        self._disk.rename(self._state_file(self.state), self._state_file(state))
        self.state = state
        if is_lasting:
            self._disk.sync_folder(self.folder)

    def read_backup(self, entry: Entry) -> bytes:
        """The old bytes; raises `OSError` if they are damaged."""
        path = self._backup(entry)
        if entry.old is None or not is_intact(path, entry.old):
            raise OSError(errno.EIO, f"its backup `{path}` is damaged")
        return path.read_bytes()

    def keep_backup(self, entry: Entry) -> Path | None:
        """Put the old bytes where a person finds them; None if there are none."""
        if entry.old is None:
            return None
        journal = self.folder.parent
        folders = [journal / "kept", journal / "kept" / self.id, journal / "kept" / self.id / str(entry.number)]
        kept = folders[-1] / entry.path.name
        if self._backup(entry).exists():
            for folder in folders:
                self._disk.make_folder(folder, 0o700)
            self._disk.rename(self._backup(entry), kept)
            sync_folders(self._disk, (journal, *folders))
        return kept

    def remove(self) -> None:
        if self.folder.exists():
            for path in sorted(self.folder.iterdir()):
                self._disk.unlink(path)
            self._disk.remove_folder(self.folder)

    def _manifest(self) -> bytes:
        content = {
            "format": _FORMAT,
            "folders": [str(folder) for folder in self.folders],
            "entries": [entry.to_json() for entry in self.entries],
        }
        return json.dumps(content).encode("ascii")  # ASCII escapes carry names that are not UTF-8

    def _state_file(self, state: State) -> Path:
        return self.folder / f"{state}.json"

    def _backup(self, entry: Entry) -> Path:
        return self.folder / str(entry.number)


def new_record(journal: Path, disk: Disk, plan: Plan) -> Record:
    folder = journal / f"{_PREFIX}{secrets.token_hex(8)}"
    return Record(folder, disk, [step.entry for step in plan.steps], plan.folders)


def read_record(folder: Path, disk: Disk) -> Record:
    """A record that a process left behind; raises `Unreadable`."""
    found = [state for state in State if (folder / f"{state}.json").exists()]
    if not found:
        return Record(folder, disk, (), ())
    try:
        content = json.loads((folder / f"{found[0]}.json").read_bytes())
        if content["format"] != _FORMAT:
            raise Unreadable(f"format {content['format']} is not known to this version")
        entries = [Entry.from_json(number, entry) for number, entry in enumerate(content["entries"])]
        record = Record(folder, disk, entries, [Path(name) for name in content["folders"]])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Unreadable(f"its manifest is damaged: {error}") from None
    record.state = found[0]
    return record


def left_behind(journal: Path) -> Iterator[Path]:
    """The folders of transactions that are not settled."""
    if journal.is_dir():
        yield from sorted(path for path in journal.iterdir() if path.name.startswith(_PREFIX))
