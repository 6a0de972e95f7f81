"""A newer registry over the one fetcher: taken whole, or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from sightline.config.schema import DocsSettings
from sightline.library_docs.known_libraries import KnownLibraries
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.registry_updates import keep_registry_current
from tests.library_docs.loopback_site import LoopbackSite, loopback_site
from tests.library_docs.registry.sample_registries import snapshot_bytes

HOST = "https://registry.oven-kit.dev"
KILN = LibraryId("pypi", "kiln-of-the-future")


def offer(site: LoopbackSite, data: bytes, checksum: str | None = None) -> None:
    told = {
        "version": "2099.1.1",
        "download_url": f"{HOST}/data.json",
        "checksum": checksum or f"sha256:{hashlib.sha256(data).hexdigest()}",
    }
    site.page(f"{HOST}/latest.json", json.dumps(told), content_type="application/json")
    site.page(f"{HOST}/data.json", data, content_type="application/json")


async def known_after(site: LoopbackSite, folder: Path) -> KnownLibraries:
    settings = DocsSettings(registry_url=f"{HOST}/latest.json")
    known = KnownLibraries(settings, folder)
    async with site.fetcher() as fetcher:
        await keep_registry_current(settings, known, fetcher, folder, is_long_lived=False)
    return known


async def test_a_newer_registry_is_used_at_once_and_after_the_next_start(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        data = snapshot_bytes(
            {"pypi:kiln-of-the-future": {"docs": "https://kiln.oven-kit.dev/"}},
            version="2099.1.1",
            generated_at="2099-01-01T00:00:00Z",
        )
        offer(site, data)
        known = await known_after(site, tmp_path / "registry")

    again = KnownLibraries(DocsSettings(), tmp_path / "registry")
    for each in (known, again):
        assert (await each.get()).registry.entry(KILN)
        assert hasattr((await each.get()).allowed.permit("https://kiln.oven-kit.dev/x"), "tier")


async def test_a_registry_with_a_wrong_checksum_changes_nothing(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        data = snapshot_bytes({"pypi:kiln-of-the-future": {}}, version="2099.1.1", generated_at="2099-01-01T00:00:00Z")
        offer(site, data, checksum="sha256:" + "0" * 64)
        known = await known_after(site, tmp_path / "registry")

    assert (await known.get()).registry.origin == "bundled"
    assert (await known.get()).registry.entry(KILN) is None


async def test_a_site_that_fails_changes_nothing(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(f"{HOST}/latest.json", "", status=503)
        known = await known_after(site, tmp_path / "registry")

    assert (await known.get()).registry.origin == "bundled"
