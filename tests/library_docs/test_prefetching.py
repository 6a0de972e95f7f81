"""Filling the cache for all direct dependencies: from packages and sites, in one go, and usable offline after it."""

from __future__ import annotations

from pathlib import Path

from sightline.library_docs.prefetching import Prefetched, direct_dependencies, prefetch
from sightline.paths import PathPolicy
from sightline.progress import no_progress
from sightline.tool import Call
from tests.library_docs.bakery import SITE, bakery
from tests.library_docs.loopback_site import loopback_site


async def test_what_was_prefetched_is_there_without_a_network(tmp_path: Path) -> None:
    told: list[Prefetched] = []
    async with loopback_site(tmp_path) as site:
        site.page(f"{SITE}/en/stable/", "# Oven kit\n\nHeats loaves.\n", content_type="text/markdown")
        async with bakery(tmp_path, site) as shop:
            call = Call(shop.root, PathPolicy(shop.root, (shop.root,)), no_progress)
            libraries = await shop.service.libraries(call, None)
            wanted = await direct_dependencies(libraries)
            done = await prefetch(shop.service, libraries, wanted, told.append)
            held = await shop.service.store.statistics()
        async with bakery(tmp_path, offline=True) as shop:
            found = await shop.call("search_docs", query="loaves")
            oven = await shop.call("get_library_docs", library_id="pypi:oven-kit")

    assert {(str(each.library), each.state, each.installed) for each in done} == {
        ("pypi:widget", "installed only", "2.0.0"),
        ("pypi:oven-kit", "kept", None),
    }
    assert sorted(map(str, told)) == sorted(map(str, done))
    assert held.pinned_pages == 1
    assert found["results"][0]["address"] == f"{SITE}/en/stable/"
    assert "Heats loaves" in oven["content"]


async def test_a_dependency_that_nobody_knows_is_said_to_be_unknown(tmp_path: Path) -> None:
    async with bakery(tmp_path, offline=True) as shop:
        (shop.root / "pyproject.toml").write_text('[project]\nname = "p"\ndependencies = ["no-such-thing-at-all"]\n')
        call = Call(shop.root, PathPolicy(shop.root, (shop.root,)), no_progress)
        libraries = await shop.service.libraries(call, None)
        (done,) = await prefetch(shop.service, libraries, await direct_dependencies(libraries), lambda _: None)

    assert (done.state, done.reason) == ("unknown", "not installed and not known")
