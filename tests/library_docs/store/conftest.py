"""What the tests of stores share: a clock, a PostgreSQL, and each kind of store in turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sightline.library_docs.store import PageStore
from tests.library_docs.store.postgres_cluster import MISSING, Cluster, binaries, running_cluster
from tests.library_docs.store.sample_pages import Clock, shared_store_at, store_at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    programs = binaries()
    if programs is None:
        pytest.skip(MISSING)
    with running_cluster(programs) as running:
        yield running


@pytest.fixture
def database(cluster: Cluster) -> str:
    """The address of an empty database."""
    return cluster.new_database()


@pytest.fixture(params=["sqlite", "postgres"])
async def pages(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[PageStore]:
    """A store of each kind; what holds for one holds for the other."""
    if request.param == "sqlite":
        store: PageStore = store_at(tmp_path, clock)
    else:
        store = shared_store_at(request.getfixturevalue("database"), clock)
    yield store
    await store.aclose()
