"""Writing many files so that all of them change or none, whatever happens half-way.

Where a hard link is replaced, its other names keep the old bytes: writing into the shared file could not be taken back
after a crash, and its other names are as a rule a package cache's or a snapshot's. `Applied.parted` names such files.
"""

from __future__ import annotations

import contextlib
import logging
import stat
from collections.abc import Generator, Sequence
from enum import StrEnum
from itertools import takewhile
from pathlib import Path

from sightline.frozen import frozen
from sightline.transactions.disk import Disk
from sightline.transactions.entries import FileChange
from sightline.transactions.failures import Conflict, NotRestored, TransactionFailed, WriteFailed, reason_of
from sightline.transactions.journal import State, Unreadable, left_behind, new_record, read_record
from sightline.transactions.lock import hold_lock
from sightline.transactions.planning import Plan, make_plan
from sightline.transactions.transaction import Transaction

log = logging.getLogger(__name__)


class Ending(StrEnum):
    """How a transaction that was cut short has been settled."""

    COMPLETED = "completed"
    RESTORED = "restored"
    UNFINISHED = "unfinished"


@frozen
class Recovered:
    """What became of a transaction whose process died; `reason` says why it is unfinished."""

    id: str
    ending: Ending
    paths: tuple[Path, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reason: str | None = None


@frozen
class Applied:
    """What was written: files, those of them that have lost their hard links, and what had to be settled first."""

    paths: tuple[Path, ...]
    parted: tuple[Path, ...] = ()
    recovered: tuple[Recovered, ...] = ()


class FileTransactions:
    """The transactions of one journal, which is a private folder of the user; calls block."""

    def __init__(self, journal: Path, *, wait_s: float = 10.0, disk: Disk | None = None) -> None:
        self._journal = journal.absolute()
        self._wait_s = wait_s
        self._disk = disk or Disk()

    def apply(self, changes: Sequence[FileChange]) -> Applied:
        """Make all changes; raises `TransactionFailed` if none was made."""
        with self._held_journal():
            recovered = self._settle_all()
            held = {path for each in recovered if each.ending is Ending.UNFINISHED for path in each.paths}
            plan = make_plan(changes, held)
            if plan.steps:
                self._run(plan)
        return Applied(tuple(step.entry.path for step in plan.steps), plan.parted, recovered)

    @property
    def is_unsettled(self) -> bool:
        """Whether something is half-written: by a dead process, or by one that is at it."""
        return any(left_behind(self._journal))

    def recover(self) -> tuple[Recovered, ...]:
        """Settle what dead processes left, once at the start; raises `Busy` while a live one writes."""
        if not self.is_unsettled:
            return ()
        with self._held_journal():
            return self._settle_all()

    @contextlib.contextmanager
    def _held_journal(self) -> Generator[None]:
        with contextlib.ExitStack() as held:
            try:
                _make_private(self._journal, self._disk)
                held.enter_context(hold_lock(self._journal / "lock", self._wait_s))
            except OSError as error:
                raise WriteFailed(self._journal, reason_of(error)) from None
            yield

    def _run(self, plan: Plan) -> None:
        record = new_record(self._journal, self._disk, plan)
        transaction = Transaction(record, self._disk)
        try:
            transaction.run(plan)
        except BaseException as error:
            self._take_back(transaction, plan, error)
            raise
        _sweep(transaction)

    def _take_back(self, transaction: Transaction, plan: Plan, error: BaseException) -> None:
        try:
            conflicts = transaction.take_back()
        except OSError as failure:
            raise NotRestored([step.entry.path for step in plan.steps], reason_of(failure)) from error
        _report(conflicts)
        _sweep(transaction)
        if isinstance(error, TransactionFailed):
            error.conflicts = conflicts

    def _settle_all(self) -> tuple[Recovered, ...]:
        return tuple(self._settle(folder) for folder in left_behind(self._journal))

    def _settle(self, folder: Path) -> Recovered:
        try:
            record = read_record(folder, self._disk)
        except (Unreadable, OSError) as error:
            log.warning("transaction unreadable", extra={"folder": str(folder), "reason": str(error)})
            return Recovered(folder.name, Ending.UNFINISHED, reason=str(error))
        transaction = Transaction(record, self._disk)
        paths = tuple(entry.path for entry in record.entries)
        try:
            conflicts = transaction.settle()
        except OSError as error:
            log.warning("transaction unfinished", extra={"folder": str(folder), "reason": reason_of(error)})
            return Recovered(record.id, Ending.UNFINISHED, paths, reason=reason_of(error))
        ending = Ending.COMPLETED if transaction.state is State.REPLACED else Ending.RESTORED
        _report(conflicts)
        _sweep(transaction)
        log.info("transaction recovered", extra={"transaction": record.id, "ending": ending})
        return Recovered(record.id, ending, paths, conflicts)


def _make_private(journal: Path, disk: Disk) -> None:
    missing = list(takewhile(lambda folder: not folder.exists(), (journal, *journal.parents)))
    for folder in reversed(missing):
        disk.make_folder(folder, 0o700)
        disk.sync_folder(folder.parent)  # a journal that a power cut takes away could settle nothing
    if stat.S_IMODE(journal.stat().st_mode) & 0o077:
        journal.chmod(0o700)  # it holds copies of files that may be private


def _sweep(transaction: Transaction) -> None:
    """The files are settled: what cannot be removed now is removed by the next recovery."""
    try:
        transaction.sweep()
    except OSError as error:
        log.warning("drafts left for the next recovery", extra={"reason": reason_of(error)})


def _report(conflicts: Sequence[Conflict]) -> None:
    for conflict in conflicts:
        log.warning("file left as found", extra={"path": str(conflict.path), "backup": str(conflict.backup)})
