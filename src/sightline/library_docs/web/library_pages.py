"""The documentation of a library on the web: the page that fits its version best, and the names that a site explains.

A page of a site that offers an index for language models is asked for as Markdown first, under the same address with
`.md`, as that convention says.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit, urlunsplit

import anyio

from sightline.library_docs.cached_conversion import NotADocument
from sightline.library_docs.cached_pages import COOL_DOWN_S, CachedPage, CachedPages, NotCached
from sightline.library_docs.documents import Kind
from sightline.library_docs.fetching.failures import FailureReason, FetchFailed, PageNotFound, Refusal, UrlNotAllowed
from sightline.library_docs.fetching.fetcher import Fetcher
from sightline.library_docs.known_libraries import KnownLibraries
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.llms_index import whole_text_address
from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.store.docs_store import DocsStore
from sightline.library_docs.store.records import PageKey
from sightline.library_docs.web.candidates import Candidate, candidates, inventory_address
from sightline.library_docs.web.inventories import Inventory, InventoryUnreadable, parse_inventory
from sightline.tool import Progress

_MOST_TRIES = 10
_MOST_INVENTORIES = 16
_MISSING = (PageNotFound, NotADocument, UrlNotAllowed, NotCached)
_MOST_WHOLE = 200


class NothingOnTheWeb(Exception):
    """None of the addresses of a library gave a page; `tried` says which, and why not."""

    def __init__(self, tried: list[str], *, is_offline: bool, is_transient: bool) -> None:
        super().__init__("; ".join(tried) or "no address is known")
        self.tried = tried
        self.is_offline = is_offline
        self.is_transient = is_transient


@dataclass(frozen=True, slots=True)
class WebOverview:
    """The first page of a library's documentation, and the version that it describes, if that is told."""

    page: CachedPage
    candidate: Candidate
    version: str | None
    inventory: Inventory | None


@dataclass(frozen=True, slots=True)
class WholeText:
    """All of a site's documentation at one address: brought in, not there, or over the limit."""

    url: str
    is_read: bool = False
    is_too_large: bool = False


