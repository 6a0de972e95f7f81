"""What the docs tools share: installed packages, the registry, pages of the web, the store."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import anyio.from_thread
import anyio.to_thread

from sightline.children import Children
from sightline.config.schema import DocsSettings
from sightline.contract import Notice
from sightline.library_docs.cached_pages import CachedPages
from sightline.library_docs.fetching.fetched import Fetched
from sightline.library_docs.fetching.fetcher import Fetcher, FetchLimits
from sightline.library_docs.indexing import InstalledIndex
from sightline.library_docs.known_libraries import KnownLibraries
from sightline.library_docs.private_folders import PrivateFolders
from sightline.library_docs.project_libraries import ProjectLibraries, ProjectShelf
from sightline.library_docs.registry_updates import keep_registry_current
from sightline.library_docs.store.docs_store import DocsStore, PageStore, SharedPageStore
from sightline.library_docs.store.opening import open_stores
from sightline.library_docs.untrusted_text import clean
from sightline.library_docs.web.library_pages import LibraryPages
from sightline.projects import Surroundings
from sightline.projects.search_paths import folders_of
from sightline.tool import Call

log = logging.getLogger(__name__)

_FIRST_CLEANUP_S = 60.0

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class DocsService:
    """The docs toolset's service; one per application, shared by all calls."""

    settings: DocsSettings
    shelf: ProjectShelf
    known: KnownLibraries
    web: LibraryPages
    store: DocsStore
    index: InstalledIndex
    folders: PrivateFolders
    shared: SharedPageStore | None = None

    async def libraries(self, call: Call, path: str | None) -> ProjectLibraries:
        """The libraries as seen from a path of the project; raises `ToolFailure`."""
        return await anyio.to_thread.run_sync(self.shelf.of, call, path)

    def store_notices(self) -> tuple[Notice, ...]:
        """What a caller should know about the shared store, if there is one and it is away."""
        if self.shared is None or self.shared.problem is None:
            return ()
        message = (
            f"the shared cache of pages is away: {self.shared.problem}. The answer is from installed packages, "
            "this machine's own cache and the web; pages are not shared now"
        )
        return (Notice("shared_cache_away", message, {"place": self.shared.place}),)


@dataclass(frozen=True, slots=True)
class _PermittedFetcher:
    """The fetcher with the list of places as it is at the time of each fetch."""

    fetcher: Fetcher
    known: KnownLibraries

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None, validated_url: str | None = None
    ) -> Fetched:
        return await self.fetcher.fetch(
            url, self.known.allowed, etag=etag, last_modified=last_modified, validated_url=validated_url
        )


@asynccontextmanager
async def open_service(
    settings: DocsSettings,
    around: Surroundings,
    data: Path,
    *,
    children: Children | None = None,
    fetcher: Fetcher | None = None,
    clock: Clock = time.time,
    is_long_lived: bool = False,
) -> AsyncGenerator[DocsService]:
    """The service, ended in order with the block. Nothing is opened or asked for before it is needed.

    Without `children` a `python` that is only a script stays unknown. Raises `SettingsError` for a store that is none.
    """
    folders = PrivateFolders.of(settings.folders)
    known = KnownLibraries(settings, data / "registry")
    stores = open_stores(settings.store_url, data, clock=clock, permit=known.permit)
    store = stores.store
    async with fetcher or Fetcher(FetchLimits.from_settings(settings)) as fetching, anyio.create_task_group() as tasks:
        permitted = _PermittedFetcher(fetching, known)
        pages = CachedPages(
            store,
            permitted,
            permit=known.permit,
            clean=clean,
            clock=clock,
            ttl_s=settings.ttl_hours * 3600,
            is_offline=settings.offline,
            turn_wait_s=settings.timeout_s,
        )
        for kept, most in ((store, settings.cache_max_mb), (stores.shared, settings.store_max_mb)):
            if kept:
                tasks.start_soon(_keep_tidy, kept, settings, most)
        if settings.registry_url and not settings.offline:
            tasks.start_soon(keep_registry_current, settings, known, fetching, data / "registry", is_long_lived)
        try:
            async with pages:
                web = LibraryPages(
                    pages,
                    fetching,
                    known,
                    store,
                    clock=clock,
                    ttl_s=settings.ttl_hours * 3600,
                    is_offline=settings.offline,
                )
                yield DocsService(
                    settings,
                    ProjectShelf(around, clock, _asking(children, around) if children else None),
                    known,
                    web,
                    store,
                    InstalledIndex(store),
                    folders,
                    stores.shared,
                )
        finally:
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await store.aclose()


def _asking(children: Children, around: Surroundings) -> Callable[[Path, Path], Sequence[Path]]:
    """For worker threads: the folders that a program named `python` tells when it runs in a folder."""

    def ask(python: Path, folder: Path) -> Sequence[Path]:
        return anyio.from_thread.run(partial(folders_of, python, children, cwd=folder, variables=around.variables))

    return ask


async def _keep_tidy(store: PageStore, settings: DocsSettings, max_mb: int) -> None:
    """Keep a store within its size, a while after the start and then every so often."""
    wait = _FIRST_CLEANUP_S
    while True:
        await anyio.sleep(wait)
        done = await store.evict(max_mb * 1_000_000)
        if done.pages or done.collections:
            log.info("cache tidied", extra={"pages": done.pages, "collections": done.collections})
        wait = settings.cleanup_interval_hours * 3600
