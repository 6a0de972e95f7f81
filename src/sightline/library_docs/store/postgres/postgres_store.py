"""Pages in a PostgreSQL that many machines share, searched by its full text index."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import anyio
import anyio.to_thread
from psycopg import AsyncConnection

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.store.columns import library_text
from sightline.library_docs.store.postgres.address import StoreAddress
from sightline.library_docs.store.postgres.database import Database, Patience
from sightline.library_docs.store.postgres.eviction import evict_some, used_bytes
from sightline.library_docs.store.postgres.pages import (
    find_page,
    index_page,
    key_bytes,
    put_page,
    renew_page,
    write_uses,
)
from sightline.library_docs.store.postgres.refresh_turns import RefreshTurns, SharedTurn
from sightline.library_docs.store.postgres.search import search_passages
from sightline.library_docs.store.queries import query_of
from sightline.library_docs.store.records import Eviction, PageKey, SearchAnswer, SearchHit, StoredPage, StoreStatistics
from sightline.library_docs.store.uses import PendingUses, Use

_COUNTS = """
SELECT (SELECT count(*) FROM sightline.pages), (SELECT count(*) FROM sightline.pages WHERE pinned),
  (SELECT count(*) FROM sightline.passages), (SELECT coalesce(sum(size), 0)::bigint FROM sightline.pages)
"""


class PostgresPageStore:
    """A `PageStore` in a database; `problem` says why it is away, and None while it is there."""

    def __init__(self, address: StoreAddress, *, clock: Callable[[], float], patience: Patience | None = None) -> None:
        self._database = Database(address, patience=patience)
        self._turns = RefreshTurns(self._database)
        self._clock = clock
        self._uses = PendingUses(clock)

    @property
    def place(self) -> str:
        """Where it is, without secrets."""
        return self._database.address.place

    @property
    def problem(self) -> str | None:
        return self._database.problem

    async def get(self, key: PageKey) -> StoredPage | None:
        found = await self._database.read(key.url, lambda connection: find_page(connection, key), None)
        if found is None:
            return None
        if self._uses.remember([found[0]]):
            await self._write_uses()
        return found[1]

    async def put(self, page: StoredPage) -> bool:
        indexed = await anyio.to_thread.run_sync(index_page, page)

        async def work(connection: AsyncConnection) -> bool:
            await put_page(connection, indexed, self._clock())
            return True

        return await self._database.write(page.key.url, work, False)

    async def renew(
        self, key: PageKey, *, fetched_at: float, expires_at: float, etag: str | None, last_modified: str | None
    ) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            return await renew_page(connection, key, fetched_at, expires_at, etag, last_modified)

        return await self._database.write(key.url, work, False)

    async def pin(self, key: PageKey, is_pinned: bool = True) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            change = "UPDATE sightline.pages SET pinned = %s WHERE key = %s"
            return (await connection.execute(change, (is_pinned, key_bytes(key)))).rowcount > 0

        return await self._database.write(key.url, work, False)

    async def delete(self, key: PageKey) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            cursor = await connection.execute("DELETE FROM sightline.pages WHERE key = %s", (key_bytes(key),))
            return cursor.rowcount > 0

        return await self._database.write(key.url, work, False)

    def turn(self, key: PageKey, *, wait_s: float) -> AbstractAsyncContextManager[SharedTurn]:
        return self._turns.turn(key, self._clock(), wait_s)

    async def clear(self, library: LibraryId | None = None) -> int:
        async def work(connection: AsyncConnection) -> int:
            if library is None:
                return (await connection.execute("DELETE FROM sightline.pages")).rowcount
            name = (library_text(library),)
            return (await connection.execute("DELETE FROM sightline.pages WHERE library = %s", name)).rowcount

        return await self._database.write("clear", work, 0)

    async def search(
        self, query: str, *, library: LibraryId | None = None, version: str | None = None, limit: int = 10
    ) -> SearchAnswer:
        asked = query_of(query)
        nothing: list[tuple[Use, SearchHit]] | None = None

        async def work(connection: AsyncConnection) -> list[tuple[Use, SearchHit]] | None:
            return await search_passages(connection, asked, library, version, limit)

        found = await self._database.read("search", work, nothing)
        if found is None:
            return SearchAnswer(unavailable=self.problem or "the search failed; the log says why")
        if self._uses.remember(use for use, _ in found):
            await self._write_uses()
        return SearchAnswer(tuple(hit for _, hit in found))

    async def evict(self, max_bytes: int) -> Eviction:
        await self._write_uses()
        failed = Eviction(is_within_budget=False)
        pages = 0
        while True:
            some = await self._database.write("evict", lambda connection: evict_some(connection, max_bytes), failed)
            pages += some.pages
            if some.is_within_budget or not some.pages:
                return Eviction(pages, 0, some.used_bytes, some.is_within_budget)

    async def statistics(self) -> StoreStatistics:
        async def work(connection: AsyncConnection) -> tuple[tuple[int, ...], int]:
            counts = await (await connection.execute(_COUNTS)).fetchone()
            return counts or (0,) * 4, await used_bytes(connection)

        nothing: tuple[tuple[int, ...], int] | None = None
        found = await self._database.read("statistics", work, nothing)
        problem = None if found else self.problem or "it could not be counted; the log says why"
        counts, used = found or ((0,) * 4, 0)
        return StoreStatistics(
            place=self.place,
            web_pages=counts[0],
            pinned_pages=counts[1],
            passages=counts[2],
            content_bytes=counts[3],
            used_bytes=used,
            problem=problem,
            search_problem=problem,
        )

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            if self.problem is None:
                await self._write_uses()
            await self._turns.aclose()
            await self._database.aclose()

    async def _write_uses(self) -> None:
        if uses := self._uses.take():
            await self._database.write("uses", lambda connection: write_uses(connection, uses), None)
