"""Columns in characters and in UTF-16 units, there and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sightline.positions import column_from_utf16, utf16_from_column

_CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from("a\té模😀🏳\u200d\ufe0f")
_LINES = st.text(_CHARACTERS, max_size=40)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(_LINES, st.data())
def test_a_column_is_the_length_in_utf16_of_what_stands_before_it(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(1, len(line) + 1))

    assert utf16_from_column(line, column) == utf16_length(line[: column - 1])


@given(_LINES, st.data())
def test_a_column_survives_the_way_there_and_back(line: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(1, len(line) + 1))

    assert column_from_utf16(line, utf16_from_column(line, column)) == column


@given(_LINES, st.integers(0, 200))
def test_a_column_never_lies_beyond_the_end_of_its_line(line: str, units: int) -> None:
    column = column_from_utf16(line, units)

    assert 1 <= column <= len(line) + 1
    if units > utf16_length(line):
        assert column == len(line) + 1


def test_columns_before_within_and_behind_an_astral_character() -> None:
    assert [column_from_utf16("a😀b", units) for units in (0, 1, 3, 4)] == [1, 2, 3, 4]
    assert [utf16_from_column("a😀b", column) for column in (1, 2, 3, 4)] == [0, 1, 3, 4]
