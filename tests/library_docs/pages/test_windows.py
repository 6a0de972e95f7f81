"""Windows: bounded, and together exactly the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.pages.lines import content_hash, split_lines
from sightline.library_docs.pages.windows import read_window


def test_a_window_has_its_lines_and_says_how_to_read_on() -> None:
    window = read_window("one\ntwo\nthree\nfour\n", 2, 2)
    assert (window.content, window.total_lines, window.next_offset, window.next_character) == ("two\nthree", 4, 4, 0)
    assert window.content_hash == content_hash("one\ntwo\nthree\nfour\n")


def test_the_last_window_has_nothing_after_it() -> None:
    assert read_window("one\ntwo", 2).next_offset is None
    assert read_window("one\ntwo", 1, 2).next_offset is None


def test_past_the_end_there_is_nothing() -> None:
    window = read_window("one\n", 9)
    assert (window.content, window.next_offset, window.total_lines) == ("", None, 1)


def test_a_section_ends_its_window() -> None:
    window = read_window("1\n2\n3\n4", 2, last_line=3)
    assert (window.content, window.next_offset) == ("2\n3", None)
    assert read_window("1\n2\n3\n4", 2, 1, last_line=3).next_offset == 3


def test_characters_are_limited_at_the_end_of_a_line() -> None:
    window = read_window("aaaa\nbbbb\ncccc", max_characters=9)
    assert (window.content, window.next_offset, window.next_character) == ("aaaa\nbbbb", 3, 0)


def test_a_line_over_the_limit_is_cut_and_can_be_read_on() -> None:
    first = read_window("0123456789\nend", max_characters=4)
    assert (first.content, first.next_offset, first.next_character) == ("0123", 1, 4)
    second = read_window("0123456789\nend", 1, character=4, max_characters=4)
    assert (second.content, second.next_offset, second.next_character) == ("4567", 1, 8)
    third = read_window("0123456789\nend", 1, character=8, max_characters=6)
    assert (third.content, third.next_offset, third.next_character) == ("89\nend", None, 0)


@pytest.mark.parametrize("arguments", [{"offset": 0}, {"limit": 0}, {"character": -1}, {"max_characters": 0}])
def test_nonsense_is_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="start at 1"):
        read_window("x", **arguments)


@given(st.text(alphabet="ab\n\r\x0c", max_size=200), st.integers(1, 7), st.integers(1, 9))
def test_reading_on_yields_every_character_once(text: str, limit: int, most: int) -> None:
    offset: int | None = 1
    character, pieces = 0, ""
    for _ in range(1000):
        window = read_window(text, offset, limit, character=character, max_characters=most)
        assert len(window.content) <= most
        pieces += window.content
        offset, character = window.next_offset, window.next_character
        if offset is None:
            break
        pieces += "" if character else "\n"
    assert offset is None
    assert pieces == "\n".join(split_lines(text))
