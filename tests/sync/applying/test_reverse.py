"""The way back holds what was replaced, and nothing of what stayed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.planning.reverse import restored, reversals
from tests.sync.formats.effort import thorough

TEXTS = st.lists(st.sampled_from([b"a", b"b c", b"\n", b"\r\n", b'"k": 1,', b"\xff", b"{", b"}"]), max_size=20).map(
    b"".join
)


@thorough
@given(TEXTS, TEXTS)
def test_any_bytes_come_back(before: bytes, after: bytes) -> None:
    assert restored(after, reversals(before, after)) == before


@thorough
@given(TEXTS, TEXTS, st.sampled_from([b"foreign", b"x\nforeign\n"]))
def test_what_stands_beside_a_change_is_not_copied(head: bytes, tail: bytes, foreign: bytes) -> None:
    before = head + foreign + b" mine: old " + foreign + tail
    after = head + foreign + b" mine: new " + foreign + tail
    assert b"".join(edit.old for edit in reversals(before, after)) == b"old"


def test_very_long_lines_are_compared_from_both_ends() -> None:
    filler = b"word " * 20_000
    edits = reversals(filler + b"old " + filler, filler + b"new " + filler)
    assert [edit.old for edit in edits] == [b"old"]
