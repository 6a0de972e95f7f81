"""Documentation in a folder that a person names: read, searched, and never left."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.errors import SettingsError
from sightline.library_docs.private_folders import PrivateFolders
from tests.library_docs.bakery import bakery


def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "ours"
    (docs / "guide").mkdir(parents=True)
    (docs / "index.md").write_text("# Our kiln\n\nThe start.\n")
    (docs / "guide" / "glaze.md").write_text("# Glazing\n\n## Temperature\n\nFire glaze at 1240 degrees.\n")
    (docs / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.md").write_text("# Secret\n")
    (docs / "link.md").symlink_to(tmp_path / "secret.md")
    return docs


async def test_a_folder_is_resolved_read_and_searched(tmp_path: Path) -> None:
    async with bakery(tmp_path, offline=True, folders={"pypi:our-kiln": str(folder(tmp_path))}) as shop:
        known = await shop.call("resolve_library", query="our-kiln")
        start = await shop.call("get_library_docs", library_id="pypi:our-kiln")
        glaze = await shop.call("get_library_docs", library_id="pypi:our-kiln", topic="glaze temperature")
        page = await shop.call("read_page", url=glaze["address"], section="Temperature")
        found = await shop.call("search_docs", query="1240")

    assert known["matches"][0]["library_id"] == "pypi:our-kiln"
    assert (start["trust"], start["version_match"]) == ("private", "unknown")
    assert "The start." in start["content"]
    assert [each["address"] for each in start["documents"]] == ["folder:pypi/our-kiln#guide/glaze.md"]
    assert "1240 degrees" in glaze["content"]
    assert "1240 degrees" in page["content"]
    assert found["results"][0]["address"] == "folder:pypi/our-kiln#guide/glaze.md"


@pytest.mark.parametrize("part", ["../secret.md", "link.md", "picture.png", "nothing.md", "/etc/passwd"])
async def test_nothing_outside_the_folder_is_read(tmp_path: Path, part: str) -> None:
    async with bakery(tmp_path, offline=True, folders={"pypi:our-kiln": str(folder(tmp_path))}) as shop:
        answer = await shop.ask("read_page", url=f"folder:pypi/our-kiln#{part}")

    assert answer.data["error"]["kind"] == "page_not_found"


def test_a_folder_for_something_that_is_no_library_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"docs\.folders"):
        PrivateFolders.of({"our kiln": "/srv"})
