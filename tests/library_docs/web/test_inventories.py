"""Sphinx inventories: which version a site describes, where a name is explained, and what is no inventory."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.web.inventories import MAX_INFLATED, InventoryUnreadable, parse_inventory

HEAD = b"# Sphinx inventory version 2\n# Project: Bakery\n# Version: 2.4.1\n# The remainder is compressed using zlib.\n"
LINES = """bakery.Oven py:class 1 api.html#$ -
bakery.Oven.heat py:method 1 api.html#$ -
bakery.Shop.heat_up py:method 1 shop.html#$ -
heat std:label -1 guide.html#heat How to heat
a name with blanks std:doc -1 other.html Other
"""


def inventory(text: str = LINES) -> bytes:
    return HEAD + zlib.compress(text.encode())


def test_the_version_and_the_places_of_names_are_read() -> None:
    found = parse_inventory(inventory(), "https://bakery.example/en/stable/")

    assert (found.project, found.version) == ("Bakery", "2.4.1")
    assert found.places["bakery.Oven"] == "https://bakery.example/en/stable/api.html#bakery.Oven"
    assert found.places["a name with blanks"] == "https://bakery.example/en/stable/other.html"


def test_a_topic_finds_the_exact_name_then_the_last_part_then_what_holds_it() -> None:
    found = parse_inventory(inventory(), "https://bakery.example/")

    assert [name for name, _ in found.find("heat()")] == ["heat", "bakery.Oven.heat", "bakery.Shop.heat_up"]
    assert [name for name, _ in found.find("bakery.oven")] == ["bakery.Oven"]
    assert found.find("  ") == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>not found</html>",
        HEAD + b"not compressed at all",
        inventory()[:-20] + b"\x00" * 5,
        HEAD + zlib.compress(b"x" * (MAX_INFLATED + 1)),
    ],
    ids=["empty", "html", "not compressed", "cut", "bomb"],
)
def test_what_is_no_inventory_is_refused(data: bytes) -> None:
    with pytest.raises(InventoryUnreadable):
        parse_inventory(data, "https://bakery.example/")


@given(st.text())
def test_any_lines_are_survived(text: str) -> None:
    assert parse_inventory(inventory(text), "https://bakery.example/").version == "2.4.1"
