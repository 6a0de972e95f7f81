"""Filling the cache for all direct dependencies of a project, so that they can be read and searched offline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import anyio
import anyio.to_thread

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.registry.registry import Registry
from sightline.library_docs.service import DocsService
from sightline.library_docs.store.records import PageKey
from sightline.library_docs.web.library_pages import NothingOnTheWeb
from sightline.progress import no_progress

_AT_ONCE = 4
_FOREVER_S = 3600.0

State = Literal["kept", "installed only", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Prefetched:
    """What was done for one library."""

    library: LibraryId
    installed: str | None
    web: str | None
    state: State
    reason: str | None = None


async def direct_dependencies(libraries: ProjectLibraries) -> list[LibraryId]:
    """What the manifests name, each once."""
    declared = await anyio.to_thread.run_sync(libraries.declared)
    return list(dict.fromkeys(LibraryId(each.ecosystem, each.name) for each in declared.packages if each.is_direct))


async def prefetch(
    service: DocsService, libraries: ProjectLibraries, wanted: Sequence[LibraryId], told: Callable[[Prefetched], None]
) -> list[Prefetched]:
    """Bring in the documents of every library, from its package and from its site; `told` as each is done."""
    registry = (await service.known.get()).registry
    done: dict[LibraryId, Prefetched] = {}
    slots = anyio.Semaphore(_AT_ONCE)

    async def one(library: LibraryId) -> None:
        async with slots:
            done[library] = await _prefetched(service, libraries, library, registry)
        told(done[library])

    async with anyio.create_task_group() as tasks:
        for library in wanted:
            tasks.start_soon(one, library)
    return [done[library] for library in wanted]


async def _prefetched(
    service: DocsService, libraries: ProjectLibraries, library: LibraryId, registry: Registry
) -> Prefetched:
    report = await service.index.bring_in(libraries, [library], _FOREVER_S, no_progress)
    installed = report.versions.get(library)
    entry = registry.entry(library)
    if entry is None:
        state: State = "installed only" if installed else "unknown"
        return Prefetched(library, installed, None, state, None if installed else "not installed and not known")
    try:
        overview = await service.web.overview(entry, installed, no_progress)
    except NothingOnTheWeb as error:
        reason = error.tried[0] if error.tried else "no address is known"
        return Prefetched(library, installed, None, "installed only" if installed else "failed", reason)
    await service.store.pin(PageKey.of(overview.candidate.url))
    return Prefetched(library, installed, overview.candidate.url, "kept")
