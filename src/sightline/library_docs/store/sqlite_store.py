"""Documents in one SQLite file, searched by FTS5. All work is done in worker threads."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from sightline.library_docs.documents import Document
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.pages.lines import content_hash
from sightline.library_docs.store.columns import library_text
from sightline.library_docs.store.passages import passages_of
from sightline.library_docs.store.queries import query_of
from sightline.library_docs.store.records import Eviction, PageKey, SearchAnswer, SearchHit, StoredPage, StoreStatistics
from sightline.library_docs.store.sqlite_eviction import evict_some, used_bytes
from sightline.library_docs.store.sqlite_file import Connect, SqliteFile
from sightline.library_docs.store.sqlite_pages import Indexed, PageTable, find_page
from sightline.library_docs.store.sqlite_search import search_passages
from sightline.library_docs.store.turns import FreeTurn, free_turn
from sightline.library_docs.store.uses import PendingUses, Use

T = TypeVar("T")

_NEVER = 1e18
_COUNTS = """
SELECT (SELECT count(*) FROM pages WHERE collection IS NULL), (SELECT count(*) FROM pages WHERE collection IS NOT NULL),
  (SELECT count(*) FROM collections), (SELECT count(*) FROM pages WHERE pinned), (SELECT count(*) FROM passages),
  (SELECT coalesce(sum(size), 0) FROM pages)
