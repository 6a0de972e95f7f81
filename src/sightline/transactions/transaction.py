"""The steps of one transaction, forward and back; each may be the last one before a crash.

Beside each target lie two drafts while it runs: `.new` with the new bytes, and `.old`, a second name of the old file.
Going forward renames the one over the target, going back the other, so that neither needs room on the disk, and a file
that is put back is the very file that it was: times, owner, attributes and hard links included.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sightline.transactions.disk import Disk
from sightline.transactions.entries import Entry, Seen, is_intact
from sightline.transactions.failures import Conflict, StaleContent
from sightline.transactions.journal import Record, State
from sightline.transactions.planning import Plan, Step
from sightline.transactions.writing import NewFile, blaming, sync_folders, write_files


class Transaction:
    """A record, and what is done by it."""

    def __init__(self, record: Record, disk: Disk) -> None:
        self._record = record
        self._disk = disk
        self._begun: list[Entry] = []

    @property
    def state(self) -> State:
        return self._record.state

    def run(self, plan: Plan) -> None:
        """Make every file new; raises `TransactionFailed` half-way, for the caller to `take_back`."""
        with blaming(self._record.folder):
            self._record.write(plan)
        self._prepare(plan.steps)
        with blaming(self._record.folder):
            self._record.mark(State.REPLACING)
        for entry in self._record.entries:
            self._replace(entry)
        with blaming(self._record.folder):
            self._sync_folders()
            # If a power cut loses this mark, the next recovery finds every file new.
            self._record.mark(State.REPLACED, is_lasting=False)

    def take_back(self) -> tuple[Conflict, ...]:
        """Undo what this process has done; raises `OSError` if it cannot."""
        return self._restore(self._begun)

    def settle(self) -> tuple[Conflict, ...]:
        """Make what another process left all new or all old; raises `OSError` if it cannot."""
        if self.state is State.REPLACING and all(self._is_new_or_ready(entry) for entry in self._record.entries):
            with contextlib.suppress(OSError):
                return self._complete()
        if self.state in (State.REPLACING, State.RESTORING):
            return self._restore(self._record.entries)
        return ()

    def sweep(self) -> None:
        """Remove the drafts, then the record; raises `OSError` if it cannot."""
        swept: set[Path] = set()
        for entry in self._record.entries:
            for which in ("new", "old"):
                if self._disk.unlink(self._draft(entry, which)):
                    swept.add(entry.path.parent)
        if self.state is State.UNTOUCHED:
            for folder in reversed(self._record.folders):
                with contextlib.suppress(OSError):  # somebody put something there: it is theirs now
                    self._disk.remove_folder(folder)
                    swept.add(folder.parent)
        sync_folders(self._disk, swept)
        self._record.remove()

    def _prepare(self, steps: Sequence[Step]) -> None:
        """Make the drafts, and let them last.

        The names of new files need not: after a power cut that lost one, the journal still has all that it takes to go
        back. A second name of an old file is nowhere else.
        """
        for folder in self._record.folders:
            with blaming(folder):
                self._disk.make_folder(folder)
        write_files(self._disk, (draft for step in steps for draft in self._old_draft(step)))
        write_files(self._disk, (draft for step in steps for draft in self._new_draft(step)))
        with blaming(self._record.folder):
            sync_folders(self._disk, (step.entry.path.parent for step in steps if step.before is not None))

    def _new_draft(self, step: Step) -> Iterator[NewFile]:
        entry = step.entry
        if step.after is not None and entry.new is not None:
            yield NewFile(self._draft(entry, "new"), step.after, entry.new.mode, entry.owner, entry.path)

    def _old_draft(self, step: Step) -> Iterator[NewFile]:
        """The old file under a second name, or where that cannot be had, a copy to be written."""
        if step.before is None:
            return
        try:
            self._disk.link(step.entry.path, self._draft(step.entry, "old"))
        except OSError:  # not every file system has hard links, and not every file may get one
            yield self._copy_of_old(step.entry, step.before, blamed=step.entry.path)

    def _copy_of_old(self, entry: Entry, content: bytes, *, blamed: Path | None = None) -> NewFile:
        draft = self._draft(entry, "old")
        with blaming(blamed):
            self._disk.unlink(draft)
        return NewFile(draft, content, entry.old.mode if entry.old else None, entry.owner, blamed)

    def _replace(self, entry: Entry) -> None:
        with blaming(entry.path):
            if entry.look() is not Seen.OLD:
                raise StaleContent([entry.path])
            self._begun.append(entry)
            self._make_new(entry)

    def _make_new(self, entry: Entry) -> None:
        if entry.new is None:
            self._disk.unlink(entry.path)
        else:
            self._disk.rename(self._draft(entry, "new"), entry.path)

    def _is_new_or_ready(self, entry: Entry) -> bool:
        """False where going forward is not safe: a draft is damaged, or the file was changed before its turn."""
        seen = entry.look()
        draft = self._draft(entry, "new")
        if seen is Seen.OLD:
            return entry.new is None or is_intact(draft, entry.new)
        return seen is Seen.NEW or (entry.new is not None and not draft.exists())

    def _complete(self) -> tuple[Conflict, ...]:
        conflicts: list[Conflict] = []
        for entry in self._record.entries:
            match entry.look():
                case Seen.OLD:
                    self._make_new(entry)
                case Seen.OTHER:
                    conflicts.append(self._conflict(entry))
                case Seen.NEW:
                    pass
        self._sync_folders()
        self._record.mark(State.REPLACED)
        return tuple(conflicts)

    def _restore(self, entries: Iterable[Entry]) -> tuple[Conflict, ...]:
        if self.state is State.UNTOUCHED:
            return ()
        if self.state is not State.RESTORING:
            self._record.mark(State.RESTORING)
        conflicts = [conflict for entry in entries if (conflict := self._put_back(entry))]
        self._sync_folders()
        self._record.mark(State.UNTOUCHED)
        return tuple(conflicts)

    def _put_back(self, entry: Entry) -> Conflict | None:
        seen = entry.look()
        if seen is Seen.OLD:
            return None
        if seen is Seen.OTHER or not entry.path.parent.is_dir():
            return self._conflict(entry)
        if entry.old is None:
            self._disk.unlink(entry.path)
            return None
        draft = self._draft(entry, "old")
        if not is_intact(draft, entry.old):
            write_files(self._disk, (self._copy_of_old(entry, self._record.read_backup(entry)),))
        self._disk.rename(draft, entry.path)
        return None

    def _conflict(self, entry: Entry) -> Conflict:
        return Conflict(entry.path, self._record.keep_backup(entry))

    def _draft(self, entry: Entry, which: str) -> Path:
        return entry.path.parent / f".sightline-{self._record.id}-{entry.number}.{which}"

    def _sync_folders(self) -> None:
        folders = {entry.path.parent for entry in self._record.entries}
        folders.update(folder.parent for folder in self._record.folders)
        sync_folders(self._disk, folders)
