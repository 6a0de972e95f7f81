"""What is shared and what stays on a machine, and how the two are read as one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sightline.library_docs.fetching.allowed_hosts import AllowedHosts
from sightline.library_docs.store import PageKey, StoredPage
from sightline.library_docs.store.postgres.postgres_store import PostgresPageStore
from sightline.library_docs.store.shared_store import SharingStore
from sightline.library_docs.store.sqlite_store import SqliteDocsStore
from tests.library_docs.bakery import SITE, bakery
from tests.library_docs.loopback_site import loopback_site
from tests.library_docs.store.postgres_cluster import Cluster
from tests.library_docs.store.sample_pages import CLICK, Clock, addresses, guide, page, shared_store_at, store_at

PUBLIC = "https://docs.example.org/a"
PARTNER = "https://docs.partner.org/a"
PRIVATE = "https://docs.intranet/a"
LISTS = AllowedHosts.of(
    registered=["https://docs.example.org/"],
    allowed_hosts=["docs.partner.org"],
    private_hosts={"docs.intranet": ["10.1.2.3"]},
)


@dataclass
class Machine:
    """A store of each kind, and both as one."""

    local: SqliteDocsStore
    shared: PostgresPageStore
    store: SharingStore


@pytest.fixture
async def machine(tmp_path: Path, database: str, clock: Clock) -> AsyncIterator[Machine]:
    local, shared = store_at(tmp_path, clock), shared_store_at(database, clock)
    made = SharingStore(local, shared, LISTS.permit)
    yield Machine(local, shared, made)
    await made.aclose()


def at(url: str, text: str = "lantern", final_url: str = "") -> StoredPage:
    return replace(page(url, text), final_url=final_url or url)


@pytest.mark.parametrize(
    ("kept", "is_shared"),
    [
        (at(PUBLIC), True),
        (at(PARTNER), True),
        (at(PRIVATE), False),
        (at(PUBLIC, final_url=PRIVATE), False),
        (at(f"{PUBLIC}?key=abc"), False),
        (at(PUBLIC, final_url=f"{PUBLIC}?key=abc"), False),
        (at("https://elsewhere.example.net/a"), False),
        (at("folder:pypi/kiln#a.md"), False),
        (at("pkg:pypi/click@8.3.0#README.md"), False),
        (replace(at(PUBLIC), document=replace(at(PUBLIC).document, trust="private")), False),
    ],
)
async def test_only_pages_of_public_sites_are_shared(machine: Machine, kept: StoredPage, is_shared: bool) -> None:
    assert await machine.store.put(kept)
    assert (await machine.shared.get(kept.key) is not None) == is_shared
    assert (await machine.local.get(kept.key) is None) == is_shared
    assert await machine.store.get(kept.key) is not None


async def test_documents_of_installed_packages_stay_here_and_are_searched_together(machine: Machine) -> None:
    readme = guide("pkg:pypi/click@8.3.0#README.md", "# Click\n\nlantern")
    await machine.store.put_documents(CLICK, "8.3.0", "f", [readme])
    await machine.store.put(at(PUBLIC))
    assert await machine.store.has_documents(CLICK, "8.3.0", "f")
    assert set(await addresses(machine.store, "lantern")) == {readme.address, PUBLIC}
    assert await addresses(machine.shared, "lantern") == [PUBLIC]


async def test_trust_is_what_our_own_lists_say(machine: Machine) -> None:
    claimed = at(PARTNER)
    await machine.shared.put(replace(claimed, document=replace(claimed.document, trust="registered")))
    found = await machine.store.get(PageKey.of(PARTNER))
    assert found is not None
    assert found.document.trust == "allowed"
    assert [hit.trust for hit in (await machine.store.search("lantern")).hits] == ["allowed"]


async def test_a_page_of_a_site_that_is_not_on_our_list_never_counts_as_installed(
    machine: Machine, cluster: Cluster, database: str
) -> None:
    await machine.shared.put(at("https://elsewhere.example.net/a"))
    cluster.execute("ALTER TABLE sightline.pages DROP CONSTRAINT pages_trust_check", database)
    cluster.execute("UPDATE sightline.pages SET trust = 'installed'", database)
    assert await machine.store.get(PageKey.of("https://elsewhere.example.net/a")) is None
    assert [hit.trust for hit in (await machine.store.search("lantern")).hits] == ["allowed"]


async def test_a_page_from_before_it_was_shared_is_served_until_the_shared_one_is_there(machine: Machine) -> None:
    await machine.local.put(at(PUBLIC, "lantern old"))
    assert await addresses(machine.store, "lantern") == [PUBLIC]
    found = await machine.store.get(PageKey.of(PUBLIC))
    assert found is not None
    assert "old" in found.document.text
    await machine.store.put(at(PUBLIC, "lantern new"))
    hits = (await machine.store.search("lantern")).hits
    assert [hit.snippet for hit in hits] == ["lantern new"]


async def test_changes_reach_the_store_that_has_the_page(machine: Machine) -> None:
    await machine.store.put(at(PUBLIC))
    await machine.store.put(at(PRIVATE))
    for key, store in ((PageKey.of(PUBLIC), machine.shared), (PageKey.of(PRIVATE), machine.local)):
        assert await machine.store.pin(key)
        assert await machine.store.renew(key, fetched_at=7, expires_at=8, etag=None, last_modified=None)
        found = await store.get(key)
        assert found is not None
        assert (found.is_pinned, found.fetched_at) == (True, 7)
        assert await machine.store.delete(key)
        assert await store.get(key) is None


async def test_clearing_and_evicting_leave_the_pages_of_others_alone(machine: Machine) -> None:
    await machine.store.put(at(PUBLIC))
    await machine.store.put(at(PRIVATE))
    assert await machine.store.clear() == 1
    await machine.store.evict(1)
    assert await machine.shared.get(PageKey.of(PUBLIC))


async def test_better_hits_of_either_store_come_first(machine: Machine) -> None:
    await machine.local.put(at(PRIVATE, "# Lantern\n\nlantern harbour lantern"))
    await machine.local.put(at(f"{PRIVATE}/weak", "lantern " + "filler words " * 200))
    await machine.shared.put(at(PUBLIC, "# Lantern\n\nlantern pier lantern"))
    await machine.shared.put(at(f"{PUBLIC}/some", "harbour only"))
    found = await addresses(machine.store, "lantern harbour")
    assert found[0] == PRIVATE
    assert set(found[:2]) <= {PRIVATE, PUBLIC}
    whole = (await machine.store.search("lantern")).hits
    assert {hit.address for hit in whole[:2]} == {PRIVATE, PUBLIC}
    assert len((await machine.store.search("lantern", limit=1)).hits) == 1


async def test_without_the_shared_store_the_local_one_answers(tmp_path: Path, clock: Clock) -> None:
    away = shared_store_at("postgresql://nobody@127.0.0.1:1/none", clock)
    store = SharingStore(store_at(tmp_path, clock), away, LISTS.permit)
    assert not await store.put(at(PUBLIC))
    assert await store.put(at(PRIVATE))
    answer = await store.search("lantern")
    assert ([hit.address for hit in answer.hits], answer.unavailable) == ([PRIVATE], None)
    assert "the shared cache is not searched" in str(answer.partial)
    assert await store.get(PageKey.of(PUBLIC)) is None
    await store.aclose()


async def test_nothing_of_the_machine_is_in_the_database_after_real_work(
    tmp_path: Path, cluster: Cluster, database: str
) -> None:
    folder = tmp_path / "kiln-docs"
    folder.mkdir()
    (folder / "guide.md").write_text("# Kiln\n\nprivate lantern\n")
    folders = {"pypi:our-kiln": str(folder)}
    private = {"docs.intranet": ["10.1.2.3"]}
    async with (
        loopback_site(tmp_path) as site,
        bakery(tmp_path, site, private_hosts=private, folders=folders, store_url=database) as shop,
    ):
        site.names["docs.intranet"] = ["10.1.2.3"]
        site.page("https://docs.intranet/a", "# Inside\n\nintranet lantern\n", content_type="text/markdown")
        site.page(f"{SITE}/en/stable/a", "# Outside\n\npublic lantern\n", content_type="text/markdown")
        await shop.call("read_page", url="https://docs.intranet/a")
        await shop.call("read_page", url=f"{SITE}/en/stable/a")
        found = await shop.call("search_docs", query="lantern")
        await shop.call("search_docs", query="widget")
    texts = [each["snippet"] for each in found["results"]]
    assert all(any(word in text for text in texts) for word in ("private", "intranet", "public"))
    assert cluster.execute("SELECT url FROM sightline.pages", database) == [(f"{SITE}/en/stable/a",)]
