"""Where documents are kept and searched: the interfaces here, behind them SQLite for a machine, PostgreSQL for many."""

from sightline.library_docs.store.docs_store import DocsStore, PageStore, Turn
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
    "PageStore",
    "SearchAnswer",
    "SearchHit",
    "StoreStatistics",
    "StoredPage",
    "Turn",
]
