"""One way to count lines."""

from __future__ import annotations

from sightline.library_docs.pages.lines import content_hash, normal_text, split_lines


def test_lines_end_at_newlines_and_nowhere_else() -> None:
    assert split_lines("a\r\nb\rc\nd\x0ce\u2028f\x85g") == ["a", "b", "c", "d\x0ce\u2028f\x85g"]


def test_a_final_newline_starts_no_line_and_an_empty_text_has_none() -> None:
    assert split_lines("a\n\n") == ["a", ""]
    assert split_lines("a") == ["a"]
    assert split_lines("") == []


def test_what_no_store_can_hold_is_replaced() -> None:
    assert normal_text("\ufeffa\0b\ud800é") == "a\ufffdb?é"


def test_the_hash_is_twelve_digits_and_does_not_depend_on_line_ends() -> None:
    assert content_hash("a\r\nb") == content_hash("a\nb") != content_hash("a\nc")
    assert len(content_hash("")) == 12
    assert int(content_hash("x"), 16) >= 0
