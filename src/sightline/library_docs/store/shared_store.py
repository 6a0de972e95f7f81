"""One store made of two: pages of public sites in the store that machines share, everything else on this machine.

What is shared is decided here, by the lists of this machine: see decision 013. What comes from the shared store is
judged by those lists too, not by what another machine wrote beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import anyio

from sightline.library_docs.documents import Document
from sightline.library_docs.fetching.allowed_hosts import Permission, Tier
from sightline.library_docs.fetching.failures import Refusal
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.store.docs_store import DocsStore, PageStore, Turn
from sightline.library_docs.store.records import Eviction, PageKey, SearchAnswer, SearchHit, StoredPage, StoreStatistics

Permit = Callable[[str], Permission | Refusal]


@dataclass(frozen=True, slots=True)
class SharingStore:
    """A `DocsStore` for one of many machines; `evict`, `clear` and `statistics` are about this machine's own part."""

    local: DocsStore
    shared: PageStore
    permit: Permit

    async def get(self, key: PageKey) -> StoredPage | None:
        tier = self._shared_tier(key.url)
        page = await self.shared.get(key) if tier else None
        if page is None or tier is None:
            return await self.local.get(key)
        return replace(page, document=replace(page.document, trust=tier))

    async def put(self, page: StoredPage) -> bool:
        is_public = all(self._shared_tier(url) for url in (page.key.url, page.final_url or page.key.url))
        if is_public and page.document.trust in ("registered", "allowed"):
            return await self.shared.put(page)
        return await self.local.put(page)

    async def renew(
        self, key: PageKey, *, fetched_at: float, expires_at: float, etag: str | None, last_modified: str | None
    ) -> bool:
        for store in self._stores_of(key):
            if await store.renew(
                key, fetched_at=fetched_at, expires_at=expires_at, etag=etag, last_modified=last_modified
            ):
                return True
        return False

    async def pin(self, key: PageKey, is_pinned: bool = True) -> bool:
        for store in self._stores_of(key):
            if await store.pin(key, is_pinned):
                return True
        return False

    async def delete(self, key: PageKey) -> bool:
        gone = [await store.delete(key) for store in self._stores_of(key)]
        return any(gone)

    def turn(self, key: PageKey, *, wait_s: float) -> AbstractAsyncContextManager[Turn]:
        return self._stores_of(key)[0].turn(key, wait_s=wait_s)

    async def clear(self, library: LibraryId | None = None) -> int:
        return await self.local.clear(library)

    async def put_documents(
        self, library: LibraryId, version: str, fingerprint: str, documents: Sequence[Document]
    ) -> bool:
        return await self.local.put_documents(library, version, fingerprint, documents)

    async def has_documents(self, library: LibraryId, version: str, fingerprint: str) -> bool:
        return await self.local.has_documents(library, version, fingerprint)

    async def search(
        self, query: str, *, library: LibraryId | None = None, version: str | None = None, limit: int = 10
    ) -> SearchAnswer:
        answers: dict[str, SearchAnswer] = {}

        async def ask(name: str, store: PageStore) -> None:
            answers[name] = await store.search(query, library=library, version=version, limit=limit)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "local", self.local)
            tasks.start_soon(ask, "shared", self.shared)
        local, shared = answers["local"], answers["shared"]
        if local.unavailable and shared.unavailable:
            return local
        theirs = [self._judged(hit) for hit in shared.hits]
        partial = _missing("this machine's cache", local) or _missing("the shared cache", shared)
        return SearchAnswer(tuple(_merged(local.hits, theirs)[:limit]), partial=partial)

    async def evict(self, max_bytes: int) -> Eviction:
        return await self.local.evict(max_bytes)

    async def statistics(self) -> StoreStatistics:
        return await self.local.statistics()

    async def aclose(self) -> None:
        await self.local.aclose()
        await self.shared.aclose()

    def _stores_of(self, key: PageKey) -> tuple[PageStore, ...]:
        """Where a page may be; the first is where it is looked for first."""
        return (self.shared, self.local) if self._shared_tier(key.url) else (self.local,)

    def _shared_tier(self, url: str) -> Tier | None:
        """Under which word of ours a page is shared; None if it stays here.

        A query may hold a key or a name: such an address is for nobody else.
        """
        if not url.startswith("https://") or urlsplit(url).query:
            return None
        permission = self.permit(url)
        return None if isinstance(permission, Refusal) or permission.tier == "private" else permission.tier

    def _judged(self, hit: SearchHit) -> SearchHit:
        """Never trusted more than our lists say; whoever shows it asks whether it is on them at all."""
        return replace(hit, trust=self._shared_tier(hit.address) or "allowed")


def _missing(what: str, answer: SearchAnswer) -> str | None:
    return f"{what} is not searched: {answer.unavailable}" if answer.unavailable else None


def _merged(ours: Sequence[SearchHit], theirs: Sequence[SearchHit]) -> list[SearchHit]:
    """All words before some, then by how close a hit is to the best of its own search: their scores do not compare.

    Where both have a page, the shared one counts: ours is from before it was shared.
    """
    known = {hit.address for hit in theirs}
    kept = [hit for hit in ours if hit.address not in known]
    ordered = [*_weighed(kept), *_weighed(theirs)]
    ordered.sort(key=lambda pair: (pair[1].matched != "all", -pair[0]))
    return [hit for _, hit in ordered]


def _weighed(hits: Sequence[SearchHit]) -> Iterator[tuple[float, SearchHit]]:
    for matched in ("all", "some"):
        same = [hit for hit in hits if hit.matched == matched]
        best = max((hit.score for hit in same), default=0.0)
        for hit in same:
            yield (hit.score / best if best > 0 else 1.0), hit