"""


class SqliteDocsStore:
    """A `DocsStore` in a file; several processes may share it."""

    def __init__(
        self, path: Path, *, clock: Callable[[], float], busy_timeout_s: float = 5.0, connect: Connect | None = None
    ) -> None:
        self._file = SqliteFile(path, busy_timeout_s=busy_timeout_s, connect=connect)
        self._clock = clock
        self._uses = PendingUses(clock)

    async def get(self, key: PageKey) -> StoredPage | None:
        def work(connection: sqlite3.Connection) -> tuple[Use, StoredPage] | None:
            return find_page(connection, key)

        at_once = self._file.read_at_once(work)
        found = at_once[0] if at_once else await self._read(key.url, work, None)
        if found is None:
            return None
        if self._uses.remember([found[0]]):
            await anyio.to_thread.run_sync(self._write_uses)
        return found[1]

    async def put(self, page: StoredPage) -> bool:
        return await anyio.to_thread.run_sync(self._put, page)

    async def renew(
        self, key: PageKey, *, fetched_at: float, expires_at: float, etag: str | None, last_modified: str | None
    ) -> bool:
        change = (
            "UPDATE pages SET fetched_at = ?, expires_at = ?, etag = coalesce(?, etag), "
            "last_modified = coalesce(?, last_modified) WHERE url = ? AND variant = ? AND version = ?"
        )
        return await self._change(key, change, (fetched_at, expires_at, etag, last_modified))

    async def pin(self, key: PageKey, is_pinned: bool = True) -> bool:
        change = "UPDATE pages SET pinned = ? WHERE url = ? AND variant = ? AND version = ?"
        return await self._change(key, change, (int(is_pinned),))

    async def delete(self, key: PageKey) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            found = find_page(connection, key)
            return found is not None and self._table(connection).delete([found[0].page]) > 0

        return await self._write(key.url, work, False)

    def turn(self, key: PageKey, *, wait_s: float) -> AbstractAsyncContextManager[FreeTurn]:
        """Processes of one machine each fetch for themselves."""
        return free_turn()

    async def clear(self, library: LibraryId | None = None) -> int:
        def work(connection: sqlite3.Connection) -> int:
            table = self._table(connection)
            if library is None:
                return table.delete_everything()
            name = (library_text(library),)
            collections = connection.execute("SELECT id FROM collections WHERE library = ?", name).fetchall()
            count = table.delete_collections(row[0] for row in collections)
            pages = connection.execute("SELECT id FROM pages WHERE library = ?", name).fetchall()
            count += table.delete(row[0] for row in pages)
            table.compact()
            return count

        count = await self._write("clear", work, 0)
        await self._shrink()
        return count

    async def put_documents(
        self, library: LibraryId, version: str, fingerprint: str, documents: Sequence[Document]
    ) -> bool:
        if await self.has_documents(library, version, fingerprint):
            return True
        return await anyio.to_thread.run_sync(self._put_documents, library, version, fingerprint, documents)

    async def has_documents(self, library: LibraryId, version: str, fingerprint: str) -> bool:
        query = "SELECT id FROM collections WHERE library = ? AND version = ? AND fingerprint = ?"
        values = (library_text(library), version, fingerprint)
        found = await self._read(str(library), lambda connection: connection.execute(query, values).fetchone(), None)
        return found is not None

    async def search(
        self, query: str, *, library: LibraryId | None = None, version: str | None = None, limit: int = 10
    ) -> SearchAnswer:
        return await anyio.to_thread.run_sync(self._search, query, library, version, limit)

    async def evict(self, max_bytes: int) -> Eviction:
        await anyio.to_thread.run_sync(self._write_uses)
        failed = Eviction(is_within_budget=False)
        pages = collections = 0
        while True:
            some = await self._write(
                "evict", lambda connection: evict_some(connection, self._table(connection), max_bytes), failed
            )
            pages, collections = pages + some.pages, collections + some.collections
            if some.is_within_budget or not (some.pages or some.collections):
                break
        await self._shrink()
        return Eviction(pages, collections, some.used_bytes, some.is_within_budget)

    async def statistics(self) -> StoreStatistics:
        def work(connection: sqlite3.Connection) -> tuple[tuple[int, ...], int]:
            return connection.execute(_COUNTS).fetchone(), used_bytes(connection)

        counts, used = await self._read("statistics", work, ((0,) * 6, 0))
        return StoreStatistics(
            place=str(self._file.path),
            web_pages=counts[0],
            installed_documents=counts[1],
            collections=counts[2],
            pinned_pages=counts[3],
            passages=counts[4],
            content_bytes=counts[5],
            used_bytes=used,
            problem=self._file.problem,
            search_problem=self._file.search_problem,
        )

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._close)

    def _close(self) -> None:
        self._write_uses()
        self._file.close()

    def _put(self, page: StoredPage) -> bool:
        indexed = Indexed(page, passages_of(page.document.title, page.document.text))

        def work(connection: sqlite3.Connection) -> bool:
            table, kept = self._table(connection), indexed
            if old := find_page(connection, page.key):
                table.delete([old[0].page])
                is_pinned = page.is_pinned or old[1].is_pinned
                kept = Indexed(dataclasses.replace(page, is_pinned=is_pinned), indexed.passages)
            table.insert(kept, self._clock())
            return True

        return self._file.write(page.key.url, work, False)

    def _put_documents(self, library: LibraryId, version: str, fingerprint: str, documents: Sequence[Document]) -> bool:
        now = self._clock()
        distinct = {document.address: document for document in documents}
        indexed = [
            Indexed(_installed(document, library, version, now), passages_of(document.title, document.text))
            for document in distinct.values()
        ]
        size = sum(len(document.text.encode("utf-8", "replace")) for document in distinct.values())

        def work(connection: sqlite3.Connection) -> bool:
            table, name = self._table(connection), library_text(library)
            old = connection.execute("SELECT id FROM collections WHERE library = ? AND version = ?", (name, version))
            table.delete_collections(row[0] for row in old.fetchall())
            added = connection.execute(
                "INSERT INTO collections(library, version, fingerprint, stored_at, last_used, size) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, version, fingerprint, now, now, size),
            ).lastrowid
            for one in indexed:
                if found := find_page(connection, one.page.key):
                    table.delete([found[0].page])
                table.insert(one, now, added)
            return True

        return self._file.write(str(library), work, False)

    def _search(self, text: str, library: LibraryId | None, version: str | None, limit: int) -> SearchAnswer:
        query = query_of(text)
        nothing: list[tuple[Use, SearchHit]] | None = None

        def work(connection: sqlite3.Connection) -> list[tuple[Use, SearchHit]] | None:
            if self._file.search_problem:
                return None
            connection.execute("BEGIN")  # one state of the database for all statements of a search
            try:
                return search_passages(connection, query, library, version, limit)
            finally:
                connection.execute("COMMIT")

        found = self._file.read("search", work, nothing)
        if found is None:
            reason = self._file.search_problem or "the search failed; the log says why"
            return SearchAnswer(unavailable=reason)
        if self._uses.remember(use for use, _ in found):
            self._write_uses()
        return SearchAnswer(tuple(hit for _, hit in found))

    async def _change(self, key: PageKey, change: str, values: tuple[object, ...]) -> bool:
        place = (key.url, key.variant, key.version)
        return await self._write(
            key.url, lambda connection: connection.execute(change, (*values, *place)).rowcount > 0, False
        )

    async def _shrink(self) -> None:
        """Give free pages back to the file system; cannot be done inside a transaction."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("COMMIT")
            connection.executescript("PRAGMA incremental_vacuum")  # `execute` would free a single page
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute("BEGIN")

        await self._write("shrink", work, None)

    def _write_uses(self) -> None:
        if uses := self._uses.take():
            self._file.write("uses", lambda connection: _write_uses(connection, uses), None)

    def _table(self, connection: sqlite3.Connection) -> PageTable:
        return PageTable(connection, is_searchable=self._file.search_problem is None)

    async def _read(self, what: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        return await anyio.to_thread.run_sync(self._file.read, what, work, otherwise)

    async def _write(self, what: str, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        return await anyio.to_thread.run_sync(self._file.write, what, work, otherwise)


def _write_uses(connection: sqlite3.Connection, uses: dict[int, float]) -> None:
    rows = [(when, number) for number, when in uses.items()]
    connection.executemany("UPDATE pages SET last_used = max(last_used, ?) WHERE id = ?", rows)
    connection.executemany(
        "UPDATE collections SET last_used = max(last_used, ?) WHERE id = (SELECT collection FROM pages WHERE id = ?)",
        rows,
    )


def _installed(document: Document, library: LibraryId, version: str, now: float) -> StoredPage:
    owned = dataclasses.replace(document, library=library, version=version)
    return StoredPage(
        key=PageKey.of(document.address),
        document=owned,
        content_hash=content_hash(document.text),
        fetched_at=now,
        expires_at=_NEVER,
        final_url=document.address,
    )
