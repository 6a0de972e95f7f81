"""A database file that never fails its users: what cannot be read is missing, what cannot be written is not kept.

One connection reads and one writes, each behind a lock, so that a long write does not hold up reading; other processes
may use the file at the same time. A damaged file is set aside under another name and begun anew.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sightline.library_docs.store.sqlite_schema import ForeignFile, NewerSchema, prepare, remake_index

log = logging.getLogger(__name__)
T = TypeVar("T")
Connect = Callable[[str], sqlite3.Connection]

_PRIMARY_CODE = 0xFF
_COMPANIONS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Opened:
    """The connections to a file, and which file it was; without a writer it can only be read.

    `quick` never waits: what it cannot have at once is left to the reader.
    """

    quick: sqlite3.Connection
    reader: sqlite3.Connection
    writer: sqlite3.Connection | None
    inode: int
    search_problem: str | None


class SqliteFile:
    """Runs work on a connection; `problem` says why the file cannot be used, and None while it can."""

    def __init__(self, path: Path, *, busy_timeout_s: float = 5.0, connect: Connect | None = None) -> None:
        self.path = path
        self.problem: str | None = None
        self._busy_timeout_s = busy_timeout_s
        self._connect = connect or _connect
        self._opened: Opened | None = None
        self._opening = threading.RLock()
        self._looking = threading.Lock()
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._is_closed = False

    @property
    def search_problem(self) -> str | None:
        """Why nothing can be searched; None if it can, or if the file was not opened yet."""
        opened = self._opened
        return opened.search_problem if opened else self.problem

    def read(self, what: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """The result of work that only reads; `otherwise` when it fails."""
        opened = self._open()
        if opened is None:
            return otherwise
        with self._reading:
            try:
                return work(opened.reader)
            except sqlite3.Error as error:
                failure = error
        self._report("docs_store_read_failed", what, failure, opened)
        return otherwise

    def read_at_once(self, work: Callable[[sqlite3.Connection], T]) -> tuple[T] | None:
        """The result of work that takes microseconds, in the caller's own thread; None where it would have to wait.

        A reader of a write-ahead log waits for no writer. A hop to a worker thread costs several times such a read.
        """
        opened = self._opened
        if opened is None or not self._looking.acquire(blocking=False):
            return None
        try:
            return (work(opened.quick),)
        except sqlite3.Error:
            return None  # the reader will meet it too, and report it
        finally:
            self._looking.release()

    def write(self, what: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """The result of work in a transaction, which is kept whole or not at all; `otherwise` when it fails.

        In a file that was damaged and has been set aside the work is tried once more.
        """
        for _ in range(2):
            opened = self._open()
            if opened is None or opened.writer is None:
                return otherwise
            with self._writing:
                try:
                    return _in_transaction(opened.writer, work)
                except sqlite3.Error as error:
                    failure = error
            if not self._report("docs_store_write_failed", what, failure, opened):
                break
        return otherwise

    def close(self) -> None:
        """Let go of the file for good."""
        with self._opening:
            self._is_closed = True
            opened, self._opened = self._opened, None
            if opened:
                self._let_go(opened)

    def _open(self) -> Opened | None:
        with self._opening:
            if self._opened or self._is_closed:
                return self._opened
            try:
                self._opened = self._open_now()
                self.problem = None
            except sqlite3.Error as error:
                if _is_damaged(error) and self._set_aside(_inode_of(self.path)):
                    return self._open()
                self._cannot_open(str(error))
            except ForeignFile:
                self._cannot_open("the file is a database of another program")
            except NewerSchema:
                self._cannot_open("a later version of this program wrote the file")
            except OSError as error:
                self._cannot_open(error.strerror or str(error))
            return self._opened

    def _open_now(self) -> Opened:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            writer = self._connected(self.path.as_uri())
        except sqlite3.Error as error:
            if _is_damaged(error):
                raise
            return self._open_read_only(error)
        try:
            search_problem = prepare(writer)
        except sqlite3.OperationalError as error:
            writer.close()
            if _code(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
                return self._open_read_only(error)
            raise
        except BaseException:
            writer.close()
            raise
        with contextlib.suppress(OSError):
            self.path.chmod(0o600)
        uri = self.path.as_uri()
        quick, reader = self._connected(uri, waits=False), self._connected(uri)
        return Opened(quick, reader, writer, _inode_of(self.path), search_problem)

    def _open_read_only(self, error: sqlite3.Error) -> Opened:
        """A file that somebody else keeps: as it is, without the log beside it if that cannot be opened either."""
        for options in ("?mode=ro", "?mode=ro&immutable=1"):
            with contextlib.suppress(sqlite3.Error):
                reader = self._connected(self.path.as_uri() + options)
                reader.execute("SELECT count(*) FROM marks").fetchone()
                log.warning("docs_store_read_only", extra={"path": str(self.path), "reason": str(error)})
                quick = self._connected(self.path.as_uri() + options, waits=False)
                return Opened(quick, reader, None, _inode_of(self.path), None)
        raise error

    def _connected(self, uri: str, *, waits: bool = True) -> sqlite3.Connection:
        connection = self._connect(uri)
        connection.execute(f"PRAGMA busy_timeout = {int(self._busy_timeout_s * 1000) if waits else 0}")
        connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the machine may lose the last pages, no more
        connection.execute("PRAGMA cache_size = -16000")
        connection.execute("PRAGMA journal_size_limit = 16000000")
        return connection

    def _report(self, event: str, what: str, error: sqlite3.Error, opened: Opened) -> bool:
        """Log a failure; true where the file was damaged and is ready again."""
        log.warning(event, extra={"what": what, "path": str(self.path), "error": str(error)})
        if not _is_damaged(error):
            return False
        with self._opening:
            if self._opened is not opened:
                return True
            if self._reindexed(opened):
                return True
            self._opened = None
            self._let_go(opened)
            return self._set_aside(opened.inode)

    def _reindexed(self, opened: Opened) -> bool:
        """Where only the index is damaged it is made anew: the pages are worth keeping."""
        if opened.writer is None:
            return False
        with self._writing, contextlib.suppress(sqlite3.Error):
            if opened.writer.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return False
            _in_transaction(opened.writer, remake_index)
            return True
        return False

    def _let_go(self, opened: Opened) -> None:
        for lock, connection in (
            (self._looking, opened.quick),
            (self._reading, opened.reader),
            (self._writing, opened.writer),
        ):
            with lock, contextlib.suppress(sqlite3.Error):
                if connection:
                    connection.close()

    def _set_aside(self, inode: int) -> bool:
        """Rename a damaged file, unless another process did so already and a new one stands in its place."""
        stamp = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}"
        try:
            if _inode_of(self.path) == inode:
                for ending in _COMPANIONS:
                    companion = self.path.with_name(self.path.name + ending)
                    with contextlib.suppress(FileNotFoundError):
                        companion.rename(self.path.with_name(f"{self.path.name}.damaged-{stamp}{ending}"))
                log.warning("docs_store_set_aside", extra={"path": str(self.path), "stamp": stamp})
        except OSError as error:
            self._cannot_open(f"damaged, and cannot be renamed: {error.strerror}")
            return False
        return True

    def _cannot_open(self, problem: str) -> None:
        if problem != self.problem:
            log.warning("docs_store_unavailable", extra={"path": str(self.path), "reason": problem})
        self.problem = problem


def _connect(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def _in_transaction(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite takes a transaction back itself when the disk is full
            connection.execute("ROLLBACK")
        raise
    return result


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE


def _is_damaged(error: sqlite3.Error) -> bool:
    return _code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _inode_of(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
