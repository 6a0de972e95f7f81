"""Keeping the database within a budget: what was not used for longest goes first, pinned pages never."""

from __future__ import annotations

import sqlite3

from sightline.library_docs.store.records import Eviction
from sightline.library_docs.store.sqlite_pages import PageTable

# A text takes its own size, once more in passages, and about as much in the index.
_GROWTH = 3.0
# About two seconds of work, for which other writers wait.
_AT_ONCE = 10_000_000
_OLDEST = """
SELECT 'page' AS kind, id, size, last_used FROM pages WHERE collection IS NULL AND pinned = 0
UNION ALL SELECT 'collection', id, size, last_used FROM collections
ORDER BY last_used, id LIMIT 200
"""


def used_bytes(connection: sqlite3.Connection) -> int:
    """What the database takes without its free pages."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def evict_some(connection: sqlite3.Connection, table: PageTable, max_bytes: int) -> Eviction:
    """Remove about as much as is too much, within bounds: other processes want to write in between."""
    excess = used_bytes(connection) - max_bytes
    pages, collections = _victims(connection, excess) if excess > 0 else ([], [])
    if pages or collections:
        table.delete(pages)
        table.delete_collections(collections)
        table.compact()
    used = used_bytes(connection)
    return Eviction(len(pages), len(collections), used, used <= max_bytes)


def _victims(connection: sqlite3.Connection, excess: int) -> tuple[list[int], list[int]]:
    pages: list[int] = []
    collections: list[int] = []
    expected = 0.0
    for kind, number, size, _ in connection.execute(_OLDEST).fetchall():
        (pages if kind == "page" else collections).append(number)
        expected += size * _GROWTH + 1000
        if expected >= min(excess, _AT_ONCE):
            break
    return pages, collections
