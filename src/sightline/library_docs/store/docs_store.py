"""What a store of documents does. It never fails its callers: what cannot be read is missing, and what cannot be
written is not kept; both are logged.

`PageStore` is what many machines can share: pages of the web. `DocsStore` holds the documents of one machine too.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sightline.library_docs.documents import Document
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.store.records import Eviction, PageKey, SearchAnswer, StoredPage, StoreStatistics


class Turn(Protocol):
    """Who fetches a page: `is_ours` is false while somebody else does, or where it was put off."""

    @property
    def is_ours(self) -> bool: ...

    async def put_off(self, until: float) -> None:
        """Let nobody refresh the page before then: it failed just now."""
        ...


class PageStore(Protocol):
    """Pages by key, and a search over them."""

    async def get(self, key: PageKey) -> StoredPage | None:
        """The page, and a note that it was used."""
        ...

    async def put(self, page: StoredPage) -> bool:
        """Keep a page in place of what was under its key; a pinned one stays pinned. False if it could not be kept."""
        ...

    async def renew(
        self, key: PageKey, *, fetched_at: float, expires_at: float, etag: str | None, last_modified: str | None
    ) -> bool:
        """Note that a page is unchanged at its origin; an entity tag that is None stays as it was."""
        ...

    async def pin(self, key: PageKey, is_pinned: bool = True) -> bool:
        """Keep a page from being evicted, or no longer; False if there is none."""
        ...

    async def delete(self, key: PageKey) -> bool:
        """Remove a page, pinned or not; False if there was none."""
        ...

    def turn(self, key: PageKey, *, wait_s: float) -> AbstractAsyncContextManager[Turn]:
        """The turn to fetch a page, awaited for so long while somebody else has it; held until the block ends.

        A store that cannot tell gives it to everybody: a page fetched twice is better than none.
        """
        ...

    async def clear(self, library: LibraryId | None = None) -> int:
        """Remove everything, or everything of a library, pinned or not; says how many documents went."""
        ...

    async def search(
        self, query: str, *, library: LibraryId | None = None, version: str | None = None, limit: int = 10
    ) -> SearchAnswer:
        """Passages for any text, best first: those with all of its words, then those with some."""
        ...

    async def evict(self, max_bytes: int) -> Eviction:
        """Remove what was not used for longest until the rest fits; never a pinned page."""
        ...

    async def statistics(self) -> StoreStatistics:
        """What the store holds, and what is wrong with it."""
        ...

    async def aclose(self) -> None:
        """Finish what is pending and let go of the database."""
        ...


class SharedPageStore(PageStore, Protocol):
    """Pages in a database of many machines, which may be away."""

    @property
    def place(self) -> str:
        """Where it is, without secrets."""
        ...

    @property
    def problem(self) -> str | None:
        """Why it is away; None while it is there, or was not needed yet."""
        ...


class DocsStore(PageStore, Protocol):
    """Pages, documents of installed packages by fingerprint, and a search over all of them."""

    async def put_documents(
        self, library: LibraryId, version: str, fingerprint: str, documents: Sequence[Document]
    ) -> bool:
        """Keep the documents of an installed package, all or none; nothing is done where the fingerprint is known."""
        ...

    async def has_documents(self, library: LibraryId, version: str, fingerprint: str) -> bool:
        """Whether exactly these documents are kept."""
        ...
