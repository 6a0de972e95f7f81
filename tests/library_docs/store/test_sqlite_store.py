"""What the store of one machine does beyond pages: packages, files, uses."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sightline.library_docs.store import PageKey
from sightline.library_docs.store.sqlite_store import SqliteDocsStore
from tests.library_docs.store.sample_pages import CLICK, RICH, Clock, addresses, guide, page, store_at

URL = "https://docs.example.test/a"


@pytest.fixture
async def store(tmp_path: Path, clock: Clock) -> AsyncIterator[SqliteDocsStore]:
    made = store_at(tmp_path, clock)
    yield made
    await made.aclose()


async def test_documents_of_a_package_are_readable_and_searchable(store: SqliteDocsStore) -> None:
    readme = guide("pkg:pypi/click@8.3.0#README.md", "# Click\n\nlantern")
    assert await store.put_documents(CLICK, "8.3.0", "f1", [readme])
    assert await store.has_documents(CLICK, "8.3.0", "f1")
    found = await store.get(PageKey.of(readme.address))
    assert found is not None
    assert (found.document.library, found.document.version, found.document.kind) == (CLICK, "8.3.0", "guide")
    (hit,) = (await store.search("lantern")).hits
    assert (hit.address, hit.library, hit.version, hit.trust) == (readme.address, CLICK, "8.3.0", "installed")


async def test_a_known_fingerprint_changes_nothing_and_a_new_one_replaces_all(store: SqliteDocsStore) -> None:
    old = [guide("pkg:pypi/click@8.3.0#a", "lantern"), guide("pkg:pypi/click@8.3.0#b", "harbour")]
    await store.put_documents(CLICK, "8.3.0", "f1", old)
    await store.put_documents(CLICK, "8.3.0", "f1", [])
    assert await addresses(store, "harbour") == ["pkg:pypi/click@8.3.0#b"]
    await store.put_documents(CLICK, "8.3.0", "f2", [guide("pkg:pypi/click@8.3.0#a", "beacon")])
    assert await addresses(store, "lantern harbour") == []
    assert await addresses(store, "beacon") == ["pkg:pypi/click@8.3.0#a"]
    assert not await store.has_documents(CLICK, "8.3.0", "f1")


async def test_two_versions_stand_side_by_side(store: SqliteDocsStore) -> None:
    await store.put_documents(CLICK, "8.3.0", "f", [guide("pkg:pypi/click@8.3.0#a", "lantern new")])
    await store.put_documents(CLICK, "7.0", "f", [guide("pkg:pypi/click@7.0#a", "lantern old")])
    hits = (await store.search("lantern", library=CLICK, version="7.0")).hits
    assert [hit.address for hit in hits] == ["pkg:pypi/click@7.0#a"]
    assert len((await store.search("lantern", library=CLICK)).hits) == 2


async def test_an_address_given_twice_counts_once(store: SqliteDocsStore) -> None:
    twice = [guide("pkg:pypi/click@8.3.0#a", "lantern"), guide("pkg:pypi/click@8.3.0#a", "harbour")]
    assert await store.put_documents(CLICK, "8.3.0", "f", twice)
    assert await addresses(store, "harbour") == ["pkg:pypi/click@8.3.0#a"]
    assert await addresses(store, "lantern") == []


async def test_everything_or_one_library_can_be_cleared(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "lantern"))
    await store.put(page(f"{URL}/rich", "lantern", library=RICH))
    await store.put_documents(CLICK, "8.3.0", "f", [guide("pkg:pypi/click@8.3.0#a", "lantern")])
    assert await store.clear(CLICK) == 2
    assert await addresses(store, "lantern") == [f"{URL}/rich"]
    assert not await store.has_documents(CLICK, "8.3.0", "f")
    assert await store.clear() == 1
    assert (await store.statistics()).passages == 0


async def test_statistics_count_what_is_there(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "é"))
    await store.pin(PageKey.of(URL))
    await store.put_documents(CLICK, "8.3.0", "f", [guide("pkg:pypi/click@8.3.0#a", "# A\nx\n# B\ny")])
    found = await store.statistics()
    assert (found.web_pages, found.installed_documents, found.collections) == (1, 1, 1)
    assert (found.pinned_pages, found.passages, found.content_bytes) == (1, 3, 13)
    assert found.used_bytes > 0
    assert (found.problem, found.search_problem) == (None, None)


async def test_a_package_is_evicted_whole(store: SqliteDocsStore, clock: Clock) -> None:
    documents = [guide(f"pkg:pypi/click@8.3.0#{number}", "word " * 3000) for number in range(10)]
    await store.put_documents(CLICK, "8.3.0", "f", documents)
    clock.now += 1
    await store.put(page(URL, "word " * 3000))
    done = await store.evict((await store.statistics()).used_bytes - 50_000)
    assert (done.pages, done.collections) == (0, 1)
    assert not await store.has_documents(CLICK, "8.3.0", "f")
    assert (await store.statistics()).installed_documents == 0


async def test_a_package_whose_document_was_read_is_kept_longer(store: SqliteDocsStore, clock: Clock) -> None:
    await store.put_documents(CLICK, "8.3.0", "f", [guide("pkg:pypi/click@8.3.0#a", "word " * 9000)])
    clock.now += 1
    await store.put(page(URL, "word " * 9000))
    clock.now += 60
    await store.get(PageKey.of("pkg:pypi/click@8.3.0#a"))
    done = await store.evict((await store.statistics()).used_bytes - 50_000)
    assert (done.pages, done.collections) == (1, 0)


async def test_eviction_gives_the_space_back(store: SqliteDocsStore, tmp_path: Path) -> None:
    for number in range(20):
        await store.put(page(f"{URL}/{number}", f"words {number} " * 5000))
    before = (tmp_path / "docs.sqlite").stat().st_size + (tmp_path / "docs.sqlite-wal").stat().st_size
    await store.evict(1)
    after = (tmp_path / "docs.sqlite").stat().st_size + (tmp_path / "docs.sqlite-wal").stat().st_size
    assert after < before / 4


async def test_uses_are_kept_when_the_store_is_closed(tmp_path: Path, clock: Clock) -> None:
    store = store_at(tmp_path, clock)
    await store.put(page(URL))
    clock.now = 2_000_000
    await store.get(PageKey.of(URL))
    await store.aclose()
    with sqlite3.connect(tmp_path / "docs.sqlite") as connection:
        assert connection.execute("SELECT last_used FROM pages").fetchone() == (2_000_000,)
    connection.close()


async def test_many_uses_are_written_down_in_between(store: SqliteDocsStore, tmp_path: Path, clock: Clock) -> None:
    for number in range(210):
        await store.put(page(f"{URL}/{number}", "x"))
    clock.now = 2_000_000
    for number in range(210):
        await store.get(PageKey.of(f"{URL}/{number}"))
    connection = sqlite3.connect(tmp_path / "docs.sqlite")
    assert connection.execute("SELECT count(*) FROM pages WHERE last_used = 2000000").fetchone() == (200,)
    connection.close()


async def test_a_closed_store_holds_nothing(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    await store.put(page(URL))
    await store.aclose()
    assert await store.get(PageKey.of(URL)) is None
    assert not await store.put(page(URL))


async def test_the_file_is_private_and_its_folder_is_made(tmp_path: Path) -> None:
    store = store_at(tmp_path / "not" / "there")
    await store.put(page(URL))
    assert (tmp_path / "not" / "there" / "docs.sqlite").stat().st_mode & 0o777 == 0o600
    await store.aclose()