class LibraryPages:
    """Reads pages of libraries through the cache."""

    def __init__(
        self,
        pages: CachedPages,
        fetcher: Fetcher,
        known: KnownLibraries,
        store: DocsStore,
        *,
        clock: Callable[[], float],
        ttl_s: float,
        is_offline: bool,
    ) -> None:
        self._pages = pages
        self._store = store
        self._clock = clock
        self._ttl_s = ttl_s
        self._fetcher = fetcher
        self._known = known
        self._is_offline = is_offline
        self._inventories: OrderedDict[str, tuple[float, Inventory | None]] = OrderedDict()
        self._with_twins: set[str] = set()
        self._no_whole_until: OrderedDict[str, tuple[float, WholeText]] = OrderedDict()

    async def read(self, url: str, *, library: LibraryId | None = None, version: str | None = None) -> CachedPage:
        """A page; raises what `CachedPages.read` raises."""
        permission = (await self._known.get()).allowed.permit(url)
        if isinstance(permission, Refusal):
            raise UrlNotAllowed(url, permission)
        twin = _twin(url)
        if twin and urlsplit(url).netloc in self._with_twins and await self._store.get(PageKey.of(url)) is None:
            try:
                return await self._pages.read(twin, library=library, version=version)
            except (*_MISSING, FetchFailed):
                pass
        return await self._pages.read(url, library=library, version=version)

    async def overview(self, entry: Entry, version: str | None, progress: Progress) -> WebOverview:
        """The best page there is; raises `NothingOnTheWeb`."""
        known = await self._known.get()
        tried: list[str] = []
        is_transient = False
        has_own_repo = entry.repo not in known.shared_repos
        found = candidates(entry, version, has_own_repo=has_own_repo)[:_MOST_TRIES]
        for number, candidate in enumerate(found):
            await progress(number, len(found), f"reading {candidate.url}")
            try:
                page = await self._pages.read(
                    candidate.url, kind=_kind(candidate), library=entry.library, version=candidate.version
                )
            except (*_MISSING, FetchFailed) as error:
                is_transient |= isinstance(error, FetchFailed) and error.transient
                tried.append(f"{candidate.url}: {_short(error)}")
                continue
            if not is_place_of(entry, page.final_url or candidate.url):
                tried.append(f"{candidate.url}: it leads to another site")
                continue
            return await self._described(page, candidate)
        raise NothingOnTheWeb(tried, is_offline=self._is_offline, is_transient=is_transient)

    async def inventory(self, page: str) -> Inventory | None:
        """The inventory of a page's site, if it has one; asked for once."""
        url = inventory_address(page)
        until, known = self._inventories.get(url, (0.0, None))
        if self._clock() < until or self._is_offline:
            return known
        try:
            found = await self._fetched_inventory(url)
        except FetchFailed as error:
            if error.transient:
                return None
            found = None
        self._inventories[url] = (self._clock() + self._ttl_s, found)
        self._inventories.move_to_end(url)
        if len(self._inventories) > _MOST_INVENTORIES:
            self._inventories.popitem(last=False)
        return found

    async def _fetched_inventory(self, url: str) -> Inventory | None:
        try:
            fetched = await self._fetcher.fetch_bytes(url, (await self._known.get()).allowed)
            return await anyio.to_thread.run_sync(parse_inventory, fetched.body, url)
        except (PageNotFound, UrlNotAllowed, InventoryUnreadable):
            return None

    async def read_whole(self, entry: Entry, overview: WebOverview, progress: Progress) -> WholeText | None:
        """Bring in the whole documentation as one text (`llms-full.txt`), where the site has an index for it.

        None if there is no such index. Where there is no such text, or it is too large, that is not asked again soon.
        """
        if overview.candidate.kind != "llms_txt":
            return None
        url = whole_text_address(overview.page.document.text, overview.page.final_url or overview.candidate.url)
        if not is_place_of(entry, url):
            return None
        until, known = self._no_whole_until.get(url, (0.0, None))
        if known and self._clock() < until:
            return known
        await progress(0, 1, f"reading {url}")
        found, wait_s = await self._read_whole(url, entry.library)
        if wait_s:
            self._no_whole_until[url] = (self._clock() + wait_s, found)
            if len(self._no_whole_until) > _MOST_WHOLE:
                self._no_whole_until.popitem(last=False)
        return found

    async def _read_whole(self, url: str, library: LibraryId) -> tuple[WholeText, float]:
        """What became of it, and how long not to ask again."""
        try:
            await self._pages.read(url, kind="index", library=library)
        except _MISSING:
            return WholeText(url), 0.0 if self._is_offline else self._ttl_s
        except FetchFailed as error:
            is_too_large = error.reason is FailureReason.TOO_LARGE
            return WholeText(url, is_too_large=is_too_large), self._ttl_s if is_too_large else COOL_DOWN_S
        return WholeText(url, is_read=True), 0.0

    async def _described(self, page: CachedPage, candidate: Candidate) -> WebOverview:
        if candidate.kind == "llms_txt":
            self._with_twins.add(urlsplit(candidate.url).netloc)
        if candidate.kind != "site":
            return WebOverview(page, candidate, candidate.version, None)
        inventory = await self.inventory(page.final_url or candidate.url)
        told = inventory.version if inventory and not page.is_stale else None
        return WebOverview(page, candidate, told or page.document.version, inventory)

    def is_fresh(self, fetched_at: float) -> bool:
        """Whether a page is young enough to be what its site shows now."""
        return self._clock() < fetched_at + self._ttl_s


def is_place_of(entry: Entry, url: str) -> bool:
    """Whether a page belongs to a library: what lies elsewhere may be about another one."""
    bare = url.replace("://www.", "://", 1)
    places = entry.allowed_places()
    return any(place.admits(each) for place in places for each in (url, bare, bare.replace("://", "://www.", 1)))


def _kind(candidate: Candidate) -> Kind:
    kinds: dict[str, Kind] = {"llms_txt": "index", "site": "page", "readme": "readme"}
    return kinds[candidate.kind]


def _twin(url: str) -> str | None:
    """The address of the same page in Markdown, if the address names no file."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if not path or PurePosixPath(path).suffix:
        return None
    return urlunsplit((parts.scheme, parts.netloc, f"{path}.md", parts.query, parts.fragment))


def _short(error: Exception) -> str:
    return "not cached" if isinstance(error, NotCached) else str(error)[:160]
