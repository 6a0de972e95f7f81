"""What every store of pages keeps, finds, renews and gives up."""

from __future__ import annotations

import dataclasses

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.store import PageKey, PageStore
from tests.library_docs.store.sample_pages import CLICK, RICH, Clock, addresses, document, page

URL = "https://docs.example.test/a"


async def test_a_page_comes_back_as_it_was_put(pages: PageStore) -> None:
    assert await pages.put(page(URL))
    assert await pages.get(PageKey.of(f"{URL}#fragment")) == page(URL)


async def test_a_key_is_address_variant_and_version(pages: PageStore) -> None:
    await pages.put(page(URL))
    assert await pages.get(PageKey.of(f"{URL}/b")) is None
    assert await pages.get(PageKey.of(URL, "markdown")) is None
    assert await pages.get(PageKey.of(URL, version="1.0")) is None


def test_the_part_of_a_package_address_belongs_to_its_key() -> None:
    assert PageKey.of("pkg:pypi/click@8.3.0#README.md", version="8.3.0") == PageKey("pkg:pypi/click@8.3.0#README.md")


async def test_a_page_is_replaced_in_the_index_too(pages: PageStore) -> None:
    await pages.put(page(URL, "# A\n\nlantern"))
    await pages.put(page(URL, "# A\n\nharbour"))
    assert await addresses(pages, "lantern") == []
    assert await addresses(pages, "harbour") == [URL]


async def test_a_pinned_page_stays_pinned_when_it_is_replaced(pages: PageStore) -> None:
    await pages.put(page(URL))
    assert await pages.pin(PageKey.of(URL))
    await pages.put(page(URL, "new"))
    found = await pages.get(PageKey.of(URL))
    assert found is not None
    assert (found.document.text, found.is_pinned) == ("new", True)
    assert await pages.pin(PageKey.of(URL), False)
    assert not await pages.pin(PageKey.of("https://docs.example.test/none"))


async def test_renewal_changes_times_and_keeps_an_unsaid_tag(pages: PageStore) -> None:
    await pages.put(page(URL))
    assert await pages.renew(PageKey.of(URL), fetched_at=300, expires_at=400, etag=None, last_modified="later")
    expected = dataclasses.replace(page(URL), fetched_at=300, expires_at=400, last_modified="later")
    assert await pages.get(PageKey.of(URL)) == expected
    assert not await pages.renew(PageKey("none"), fetched_at=1, expires_at=2, etag=None, last_modified=None)


async def test_a_deleted_page_is_gone_from_the_index_too(pages: PageStore) -> None:
    await pages.put(page(URL, "lantern"))
    assert await pages.delete(PageKey.of(URL))
    assert not await pages.delete(PageKey.of(URL))
    assert await pages.get(PageKey.of(URL)) is None
    assert await addresses(pages, "lantern") == []


async def test_odd_text_is_kept_as_far_as_it_can_be(pages: PageStore) -> None:
    await pages.put(page(URL, "# \0 \ud800 \U0001f600\r\nlantern"))
    found = await pages.get(PageKey.of(URL))
    assert found is not None
    assert found.document.text == "# \ufffd ? \U0001f600\nlantern"
    assert await addresses(pages, "lantern") == [URL]
    assert await pages.get(PageKey("\ud800\0")) is None


async def test_odd_names_and_versions_are_kept_and_found_as_far_as_they_can_be(pages: PageStore) -> None:
    odd = LibraryId("pypi", "a\0b\ud800")
    kept = page(URL, "lantern", library=odd)
    assert await pages.put(dataclasses.replace(kept, document=dataclasses.replace(kept.document, version=None)))
    assert [hit.address for hit in (await pages.search("lantern", library=odd)).hits] == [URL]
    answer = await pages.search("lantern", library=odd, version="1\0\ud800")
    assert (answer.hits, answer.unavailable) == ((), None)
    assert await pages.clear(odd) == 1


async def test_what_was_not_used_for_longest_is_evicted_and_pinned_pages_never(pages: PageStore, clock: Clock) -> None:
    for number in range(40):
        clock.now += 60
        await pages.put(page(f"{URL}/{number}", f"words {number} " * 2000))
    await pages.pin(PageKey.of(f"{URL}/0"))
    clock.now += 60
    await pages.get(PageKey.of(f"{URL}/1"))
    full = (await pages.statistics()).used_bytes
    done = await pages.evict(full // 2)
    assert done.is_within_budget
    assert done.used_bytes <= full // 2
    assert 10 < done.pages < 38
    left = [number for number in range(40) if await pages.get(PageKey.of(f"{URL}/{number}"))]
    assert left == [0, 1, *range(40 - (len(left) - 2), 40)]


async def test_a_budget_that_pinned_pages_exceed_is_said_to_be_exceeded(pages: PageStore) -> None:
    await pages.put(page(URL, "word " * 5000))
    await pages.pin(PageKey.of(URL))
    done = await pages.evict(1)
    assert (done.pages, done.is_within_budget) == (0, False)
    assert await pages.get(PageKey.of(URL))


async def test_documents_without_a_library_can_be_kept(pages: PageStore) -> None:
    await pages.put(page(URL, "lantern", library=None))
    (hit,) = (await pages.search("lantern")).hits
    assert hit.library is None
    assert document(URL).library == CLICK


async def test_all_or_the_pages_of_one_library_can_be_cleared(pages: PageStore) -> None:
    await pages.put(page(URL, "lantern"))
    await pages.put(page(f"{URL}/rich", "lantern", library=RICH))
    assert await pages.clear(CLICK) == 1
    assert await addresses(pages, "lantern") == [f"{URL}/rich"]
    assert await pages.clear() == 1
    assert (await pages.statistics()).passages == 0


async def test_pages_are_counted(pages: PageStore) -> None:
    await pages.put(page(URL, "# A\né\n# B\ny"))
    await pages.put(page(f"{URL}/b", "x"))
    await pages.pin(PageKey.of(URL))
    found = await pages.statistics()
    assert (found.web_pages, found.pinned_pages, found.passages, found.content_bytes) == (2, 1, 3, 13)
    assert found.used_bytes > 0
    assert (found.problem, found.search_problem) == (None, None)


async def test_a_page_that_was_found_counts_as_used(pages: PageStore, clock: Clock) -> None:
    await pages.put(page(f"{URL}/found", "lantern " * 4000))
    clock.now += 60
    await pages.put(page(f"{URL}/other", "harbour " * 4000))
    clock.now += 60
    await pages.search("lantern")
    await pages.evict((await pages.statistics()).used_bytes - 20_000)
    assert await pages.get(PageKey.of(f"{URL}/found"))
    assert await pages.get(PageKey.of(f"{URL}/other")) is None


async def test_a_turn_is_given_to_whoever_asks_first(pages: PageStore) -> None:
    async with pages.turn(PageKey.of(URL), wait_s=0) as turn:
        assert turn.is_ours
    async with pages.turn(PageKey.of(URL), wait_s=0) as turn:
        assert turn.is_ours


async def test_a_closed_store_holds_no_pages(pages: PageStore) -> None:
    await pages.put(page(URL, "lantern"))
    await pages.aclose()
    assert await pages.get(PageKey.of(URL)) is None
    assert not await pages.put(page(URL))
    assert (await pages.search("lantern")).hits == ()
