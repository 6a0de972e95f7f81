"""Names beyond ASCII, and names as callers write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.code.places import place_at, place_of_name
from sightline.code.quoted_names import QuotedNames
from sightline.code.symbols import Symbol, matching

FILE = Path("/project/file.py")
APART, JOINED = "cafe\N{COMBINING ACUTE ACCENT}", "caf\N{LATIN SMALL LETTER E WITH ACUTE}"


@pytest.mark.parametrize("column", [1, 4, 5, 6, 8])
def test_an_accent_of_its_own_belongs_to_the_name(column: int) -> None:
    found = place_at(FILE, [f"{APART}_x = 1"], 1, column)

    assert (found.place.name, found.place.column, found.notices) == (f"{APART}_x", 1, ())


@pytest.mark.parametrize("asked", [APART, JOINED])
def test_a_symbol_is_found_however_its_accents_are_written(asked: str) -> None:
    symbols = [Symbol(name=JOINED, kind="variable", name_path=JOINED, line=1, column=1, end_line=1)]

    assert matching(symbols, asked) == symbols


@pytest.mark.parametrize(("symbol", "column"), [("size", 1), ("self.size", 13), ("Other.size", 1)])
def test_a_name_is_best_found_as_it_is_written(symbol: str, column: int) -> None:
    place = place_of_name(FILE, ["size = self.size"], 1, symbol).place

    assert (place.name, place.column) == ("size", column)


def test_names_beyond_ascii_are_found_in_quotes(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text('x = cast("list[Größe]", y)\n', encoding="utf-8")

    assert QuotedNames().files_with("Größe", [str(file)]) == [str(file)]
