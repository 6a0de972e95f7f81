"""The tables, made and brought up to date by steps; `user_version` counts the steps that were taken."""

from __future__ import annotations

import sqlite3

_TABLES = """
CREATE TABLE collections(
  id INTEGER PRIMARY KEY, library TEXT NOT NULL, version TEXT NOT NULL, fingerprint TEXT NOT NULL,
  stored_at REAL NOT NULL, last_used REAL NOT NULL, size INTEGER NOT NULL, UNIQUE(library, version));
CREATE TABLE pages(
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, variant TEXT NOT NULL, version TEXT NOT NULL,
  collection INTEGER REFERENCES collections(id), final_url TEXT NOT NULL, title TEXT NOT NULL, kind TEXT NOT NULL,
  trust TEXT NOT NULL, library TEXT NOT NULL, document_version TEXT, content_hash TEXT NOT NULL, etag TEXT,
  last_modified TEXT, fetched_at REAL NOT NULL, expires_at REAL NOT NULL, pinned INTEGER NOT NULL,
  last_used REAL NOT NULL, size INTEGER NOT NULL, findings TEXT NOT NULL, content TEXT NOT NULL,
  UNIQUE(url, variant, version));
CREATE INDEX pages_by_collection ON pages(collection);
CREATE INDEX pages_by_use ON pages(collection, pinned, last_used);
CREATE INDEX pages_by_library ON pages(library);
CREATE TABLE passages(
  id INTEGER PRIMARY KEY, page INTEGER NOT NULL REFERENCES pages(id), line INTEGER NOT NULL, digest TEXT NOT NULL,
  library TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL, parts TEXT NOT NULL);
CREATE INDEX passages_by_page ON passages(page);
CREATE TABLE marks(name TEXT PRIMARY KEY);
"""
_STEPS = (_TABLES,)
SCHEMA_VERSION = len(_STEPS)

_SEARCH_TABLE = """
CREATE VIRTUAL TABLE passages_fts USING fts5(
  library, heading, body, parts, content='passages', content_rowid='id',
  tokenize='porter unicode61 remove_diacritics 2')
"""
_NOT_INDEXED = "passages_not_indexed"


class NewerSchema(Exception):
    """The file was written by a later version of this program; it is left alone."""


class ForeignFile(Exception):
    """The file is a database, but not ours."""


def prepare(connection: sqlite3.Connection) -> str | None:
    """Bring the tables up to date; says why searching is not possible, and None if it is.

    Raises `NewerSchema`, `ForeignFile` and what SQLite raises.
    """
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # has effect only before the first table
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        _take_steps(connection)
        problem = _search_problem(connection)
        if problem is None:
            _ensure_search_table(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return problem


def mark_not_indexed(connection: sqlite3.Connection) -> None:
    """Note that passages were written without the index, which is then made anew once it can be."""
    connection.execute("INSERT OR IGNORE INTO marks VALUES (?)", (_NOT_INDEXED,))


def remake_index(connection: sqlite3.Connection) -> None:
    """Make a damaged index anew from the passages; FTS5 does not even let it be dropped in the usual way."""
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("DELETE FROM sqlite_master WHERE name = 'passages_fts'")
    connection.execute("PRAGMA writable_schema = RESET")
    for shadow in ("data", "idx", "docsize", "config"):
        connection.execute(f"DROP TABLE IF EXISTS passages_fts_{shadow}")
    connection.execute(_SEARCH_TABLE)
    _fill_index(connection)


def _fill_index(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO passages_fts(passages_fts) VALUES ('rebuild')")


def _take_steps(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise NewerSchema
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise ForeignFile
    for step in _STEPS[version:]:
        for statement in filter(str.strip, step.split(";")):
            connection.execute(statement)
    if version < SCHEMA_VERSION:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _search_problem(connection: sqlite3.Connection) -> str | None:
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.probe USING fts5(word)")
        connection.execute("DROP TABLE temp.probe")
    except sqlite3.DatabaseError as error:
        return f"this Python's SQLite {sqlite3.sqlite_version} has no full-text search: {error}"
    return None


def _ensure_search_table(connection: sqlite3.Connection) -> None:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'passages_fts'").fetchone()
    if not known:
        connection.execute(_SEARCH_TABLE)
    is_behind = connection.execute("SELECT 1 FROM marks WHERE name = ?", (_NOT_INDEXED,)).fetchone()
    if is_behind:
        _fill_index(connection)
        connection.execute("DELETE FROM marks WHERE name = ?", (_NOT_INDEXED,))
