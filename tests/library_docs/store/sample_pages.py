"""Pages to put into stores, and stores with a clock of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sightline.library_docs.documents import Document
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.pages.lines import content_hash
from sightline.library_docs.store import PageFinding, PageKey, PageStore, StoredPage
from sightline.library_docs.store.postgres.address import StoreAddress
from sightline.library_docs.store.postgres.database import Patience
from sightline.library_docs.store.postgres.postgres_store import PostgresPageStore
from sightline.library_docs.store.sqlite_file import Connect
from sightline.library_docs.store.sqlite_store import SqliteDocsStore

CLICK = LibraryId("pypi", "click")
RICH = LibraryId("pypi", "rich")


@dataclass
class Clock:
    """Time that passes only when told."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def store_at(
    folder: Path, clock: Clock | None = None, *, busy_timeout_s: float = 5.0, connect: Connect | None = None
) -> SqliteDocsStore:
    return SqliteDocsStore(
        folder / "docs.sqlite", clock=clock or Clock(), busy_timeout_s=busy_timeout_s, connect=connect
    )


def shared_store_at(url: str, clock: Clock | None = None, patience: Patience | None = None) -> PostgresPageStore:
    return PostgresPageStore(StoreAddress.parse(url), clock=clock or Clock(), patience=patience)


def document(address: str, text: str = "# Title\n\nSome words.\n", library: LibraryId | None = CLICK) -> Document:
    return Document(address, "Title", text, "page", "registered", library, "8.3.0")


def page(url: str, text: str = "# Title\n\nSome words.\n", *, library: LibraryId | None = CLICK) -> StoredPage:
    return StoredPage(
        key=PageKey.of(url),
        document=document(url, text, library),
        content_hash=content_hash(text),
        fetched_at=100.0,
        expires_at=200.0,
        final_url=f"{url}/final",
        etag='"tag"',
        last_modified="Mon, 01 Jan 2024 00:00:00 GMT",
        findings=(PageFinding("hidden_html", 0, 2, "look"),),
    )


def guide(address: str, text: str) -> Document:
    return Document(address, "Guide", text, "guide", "installed")


async def addresses(store: PageStore, query: str) -> list[str]:
    return [hit.address for hit in (await store.search(query)).hits]
