"""Pages of the web through the store: what is there is served at once, and brought up to date behind the answer.

An expired page is served as stale while one refresh per page runs, in a task that this owner started and ends. Where
the store is shared, it is one among all who share it: the store says whose turn it is.
Permission is asked for before the store is looked at, so that a host that was taken off the list is not served.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Protocol, Self

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from sightline.library_docs.cached_conversion import Clean, NotADocument, convert
from sightline.library_docs.documents import Document, Kind
from sightline.library_docs.fetching.allowed_hosts import Permission
from sightline.library_docs.fetching.failures import FetchError, FetchFailed, PageNotFound, Refusal, UrlNotAllowed
from sightline.library_docs.fetching.fetched import Fetched
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.pages.lines import content_hash
from sightline.library_docs.release_paths import is_same_release
from sightline.library_docs.store.docs_store import PageStore, Turn
from sightline.library_docs.store.records import PageFinding, PageKey, StoredPage

log = logging.getLogger(__name__)

COOL_DOWN_S = 15 * 60.0
# As long as a fetch may take by default: whoever has the turn is done by then, or hangs.
TURN_WAIT_S = 30.0
_MOST_REMEMBERED = 1000

Permit = Callable[[str], Permission | Refusal]


class PageFetcher(Protocol):
    """Fetches a text document. Raises `UrlNotAllowed`, `PageNotFound` or `FetchFailed`."""

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None, validated_url: str | None = None
    ) -> Fetched: ...


class NotCached(Exception):
    """The page is not in the store, and the network may not be used."""

    def __init__(self, url: str) -> None:
        super().__init__(f"not in the cache, and the network is switched off: `{url}`")
        self.url = url


class PagesClosed(Exception):
    """The owner of the fetches was closed while a page was under way."""


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A document and how fresh it is; `findings` are what does not belong in documentation.

    `is_stale` says that it had expired when it was served; `from_cache` that no fetch was awaited for it.
    """

    document: Document
    content_hash: str
    cached_at: float
    is_stale: bool
    from_cache: bool
    findings: tuple[PageFinding, ...] = ()
    final_url: str = ""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is known about a page before it is fetched."""

    key: PageKey
    url: str
    kind: Kind
    library: LibraryId | None
    version: str | None


class _Flight:
    """A fetch under way that any number of readers wait for."""

    def __init__(self) -> None:
        self.landed = anyio.Event()
        self.page: StoredPage | None = None
        self.is_fetched = True
        self.error: Exception = PagesClosed("closed while the page was under way")


class CachedPages:
    """Reads pages; open it with `async with`, which owns all fetches and refreshes."""

    def __init__(
        self,
        store: PageStore,
        fetcher: PageFetcher,
        *,
        permit: Permit,
        clean: Clean,
        clock: Callable[[], float],
        ttl_s: float,
        is_offline: bool = False,
        cool_down_s: float = COOL_DOWN_S,
        turn_wait_s: float = TURN_WAIT_S,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._permit = permit
        self._clean = clean
        self._clock = clock
        self._ttl_s = ttl_s
        self._is_offline = is_offline
        self._cool_down_s = cool_down_s
        self._turn_wait_s = turn_wait_s
        self._tasks: TaskGroup | None = None
        self._flights: dict[PageKey, _Flight] = {}
        self._refreshing: dict[PageKey, anyio.Event] = {}
        self._cool_until: dict[PageKey, float] = {}

    async def __aenter__(self) -> Self:
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        tasks, self._tasks = self._tasks, None
        if tasks is not None:
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(None, None, None)  # what ended the body is the caller's, and stays as it is

    async def read(
        self,
        url: str,
        *,
        kind: Kind = "page",
        library: LibraryId | None = None,
        version: str | None = None,
        variant: str = "",
    ) -> CachedPage:
        """The page, from the store where it is there.

        Raises `UrlNotAllowed`, `PageNotFound`, `FetchFailed`, `NotADocument`, `NotCached` (offline only) and
        `PagesClosed`.
        """
        self._check(url)
        wanted = _Wanted(PageKey.of(url, variant), url.partition("#")[0], kind, library, version)
        page = await self._store.get(wanted.key)
        if page is not None and self._may_be_served(page):
            if library and page.document.library is None:  # it was read by its address before
                page = replace(page, document=replace(page.document, library=library, version=version))
                await self._store.put(page)
            is_stale = self._clock() >= page.expires_at
            if is_stale and not self._is_offline:
                self._refresh_later(wanted, page)
            return _shown(page, is_stale=is_stale, from_cache=True)
        if self._is_offline:
            raise NotCached(url)
        return await self._fetch_together(wanted)

    async def settled(self) -> None:
        """Wait until the refreshes that are under way now have ended, well or not."""
        for event in list(self._refreshing.values()):
            await event.wait()

    def _check(self, url: str) -> Permission:
        permission = self._permit(url)
        if isinstance(permission, Refusal):
            raise UrlNotAllowed(url, permission)
        return permission

    def _may_be_served(self, page: StoredPage) -> bool:
        """A redirect may have led to a host that is no longer allowed."""
        return page.final_url in {"", page.key.url} or not isinstance(self._permit(page.final_url), Refusal)

    async def _fetch_together(self, wanted: _Wanted) -> CachedPage:
        flight = self._flights.get(wanted.key)
        if flight is None:
            if self._tasks is None:
                raise PagesClosed("not open")
            flight = self._flights[wanted.key] = _Flight()
            self._tasks.start_soon(self._fly, wanted, flight)
        await flight.landed.wait()
        if flight.page is None:
            raise flight.error
        return _shown(flight.page, is_stale=False, from_cache=not flight.is_fetched)

    async def _fly(self, wanted: _Wanted, flight: _Flight) -> None:
        """Fetch for all who wait; runs on if they leave, for its page is worth keeping."""
        try:
            async with self._store.turn(wanted.key, wait_s=self._turn_wait_s):
                flight.page = await self._fetched_elsewhere(wanted)
                flight.is_fetched = flight.page is None
                flight.page = flight.page or await self._fetch(wanted, None)
        except Exception as error:  # noqa: BLE001 - handed to those who wait; one failed fetch must not end the others
            flight.error = error
        finally:
            del self._flights[wanted.key]
            flight.landed.set()

    async def _fetched_elsewhere(self, wanted: _Wanted) -> StoredPage | None:
        """The page, if somebody brought it in while we waited for our turn."""
        page = await self._store.get(wanted.key)
        is_good = page is not None and self._clock() < page.expires_at and self._may_be_served(page)
        return page if is_good else None

    def _refresh_later(self, wanted: _Wanted, page: StoredPage) -> None:
        if self._tasks is None or wanted.key in self._refreshing:
            return
        if self._clock() < self._cool_until.get(wanted.key, 0.0):
            return
        self._refreshing[wanted.key] = anyio.Event()
        self._tasks.start_soon(self._refresh, wanted, page)

    async def _refresh(self, wanted: _Wanted, page: StoredPage) -> None:
        try:
            async with self._store.turn(wanted.key, wait_s=0) as turn:
                if turn.is_ours and await self._fetched_elsewhere(wanted) is None:
                    await self._refresh_now(wanted, page, turn)
                else:
                    log.info("stale_refresh_elsewhere", extra={"url": wanted.url})
        except Exception as error:
            self._cool_down(wanted, error)
            log.exception("stale_refresh_failed", extra={"url": wanted.url})
        finally:
            self._refreshing.pop(wanted.key).set()

    async def _refresh_now(self, wanted: _Wanted, page: StoredPage, turn: Turn) -> None:
        log.info("stale_refresh_started", extra={"url": wanted.url})
        try:
            renewed = await self._fetch(wanted, page)
            changed = renewed.content_hash != page.content_hash
            log.info("stale_refresh_complete", extra={"url": wanted.url, "changed": changed})
        except PageNotFound:
            await self._forget(wanted, page, turn)
        except (FetchError, NotADocument) as error:
            await turn.put_off(self._cool_down(wanted, error))
            log.warning("stale_refresh_failed", extra={"url": wanted.url, "error": str(error)})

    async def _forget(self, wanted: _Wanted, page: StoredPage, turn: Turn) -> None:
        """The site says that the page is gone. What a person pinned is kept all the same."""
        if page.is_pinned:
            await turn.put_off(self._cool_down(wanted, None))
        else:
            await self._store.delete(wanted.key)
        log.warning("stale_refresh_not_found", extra={"url": wanted.url, "kept": page.is_pinned})

    def _cool_down(self, wanted: _Wanted, error: Exception | None) -> float:
        """Leave a page alone for a while; says until when."""
        asked = error.retry_after_s if isinstance(error, FetchFailed) else None
        now = self._clock()
        if len(self._cool_until) >= _MOST_REMEMBERED:
            self._cool_until = {key: until for key, until in self._cool_until.items() if until > now}
        self._cool_until[wanted.key] = until = now + max(self._cool_down_s, asked or 0.0)
        return until

    async def _fetch(self, wanted: _Wanted, known: StoredPage | None) -> StoredPage:
        """Fetch a page, by condition where one is known, and keep it."""
        tier = self._check(wanted.url).tier
        if known is None:
            fetched = await self._fetcher.fetch(wanted.url)
        else:
            fetched = await self._fetcher.fetch(
                wanted.url, etag=known.etag, last_modified=known.last_modified, validated_url=known.final_url or None
            )
        now = self._clock()
        if fetched.not_modified and known is not None:
            await self._store.renew(
                wanted.key,
                fetched_at=now,
                expires_at=now + self._ttl_s,
                etag=fetched.etag,
                last_modified=fetched.last_modified,
            )
            return known
        converted = await anyio.to_thread.run_sync(convert, fetched, self._clean)
        document = Document(
            wanted.url,
            converted.title,
            converted.text,
            wanted.kind,
            tier,
            wanted.library,
            wanted.version if is_same_release(fetched.final_url, wanted.url) else None,
        )
        page = StoredPage(
            key=wanted.key,
            document=document,
            content_hash=content_hash(converted.text),
            fetched_at=now,
            expires_at=now + self._ttl_s,
            final_url=fetched.final_url,
            etag=fetched.etag,
            last_modified=fetched.last_modified,
            findings=converted.findings,
        )
        if "redirected_to_root" in fetched.doubts:
            if known is not None:
                raise NotADocument(wanted.url, "redirected to the start page")
            return page  # shown, since it is what the address gives now, and not kept
        await self._store.put(page)
        return page


def _shown(page: StoredPage, *, is_stale: bool, from_cache: bool) -> CachedPage:
    return CachedPage(
        page.document, page.content_hash, page.fetched_at, is_stale, from_cache, page.findings, page.final_url
    )
