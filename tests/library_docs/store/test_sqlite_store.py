"""What a store keeps, finds, renews and gives up."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sightline.library_docs.store import DocsStore, PageKey
from sightline.library_docs.store.sqlite_store import SqliteDocsStore
from tests.library_docs.store.sample_pages import CLICK, RICH, Clock, document, guide, page, store_at

URL = "https://docs.example.test/a"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(tmp_path: Path, clock: Clock) -> AsyncIterator[SqliteDocsStore]:
    made = store_at(tmp_path, clock)
    yield made
    await made.aclose()


async def addresses(store: DocsStore, query: str) -> list[str]:
    return [hit.address for hit in (await store.search(query)).hits]


async def test_a_page_comes_back_as_it_was_put(store: SqliteDocsStore) -> None:
    assert await store.put(page(URL))
    assert await store.get(PageKey.of(f"{URL}#fragment")) == page(URL)


async def test_a_key_is_address_variant_and_version(store: SqliteDocsStore) -> None:
    await store.put(page(URL))
    assert await store.get(PageKey.of(f"{URL}/b")) is None
    assert await store.get(PageKey.of(URL, "markdown")) is None
    assert await store.get(PageKey.of(URL, version="1.0")) is None


def test_the_part_of_a_package_address_belongs_to_its_key() -> None:
    assert PageKey.of("pkg:pypi/click@8.3.0#README.md", version="8.3.0") == PageKey("pkg:pypi/click@8.3.0#README.md")


async def test_a_page_is_replaced_in_the_index_too(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "# A\n\nlantern"))
    await store.put(page(URL, "# A\n\nharbour"))
    assert await addresses(store, "lantern") == []
    assert await addresses(store, "harbour") == [URL]


async def test_a_pinned_page_stays_pinned_when_it_is_replaced(store: SqliteDocsStore) -> None:
    await store.put(page(URL))
    assert await store.pin(PageKey.of(URL))
    await store.put(page(URL, "new"))
    found = await store.get(PageKey.of(URL))
    assert found is not None
    assert (found.document.text, found.is_pinned) == ("new", True)
    assert await store.pin(PageKey.of(URL), False)
    assert not await store.pin(PageKey.of("https://docs.example.test/none"))


async def test_renewal_changes_times_and_keeps_an_unsaid_tag(store: SqliteDocsStore) -> None:
    await store.put(page(URL))
    assert await store.renew(PageKey.of(URL), fetched_at=300, expires_at=400, etag=None, last_modified="later")
    expected = dataclasses.replace(page(URL), fetched_at=300, expires_at=400, last_modified="later")
    assert await store.get(PageKey.of(URL)) == expected
    assert not await store.renew(PageKey("none"), fetched_at=1, expires_at=2, etag=None, last_modified=None)


async def test_a_deleted_page_is_gone_from_the_index_too(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "lantern"))
    assert await store.delete(PageKey.of(URL))
    assert not await store.delete(PageKey.of(URL))
    assert await store.get(PageKey.of(URL)) is None
    assert await addresses(store, "lantern") == []


async def test_odd_text_is_kept_as_far_as_it_can_be(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "# \0 \ud800 \U0001f600\r\nlantern"))
    found = await store.get(PageKey.of(URL))
    assert found is not None
    assert found.document.text == "# \ufffd ? \U0001f600\nlantern"
    assert await addresses(store, "lantern") == [URL]
    assert await store.get(PageKey("\ud800\0")) is None


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


async def test_what_was_not_used_for_longest_is_evicted_and_pinned_pages_never(
    store: SqliteDocsStore, clock: Clock
) -> None:
    for number in range(40):
        clock.now += 60
        await store.put(page(f"{URL}/{number}", f"words {number} " * 2000))
    await store.pin(PageKey.of(f"{URL}/0"))
    clock.now += 60
    await store.get(PageKey.of(f"{URL}/1"))
    full = (await store.statistics()).used_bytes
    done = await store.evict(full // 2)
    assert done.is_within_budget
    assert done.used_bytes <= full // 2
    assert 10 < done.pages < 38
    left = [number for number in range(40) if await store.get(PageKey.of(f"{URL}/{number}"))]
    assert left == [0, 1, *range(40 - (len(left) - 2), 40)]


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


async def test_a_budget_that_pinned_pages_exceed_is_said_to_be_exceeded(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "word " * 5000))
    await store.pin(PageKey.of(URL))
    done = await store.evict(1)
    assert (done.pages, done.is_within_budget) == (0, False)
    assert await store.get(PageKey.of(URL))


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


async def test_documents_without_a_library_can_be_kept(store: SqliteDocsStore) -> None:
    await store.put(page(URL, "lantern", library=None))
    (hit,) = (await store.search("lantern")).hits
    assert hit.library is None
    assert document(URL).library == CLICK
