"""Pages and collections in SQLite: what is written and read, inside a transaction that somebody else owns."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sightline.library_docs.documents import Document
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.store.columns import library_of, library_text
from sightline.library_docs.store.passages import Passage
from sightline.library_docs.store.records import PageFinding, PageKey, StoredPage
from sightline.library_docs.store.sqlite_schema import mark_not_indexed
from sightline.library_docs.store.uses import Use

_COLUMNS = (
    "url, variant, version, final_url, title, kind, trust, library, document_version, content_hash, etag, "
    "last_modified, fetched_at, expires_at, pinned, findings, content"
)
_MERGED_PAGES = 2000
_SELECT = f"SELECT id, last_used, {_COLUMNS} FROM pages WHERE url = ? AND variant = ? AND version = ?"  # noqa: S608 - constants
_INSERT = (
    f"INSERT INTO pages({_COLUMNS}, size, last_used, collection) "  # noqa: S608 - constants
    f"VALUES ({', '.join('?' * 20)})"
)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A page with its passages, made before the transaction begins."""

    page: StoredPage
    passages: tuple[Passage, ...]


class PageTable:
    """Writes pages with their passages; the index follows where there is one."""

    def __init__(self, connection: sqlite3.Connection, *, is_searchable: bool) -> None:
        self._connection = connection
        self._is_searchable = is_searchable

    def insert(self, indexed: Indexed, now: float, collection: int | None = None) -> None:
        """Add a page; raises `sqlite3.IntegrityError` where its key is taken."""
        page = indexed.page
        content = normal_text(page.document.text)
        values = (*_values(page), content, len(content.encode()), now, collection)
        added = self._connection.execute(_INSERT, values).lastrowid
        library = library_text(page.document.library)
        rows = [
            (added, one.line, one.digest, library, normal_text(one.heading), normal_text(one.body), one.parts)
            for one in indexed.passages
        ]
        before = self._last_passage()
        self._connection.executemany(
            "INSERT INTO passages(page, line, digest, library, heading, body, parts) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )
        self._index(before)

    def delete(self, ids: Iterable[int]) -> int:
        """Remove pages with all that belongs to them."""
        count = 0
        for number in ids:
            self._unindex(number)
            self._connection.execute("DELETE FROM passages WHERE page = ?", (number,))
            count += self._connection.execute("DELETE FROM pages WHERE id = ?", (number,)).rowcount
        return count

    def delete_collections(self, ids: Iterable[int]) -> int:
        """Remove collections with their documents; says how many documents went."""
        count = 0
        for number in ids:
            rows = self._connection.execute("SELECT id FROM pages WHERE collection = ?", (number,)).fetchall()
            count += self.delete(row[0] for row in rows)
            self._connection.execute("DELETE FROM collections WHERE id = ?", (number,))
        return count

    def delete_everything(self) -> int:
        """Remove all pages and collections at once; says how many documents went."""
        count = self._connection.execute("SELECT count(*) FROM pages").fetchone()[0]
        if self._is_searchable:
            self._connection.execute("INSERT INTO passages_fts(passages_fts) VALUES ('delete-all')")
        else:
            mark_not_indexed(self._connection)
        for table in ("passages", "pages", "collections"):
            self._connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
        return count

    def compact(self) -> None:
        """Give back what deleted passages still take in the index, as far as a short while allows."""
        if self._is_searchable:
            merging = "INSERT INTO passages_fts(passages_fts, rank) VALUES ('merge', ?)"
            self._connection.execute(merging, (-_MERGED_PAGES,))

    def _last_passage(self) -> int:
        return self._connection.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()[0]

    def _index(self, after: int) -> None:
        if not self._is_searchable:
            mark_not_indexed(self._connection)
            return
        self._connection.execute(
            "INSERT INTO passages_fts(rowid, library, heading, body, parts) "
            "SELECT id, library, heading, body, parts FROM passages WHERE id > ?",
            (after,),
        )

    def _unindex(self, page: int) -> None:
        if not self._is_searchable:
            mark_not_indexed(self._connection)
            return
        self._connection.execute(
            "INSERT INTO passages_fts(passages_fts, rowid, library, heading, body, parts) "
            "SELECT 'delete', id, library, heading, body, parts FROM passages WHERE page = ?",
            (page,),
        )


def find_page(connection: sqlite3.Connection, key: PageKey) -> tuple[Use, StoredPage] | None:
    """The page of a key with its number and last use."""
    place = (normal_text(key.url), normal_text(key.variant), normal_text(key.version))
    row = connection.execute(_SELECT, place).fetchone()
    return None if row is None else (Use(row[0], row[1]), _page(key, row[2:]))


def _values(page: StoredPage) -> tuple[Any, ...]:
    document = page.document
    texts = (
        page.key.url,
        page.key.variant,
        page.key.version,
        page.final_url,
        document.title,
        document.kind,
        document.trust,
    )
    return (
        *map(normal_text, texts),
        library_text(document.library),
        document.version,
        page.content_hash,
        page.etag and normal_text(page.etag),
        page.last_modified and normal_text(page.last_modified),
        page.fetched_at,
        page.expires_at,
        int(page.is_pinned),
        json.dumps([dataclasses.astuple(finding) for finding in page.findings]),
    )


def _page(key: PageKey, row: tuple[Any, ...]) -> StoredPage:
    """The page of a row; the order is that of `_COLUMNS`."""
    url, _, _, final_url, title, kind, trust, library, version, digest, etag, last_modified = row[:12]
    fetched_at, expires_at, pinned, findings, content = row[12:]
    return StoredPage(
        key=key,
        document=Document(url, title, content, kind, trust, library_of(library), version),
        content_hash=digest,
        fetched_at=fetched_at,
        expires_at=expires_at,
        final_url=final_url,
        etag=etag,
        last_modified=last_modified,
        findings=() if findings == "[]" else tuple(PageFinding(*one) for one in json.loads(findings)),
        is_pinned=bool(pinned),
    )
