"""Which line is which after an edit."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.code.line_mapping import ChangedBlock, LineMapping

FEW_LINES = st.lists(st.sampled_from(["", "a", "b", "    pass", "x = 1"]), max_size=30)


def joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


@given(FEW_LINES, FEW_LINES)
def test_the_blocks_and_the_old_lines_make_up_the_new_text(old: list[str], new: list[str]) -> None:
    mapping = LineMapping.between(joined(old), joined(new))

    rebuilt: list[str] = []
    done = 1
    old, new = joined(old).split("\n"), joined(new).split("\n")
    for block in mapping.blocks:
        rebuilt += old[done - 1 : block.old_start - 1] + new[block.new_start - 1 : block.new_end - 1]
        done = block.old_end
    assert rebuilt + old[done - 1 :] == new


@given(FEW_LINES, FEW_LINES)
def test_a_line_is_mapped_both_ways_or_lies_in_a_block(old: list[str], new: list[str]) -> None:
    mapping = LineMapping.between(joined(old), joined(new))
    old_lines, new_lines = range(1, max(len(old), 1) + 1), range(1, max(len(new), 1) + 1)

    mapped = [line for line in old_lines if mapping.to_new(line) is not None]
    images = [mapping.to_new(line) for line in mapped]
    assert images == [line for line in new_lines if mapping.to_old(line) is not None]
    assert mapped == [mapping.to_old(line) for line in images if line]
    assert mapped == [line for line in old_lines if mapping.block_of_old(line) is None]
    assert images == [line for line in new_lines if mapping.block_of_new(line) is None]


@given(st.data())
def test_every_line_that_stays_is_found_where_lines_are_unique(data: st.DataObject) -> None:
    old = [f"line {number}" for number in range(data.draw(st.integers(0, 40)))]
    new: list[str] = []
    where: dict[int, int | None] = {}
    for number, line in enumerate(old, start=1):
        new += [f"new {len(new) + each}" for each in range(data.draw(st.sampled_from([0, 0, 0, 1, 3])))]
        stays = data.draw(st.sampled_from([True, True, False]))
        new += [line] if stays else []
        where[number] = len(new) if stays else None

    mapping = LineMapping.between(joined([*old, "end"]), joined([*new, "end"]))

    assert {number: mapping.to_new(number) for number in where} == where


def test_lines_that_repeat_do_not_hide_edits_that_are_far_apart() -> None:
    function = ["def f{0}():", "    x = 1", "    return x", "", ""]
    old = [line.format(number) for number in range(100) for line in function]
    new = [*old[:7], "    y = 2", *old[7:480], *old[481:]]

    mapping = LineMapping.between(joined(old), joined(new))

    assert mapping.blocks == (ChangedBlock(8, 8, 8, 9), ChangedBlock(481, 482, 482, 482))
    assert mapping.block_of_new(8) == ChangedBlock(8, 8, 8, 9)
    assert [mapping.to_new(line) for line in (7, 8, 480, 481, 482)] == [7, 9, 481, None, 482]
    assert [mapping.to_old(line) for line in (7, 8, 9, 481, 482)] == [7, None, 8, 480, 482]


def test_a_line_that_changed_places_stays_in_one_of_the_orders() -> None:
    mapping = LineMapping.between("a\nb\nc\nd", "c\na\nb\nd")

    assert [mapping.to_new(line) for line in (1, 2, 3, 4)] == [2, 3, None, 4]


def test_a_line_that_repeats_does_not_hold_others_in_place() -> None:
    mapping = LineMapping.between("k\nsame\nb\nold\nend", "n\nsame\nm\nk\nsame\nb\nnew\nend")

    assert [mapping.to_new(line) for line in (1, 2, 3, 4, 5)] == [4, 5, 6, None, 8]


@pytest.mark.parametrize("after", ["a\r\nb\r\n", "a\rb\r", "a\nb\r\n"])
def test_line_ends_are_not_a_change(after: str) -> None:
    assert LineMapping.between("a\nb\n", after).blocks == ()


def test_the_empty_line_behind_the_last_line_end_is_a_line() -> None:
    mapping = LineMapping.between("a\n", "new\na\n")

    assert mapping.to_new(2) == 3


def test_characters_that_only_python_calls_line_ends_are_none() -> None:
    mapping = LineMapping.between("a\x0c\u2028b\nc", "new\na\x0c\u2028b\nc")

    assert mapping.to_new(2) == 3


@pytest.mark.timeout(60)
def test_huge_texts_of_few_different_lines_are_no_trouble() -> None:
    random = Random(1)
    old, new = (random.choices(["", "x", "y"], k=100_000) for _ in range(2))
    anchored = [line if number % 10 else f"unique {number}" for number, line in enumerate(old)]
    shuffled = sorted(anchored, key=lambda line: random.random())

    assert LineMapping.between(joined(old), joined(new)).blocks
    assert LineMapping.between(joined(anchored), joined(shuffled)).blocks
