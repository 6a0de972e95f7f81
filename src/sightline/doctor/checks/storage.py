"""What Sightline keeps on disk: folders, the journal, the cache of pages, the registry, the records of clients.

A damaged file is set aside under another name, never deleted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from sightline.clients.failures import ClientFailed, Damaged
from sightline.clients.records import FILE_NAME, Records
from sightline.doctor.finding import Finding, Fix, error, ok, warning
from sightline.doctor.subject import Subject
from sightline.library_docs.known_libraries import extra_files
from sightline.library_docs.registry.loading import load_registry
from sightline.transactions import FileTransactions, TransactionFailed
from sightline.transactions.journal import left_behind
from sightline.wording import counted

CACHE_NAME = "docs.sqlite3"
_COMPANIONS = ("", "-wal", "-shm")


async def check_folders(subject: Subject) -> list[Finding]:
    places = subject.places
    named = {"settings": places.config, "data": places.data, "logs": places.logs, "cache": places.cache}
    return [_folder(name, folder) for name, folder in named.items()]


async def check_journal(subject: Subject) -> list[Finding]:
    journal = subject.places.journal
    waiting = list(left_behind(journal))
    if not waiting:
        return [ok("no change of files was left half-done")]
    fix = Fix("settle changes that were cut short", lambda: _settle(journal))
    return [
        warning(f"{counted(len(waiting), 'change')} of files cut short: {journal}", "`sightline doctor --fix`", fix)
    ]


async def check_cache(subject: Subject) -> list[Finding]:
    if subject.settings.docs.store_url:
        return [ok("the docs cache is a database that is not on this disk: not looked at")]
    path = subject.places.data / CACHE_NAME
    if not path.exists():
        return [ok(f"empty; it will be {path}")]
    if not path.is_file():  # opening a pipe would wait for ever
        return [error(f"{path} is not a regular file", "move away what has its name")]
    problem, is_damaged = _problem_of(path)
    if problem is None:
        return [ok(f"{path}: {path.stat().st_size / 1e6:.1f} MB")]
    if not is_damaged:
        return [error(f"{path} cannot be read: {problem}", "look who may read it, and who holds it")]
    fix = Fix(f"set the damaged {path} aside", lambda: _set_aside(path))
    return [error(f"{path} is damaged: {problem}", "`sightline doctor --fix`: pages are fetched again", fix)]


async def check_registry(subject: Subject) -> list[Finding]:
    registry = load_registry(subject.places.data / "registry", extra_files(subject.settings.docs))
    told = ok(f"{registry.origin}, version {registry.version}, {len(registry.entries)} libraries")
    return [told, *(warning(each, "mend or remove the file that it names") for each in registry.problems)]


async def check_records(subject: Subject) -> list[Finding]:
    path = subject.places.data / FILE_NAME
    try:
        Records(subject.places.data)
    except Damaged as failure:
        fix = Fix(f"set the damaged {path} aside", lambda: _set_aside(path))
        return [error(failure.message, "`sightline doctor --fix`", fix)]
    except ClientFailed as failure:  # whole perhaps, and only not for this user's eyes
        return [error(failure.message, failure.hint or "look at the file")]
    return [ok("what `install` wrote is remembered")] if path.exists() else [ok("`install` wrote nothing yet")]


def _folder(name: str, folder: Path) -> Finding:
    if not folder.exists():
        # Made at its first use as well: only somebody who mounts or backs it up wants it before.
        return Finding("ok", f"{name}: {folder} (made when needed)", fix=Fix(f"make {folder}", lambda: _make(folder)))
    if not folder.is_dir():
        return error(f"{name}: {folder} is not a folder", "move away what has its name")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return error(f"{name}: {folder} cannot be written to", "let your user write there")
    return ok(f"{name}: {folder}")


def _make(folder: Path) -> str | None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as failure:
        return failure.strerror
    return None


def _settle(journal: Path) -> str | None:
    try:
        left = [each for each in FileTransactions(journal).recover() if each.reason]
    except TransactionFailed as failure:
        return str(failure)
    return "; ".join(f"{each.id}: {each.reason}" for each in left) or None


def _problem_of(path: Path) -> tuple[str | None, bool]:
    """What is wrong with a database, and whether it is damage; nothing is written to it."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            said = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as failure:
        code = getattr(failure, "sqlite_errorcode", 0) & 0xFF
        return str(failure), code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
    return (None, False) if said == ("ok",) else (str(said[0]), True)


def _set_aside(path: Path) -> str | None:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    try:
        for ending in _COMPANIONS:
            file = path.with_name(path.name + ending)
            if file.exists():
                file.rename(path.with_name(f"{path.name}.damaged-{stamp}{ending}"))
    except OSError as failure:
        return failure.strerror
    return None
