"""`llms-full.txt`: read where the index and its pages do not answer, within the limits, and not asked for in vain."""

from __future__ import annotations

from pathlib import Path

from tests.library_docs.bakery import SITE, Clock, bakery
from tests.library_docs.loopback_site import LoopbackSite, loopback_site

TEXT = "text/plain; charset=utf-8"
INDEX = f"# Oven kit\n\n## Docs\n\n- [Bread]({SITE}/guide/bread.md): how to bake bread\n"
WHOLE = "# Bread\n\nBake bread at 220 degrees.\n\n# Cleaning\n\nScrape the crumb tray weekly.\n"


def times_asked(site: LoopbackSite, url: str) -> int:
    return [seen.url for seen in site.requests].count(url)


async def test_a_topic_that_no_page_of_the_index_answers_is_found_in_the_whole_text(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site) as shop:
        site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
        site.page(f"{SITE}/llms-full.txt", WHOLE, content_type=TEXT)
        found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="crumb tray")
        page = await shop.call("read_page", url=found["address"], offset=found["line"], limit=1)
        again = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="scrape weekly")

    assert found["address"] == f"{SITE}/llms-full.txt"
    assert found["heading"].endswith("Cleaning")
    assert "Scrape the crumb tray" in found["content"]
    assert "Cleaning" in page["content"] or "Scrape" in page["content"]
    assert "Scrape the crumb tray" in again["content"]
    assert times_asked(site, f"{SITE}/llms-full.txt") == 1


async def test_where_a_page_of_the_index_answers_the_whole_text_is_not_asked_for(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site) as shop:
        site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
        site.page(f"{SITE}/guide/bread.md", "# Bread\n\nBake bread at 220.\n", content_type="text/markdown")
        site.page(f"{SITE}/llms-full.txt", WHOLE, content_type=TEXT)
        await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="bake bread")
        await shop.call("get_library_docs", library_id="pypi:oven-kit")

    assert times_asked(site, f"{SITE}/llms-full.txt") == 0


async def test_an_entry_of_the_index_whose_page_is_gone_is_no_answer(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site) as shop:
        site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
        site.page(f"{SITE}/llms-full.txt", WHOLE, content_type=TEXT)
        found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="bake bread")

    assert any("220 degrees" in each["content"] for each in (found, *found["passages"]))


async def test_a_site_without_a_whole_text_is_not_asked_for_it_again_and_again(tmp_path: Path) -> None:
    clock = Clock()
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site, clock) as shop:
        site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
        for topic in ("crumb tray", "scrape", "tray"):
            found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic=topic)
            assert "nothing was found" in found["summary"]
        assert times_asked(site, f"{SITE}/llms-full.txt") == 1
        site.page(f"{SITE}/llms-full.txt", WHOLE, content_type=TEXT)
        clock.now += 25 * 3600
        found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="crumb tray")

    assert "Scrape the crumb tray" in found["content"]


async def test_a_whole_text_over_the_limit_is_named_and_not_kept(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site) as shop:
        site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
        site.page(f"{SITE}/llms-full.txt", "crumb tray\n" * 600_000, content_type=TEXT)
        await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="tray")
        found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="crumb tray")

    told = [each["message"] for each in found["warnings"] if each["kind"] == "not_all_searched"]
    assert f"{SITE}/llms-full.txt" in told[0]
    assert "docs.max_page_mb" in told[0]
    assert times_asked(site, f"{SITE}/llms-full.txt") == 1


async def test_a_whole_text_elsewhere_is_not_this_librarys(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site) as shop:
        elsewhere = "https://flask.palletsprojects.com/llms-full.txt"
        site.page(f"{SITE}/llms.txt", f"# Oven\n\n- [All]({elsewhere})\n", content_type=TEXT)
        site.page(elsewhere, WHOLE, content_type=TEXT)
        found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="crumb tray")

    assert "crumb" not in found["content"]
    assert times_asked(site, elsewhere) == 0


async def test_offline_nobody_is_asked_for_a_whole_text(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        async with bakery(tmp_path, site) as shop:
            site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
            site.page(f"{SITE}/llms-full.txt", WHOLE, content_type=TEXT)
            await shop.call("get_library_docs", library_id="pypi:oven-kit")
        asked = len(site.requests)
        async with bakery(tmp_path, site, offline=True) as shop:
            found = await shop.call("get_library_docs", library_id="pypi:oven-kit", topic="crumb tray")
        assert len(site.requests) == asked

    assert "nothing was found" in found["summary"]


async def test_a_section_that_an_index_has_not_leads_to_the_whole_text(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, bakery(tmp_path, site) as shop:
        site.page(f"{SITE}/llms.txt", INDEX, content_type=TEXT)
        site.page(f"{SITE}/llms-full.txt", WHOLE, content_type=TEXT)
        failed = await shop.ask("read_page", url=f"{SITE}/llms.txt", section="Cleaning")
        step = next(each for each in failed.data["next_steps"] if "whole text" in each["message"])
        found = await shop.call(step["tool"], **step["arguments"])

    assert "Scrape the crumb tray" in found["content"]
