"""Which stores the settings ask for: a file of this machine, and where `docs.store_url` is set a database beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import SettingsError
from sightline.library_docs.store.docs_store import DocsStore, SharedPageStore
from sightline.library_docs.store.shared_store import Permit, SharingStore


@dataclass(frozen=True, slots=True)
class Stores:
    """The store to use, and the part of it that is shared, if one is."""

    store: DocsStore
    shared: SharedPageStore | None = None


def open_stores(store_url: str | None, data: Path, *, clock: Callable[[], float], permit: Permit) -> Stores:
    """The stores; nothing is connected to yet. Raises `SettingsError`."""
    from sightline.library_docs.store.sqlite_store import SqliteDocsStore

    local = SqliteDocsStore(data / "docs.sqlite3", clock=clock)
    if not store_url:
        return Stores(local)
    shared = _shared(store_url, clock)
    return Stores(SharingStore(local, shared, permit), shared)


def _shared(store_url: str, clock: Callable[[], float]) -> SharedPageStore:
    try:
        from sightline.library_docs.store.postgres.address import StoreAddress
        from sightline.library_docs.store.postgres.postgres_store import PostgresPageStore
    except ImportError:  # also raised by a driver that finds no libpq
        message = "`docs.store_url` is set, and PostgreSQL's driver is not installed"
        raise SettingsError(message, 'install it: `pip install ".[postgres]"` in the clone of Sightline') from None
    return PostgresPageStore(StoreAddress.parse(store_url), clock=clock)
