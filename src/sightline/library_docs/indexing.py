"""Installed packages in the store, so that they can be searched: read once for each state of a package."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import anyio.to_thread

from sightline.errors import ToolFailure
from sightline.library_docs.documents import Document
from sightline.library_docs.installed.packages import InstalledPackage
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.page_text import shown_text
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.store.docs_store import DocsStore
from sightline.tool import Progress


class NotKept(Exception):
    """The store did not take the documents."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Which packages can be searched now, by version, and those for which there was no time."""

    versions: dict[LibraryId, str]
    left: list[LibraryId]


@dataclass(slots=True)
class InstalledIndex:
    """Puts the documents of installed packages into the store."""

    store: DocsStore

    async def bring_in(
        self, libraries: ProjectLibraries, wanted: Iterable[LibraryId], within_s: float, progress: Progress
    ) -> IndexReport:
        """Bring in what is wanted, as far as the time goes."""
        deadline = time.monotonic() + within_s
        all_wanted = list(wanted)
        versions: dict[LibraryId, str] = {}
        left: list[LibraryId] = []
        for number, library in enumerate(all_wanted):
            if time.monotonic() > deadline:
                return IndexReport(versions, [*left, *all_wanted[number:]])
            await progress(number, len(all_wanted), f"reading {library}")
            try:
                versions[library] = await self._bring_in(libraries, library)
            except NotKept:
                left.append(library)
            except ToolFailure:
                continue
        return IndexReport(versions, left)

    async def _bring_in(self, libraries: ProjectLibraries, library: LibraryId) -> str:
        package = await anyio.to_thread.run_sync(libraries.docs.package, library)
        fingerprint = package.fingerprint
        if fingerprint is None:
            return await self._always(libraries, package)
        key = (library, package.version, fingerprint)
        if await self.store.has_documents(*key):
            return package.version
        documents = await anyio.to_thread.run_sync(_documents, libraries, library)
        if not await self.store.put_documents(*key, documents):
            raise NotKept
        return package.version

    async def _always(self, libraries: ProjectLibraries, package: InstalledPackage) -> str:
        """An editable install tells of changes only by its texts."""
        import hashlib

        documents = await anyio.to_thread.run_sync(_documents, libraries, package.library)
        digest = hashlib.sha256("\0".join(each.text for each in documents).encode("utf-8", "replace")).hexdigest()
        await self.store.put_documents(package.library, package.version, digest, documents)
        return package.version


def _documents(libraries: ProjectLibraries, library: LibraryId) -> list[Document]:
    """As they may be shown: hidden characters are not for the index either."""
    return [replace(each, text=shown_text(each).text) for each in libraries.docs.texts(library)]
