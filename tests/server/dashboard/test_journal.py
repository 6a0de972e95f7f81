"""Events in order: kept, replayed, and let go."""

from __future__ import annotations

import pytest

from sightline.server.dashboard.journal import Event, Journal

pytestmark = pytest.mark.anyio


def _numbers(events: object) -> list[int]:
    assert isinstance(events, list)
    return [event.number for event in events if isinstance(event, Event)]  # pyright: ignore[reportUnknownVariableType] - generic


async def test_a_new_reader_gets_all_that_is_kept_in_order() -> None:
    journal = Journal(10)
    for number in range(6):
        journal.add("call" if number % 2 else "log", number)
    with journal.reading() as (replay, _):
        assert not replay.is_continued
        assert [event.what for event in replay.events] == [0, 1, 2, 3, 4, 5]


async def test_a_reader_that_comes_back_gets_only_what_it_missed() -> None:
    journal = Journal(10)
    for number in range(5):
        journal.add("call", number)
    with journal.reading(f"{journal.run}-3") as (replay, _):
        assert replay.is_continued
        assert [event.what for event in replay.events] == [3, 4]


@pytest.mark.parametrize("last", ["", "other-3", "3", "-", "nonsense", "{run}-x", "{run}-99", "{run}-" + "9" * 500])
async def test_a_reader_of_another_run_starts_over(last: str) -> None:
    journal = Journal(10)
    for number in range(5):
        journal.add("call", number)
    with journal.reading(last.replace("{run}", journal.run)) as (replay, _):
        assert not replay.is_continued
        assert len(replay.events) == 5


async def test_a_reader_whose_place_is_forgotten_starts_over() -> None:
    journal = Journal(10)
    journal.add("log", "first")
    for number in range(400):
        journal.add("call", number)
    with journal.reading(f"{journal.run}-50") as (replay, _):
        assert not replay.is_continued
        assert [event.what for event in replay.events][:2] == ["first", 100], "a flood of calls drowns no record"
    with journal.reading(f"{journal.run}-101") as (replay, _):
        assert replay.is_continued


async def test_what_waits_for_a_reader_is_bounded_and_it_can_tell() -> None:
    journal = Journal(3)
    with journal.reading() as (_, slow), journal.reading() as (_, other):
        for number in range(4):
            journal.add("call", number)
            await other.take(0)
        events, _ = await slow.take(0)
    assert slow.is_overflown
    assert not other.is_overflown
    assert _numbers(events) == [1, 2, 3]


async def test_only_the_newest_state_waits() -> None:
    journal = Journal(3)
    with journal.reading() as (_, mailbox):
        for state in ("1", "2", "3"):
            journal.tell_state(state)
        assert await mailbox.take(0) == ([], "3")
        assert await mailbox.take(0) == ([], None)


async def test_a_reader_that_left_is_not_kept() -> None:
    journal = Journal(3)
    with journal.reading():
        assert journal.reader_count == 1
    assert journal.reader_count == 0
