"""Where documents are kept and searched: the interface here, SQLite behind it in `sqlite_store`."""

from sightline.library_docs.store.docs_store import DocsStore
from sightline.library_docs.store.records import (
    Eviction,
    PageFinding,
    PageKey,
    SearchAnswer,
    SearchHit,
    StoredPage,
    StoreStatistics,
)

__all__ = [
    "DocsStore",
    "Eviction",
    "PageFinding",
    "PageKey",
    "SearchAnswer",
    "SearchHit",
    "StoreStatistics",
    "StoredPage",
]
