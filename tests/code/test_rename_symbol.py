"""`rename_symbol` through the boundary, by the real Pyright: what it shows, what it writes, what it refuses."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.edit_oracle import disk_of
from tests.support.apps import app_over

from sightline.app import App

pytestmark = pytest.mark.anyio

CATALOGUE, BASKET = "shop/catalogue.py", "shop/basket.py"
FIND = {"symbol": "Catalogue.find", "new_name": "look_up"}


async def ask(app: App, **arguments: Any) -> dict[str, Any]:
    return (await app.boundary.call("rename_symbol", arguments)).data


async def ask_once(root: Path, home: Path, **arguments: Any) -> dict[str, Any]:
    async with app_over(root, home) as app:
        return await ask(app, **arguments)


async def apply(app: App, **arguments: Any) -> dict[str, Any]:
    """Preview, then apply."""
    preview = await ask(app, **arguments)
    assert preview["ok"], preview
    return await ask(app, **arguments, apply=True, plan_id=preview["plan_id"])


def warnings(data: dict[str, Any]) -> list[str]:
    return [each["kind"] for each in data.get("warnings", [])]


async def test_a_preview_writes_nothing_and_shows_every_place(shop: Path, tmp_path: Path) -> None:
    before = disk_of(shop)

    data = await ask_once(shop, tmp_path, **FIND)

    assert data["verdict"] == "clean"
    assert not data["applied"]
    assert data["files"] == [{"file": BASKET, "edits": 1}, {"file": CATALOGUE, "edits": 1}]
    assert "+    def look_up(self, name: str) -> Item | None:" in data["diff"]
    assert "+        item = self._catalogue.look_up(name)" in data["diff"]
    assert disk_of(shop) == before


async def test_the_plan_is_written_and_the_new_name_is_known_at_once(shop: Path, tmp_path: Path) -> None:
    texts = {name: (shop / name).read_text() for name in (CATALOGUE, BASKET)}
    async with app_over(shop, tmp_path) as app:
        data = await apply(app, **FIND)
        found = await app.boundary.call("find_references", {"symbol": "Catalogue.look_up"})

    assert (data["applied"], data["verdict"], warnings(data)) == (True, "clean", [])
    assert len(found.data["references"]) == 2
    assert (shop / CATALOGUE).read_text() == texts[CATALOGUE].replace("def find(", "def look_up(")
    assert (shop / BASKET).read_text() == texts[BASKET].replace(".find(", ".look_up(")


async def test_a_plan_must_be_seen_before_it_is_written(shop: Path, tmp_path: Path) -> None:
    before = disk_of(shop)
    async with app_over(shop, tmp_path) as app:
        unseen = await ask(app, **FIND, apply=True)
        wrong = await ask(app, **FIND, apply=True, plan_id="0" * 16)
        other = await ask(app, **{**FIND, "new_name": "search"})
        others = await ask(app, **FIND, apply=True, plan_id=other["plan_id"])

    assert unseen["error"]["kind"] == "invalid_params"
    assert wrong["error"]["kind"] == others["error"]["kind"] == "stale_plan"
    assert disk_of(shop) == before


@pytest.mark.parametrize("edited", [CATALOGUE, BASKET])
async def test_a_plan_is_stale_once_a_file_of_it_changed(shop: Path, tmp_path: Path, edited: str) -> None:
    async with app_over(shop, tmp_path) as app:
        preview = await ask(app, **FIND)
        (shop / edited).write_text((shop / edited).read_text() + "\n# edited\n")
        before = disk_of(shop)

        data = await ask(app, **FIND, apply=True, plan_id=preview["plan_id"])

    assert data["error"]["kind"] == "stale_plan"
    assert "nothing was written" in data["error"]["message"]
    assert disk_of(shop) == before


async def test_a_new_use_in_another_file_makes_the_plan_stale(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path) as app:
        preview = await ask(app, **FIND)
        (shop / "shop" / "late.py").write_text("from shop.catalogue import Catalogue\n\nCatalogue().find('x')\n")
        before = disk_of(shop)

        data = await ask(app, **FIND, apply=True, plan_id=preview["plan_id"])

    assert data["error"]["kind"] == "stale_plan"
    assert disk_of(shop) == before


@pytest.mark.parametrize("new_name", ["class", "two words", "1st", "", "find", "a-b", "find()"])
async def test_what_cannot_be_a_name_is_refused(shop: Path, tmp_path: Path, new_name: str) -> None:
    data = await ask_once(shop, tmp_path, symbol="Catalogue.find", new_name=new_name)
    assert data["error"]["kind"] == "invalid_params"


@pytest.mark.parametrize(
    ("line", "column"),
    [(24, 10), (25, 5), (4, 1), (26, 1), (1, 5)],
    ids=["beside", "keyword", "no", "end", "docstring"],
)
async def test_a_near_miss_or_no_name_is_refused(shop: Path, tmp_path: Path, line: int, column: int) -> None:
    before = disk_of(shop)
    data = await ask_once(shop, tmp_path, file=CATALOGUE, line=line, column=column, new_name="renamed")
    assert not data["ok"], data
    assert disk_of(shop) == before


async def test_a_name_that_fits_several_symbols_is_asked_about(shop: Path, tmp_path: Path) -> None:
    data = await ask_once(shop, tmp_path, symbol="__init__", new_name="start")
    assert data["needs_disambiguation"]
    assert len(data["candidates"]) >= 2
    assert "plan_id" not in data


async def test_a_symbol_of_a_library_is_not_renamed(shop: Path, tmp_path: Path) -> None:
    before = disk_of(shop)
    text = (shop / CATALOGUE).read_text()
    line = text[: text.index("@dataclass")].count("\n") + 1
    data = await ask_once(shop, tmp_path, file=CATALOGUE, line=line, column=2, new_name="record")
    assert data["error"]["kind"] in ("unsupported", "path_not_allowed")
    assert disk_of(shop) == before


async def test_a_name_that_is_taken_is_not_called_clean(shop: Path, tmp_path: Path) -> None:
    text = "def outer(first: int) -> int:\n    second = 2\n    return first + second\n\n\nprint(outer(1))\n"
    (shop / "shop" / "taken.py").write_text(text)
    data = await ask_once(shop, tmp_path, file="shop/taken.py", line=2, column=5, new_name="first")
    assert data["verdict"] != "clean"
    assert "name_captured" in warnings(data)


async def test_a_global_that_a_local_would_hide_is_not_called_clean(shop: Path, tmp_path: Path) -> None:
    text = "limit = 1\n\n\ndef outer() -> int:\n    other = 2\n    return limit + other\n"
    (shop / "shop" / "taken.py").write_text(text)
    data = await ask_once(shop, tmp_path, file="shop/taken.py", line=1, column=1, new_name="other")
    assert data["verdict"] != "clean"
    assert "name_captured" in warnings(data)


async def test_where_the_old_name_still_stands_is_listed_by_kind(shop: Path, tmp_path: Path) -> None:
    (shop / "README.md").write_text("# Shop\n\nCall `find` to find things.\n")
    lines = ["def other(text: str) -> int:", "    # find it", '    return text.find("find") + len("finding")']
    (shop / "shop" / "text.py").write_text("\n".join(lines) + "\n")

    async with app_over(shop, tmp_path) as app:
        data = await apply(app, **FIND)

    found = {(each["file"], each["line"], each["column"], each["kind"]) for each in data["leftovers"]}
    assert found == {
        ("README.md", 3, 7, "document"),
        ("README.md", 3, 16, "document"),
        ("shop/text.py", 2, 7, "comment"),
        ("shop/text.py", 3, 17, "code"),
        ("shop/text.py", 3, 23, "string"),
    }
    assert (shop / "shop" / "text.py").read_text() == "\n".join(lines) + "\n"


async def test_lines_are_counted_as_the_server_does_whatever_python_calls_a_line(shop: Path, tmp_path: Path) -> None:
    """A form feed or a separator within a line begins no new one."""
    text = 'first = "\u2028\x0c"\n\x0c\n\ndef to_rename() -> str:\n    return first  # to_rename\n\n\nto_rename()\n'
    (shop / "shop" / "odd.py").write_bytes(text.encode())
    async with app_over(shop, tmp_path) as app:
        data = await apply(app, file="shop/odd.py", line=4, column=5, new_name="renamed")
    assert [(each["line"], each["kind"]) for each in data["leftovers"]] == [(5, "comment")]
    expected = text.replace("def to_rename", "def renamed").replace("\nto_rename", "\nrenamed")
    assert (shop / "shop" / "odd.py").read_bytes() == expected.encode()


async def test_line_ends_mark_and_mode_survive(shop: Path, tmp_path: Path) -> None:
    odd = "from shop.catalogue import Catalogue\r\n\r\n\x0cbad, ok = '😀\u2028', Catalogue().find('é')\r\n"
    (shop / "shop" / "odd.py").write_bytes(b"\xef\xbb\xbf" + odd.encode())
    (shop / "shop" / "odd.py").chmod(0o755)
    async with app_over(shop, tmp_path) as app:
        data = await apply(app, **FIND)

    assert data["ok"], data
    assert (shop / "shop" / "odd.py").read_bytes() == b"\xef\xbb\xbf" + odd.replace(".find(", ".look_up(").encode()
    assert stat.S_IMODE((shop / "shop" / "odd.py").stat().st_mode) == 0o755


@pytest.mark.parametrize(("line", "column"), [(1, 1), (1, 21), (2, 9)])
async def test_a_name_in_the_first_line_after_a_mark_is_renamed(
    shop: Path, tmp_path: Path, line: int, column: int
) -> None:
    (shop / "shop" / "odd.py").write_bytes("\ufefffirst = 1; second = first\r\nthird = first\r\n".encode())
    async with app_over(shop, tmp_path) as app:
        data = await apply(app, file="shop/odd.py", line=line, column=column, new_name="renamed")

    assert data["verdict"] == "clean", data
    expected = "\ufeffrenamed = 1; second = renamed\r\nthird = renamed\r\n"
    assert (shop / "shop" / "odd.py").read_bytes() == expected.encode()


async def test_one_file_that_may_not_be_written_keeps_all_as_they_are(shop: Path, tmp_path: Path) -> None:
    (shop / BASKET).chmod(0o444)
    before = disk_of(shop)
    async with app_over(shop, tmp_path) as app:
        data = await apply(app, **FIND)

    assert data["error"]["kind"] == "permission_denied"
    assert "read-only" in data["error"]["message"]
    assert disk_of(shop) == before


async def test_read_only_hides_and_refuses_it(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path, server__read_only=True) as app:
        assert "rename_symbol" not in [tool.name for tool in app.selection.offered]
        refused = await ask(app, **FIND)
    assert refused["error"]["kind"] == "read_only"


async def test_without_enough_time_nothing_is_called_clean(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path, code__command_timeout_s=0.001) as app:
        data = await ask(app, **FIND)
    assert data["verdict"] == "unknown" or not data["ok"], data


async def test_a_name_in_quotes_is_still_known_after_an_edit_was_tried(shop: Path, tmp_path: Path) -> None:
    (shop / CATALOGUE).write_text(
        (shop / CATALOGUE).read_text() + '\n\nfrom typing import TypeVar\n\nT = TypeVar("T", bound="Catalogue")\n'
    )
    async with app_over(shop, tmp_path) as app:
        first = await ask(app, symbol="Catalogue", new_name="Stock")
        second = await ask(app, symbol="Catalogue", new_name="Stock")

    assert first["ok"], first
    assert (first["files"], first["plan_id"]) == (second["files"], second["plan_id"])
