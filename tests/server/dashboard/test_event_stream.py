"""One page's stream, spoken to as a web server does, with limits small enough to reach."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from sightline.call_feed import FinishedCall
from sightline.server.dashboard.discretion import Discretion
from sightline.server.dashboard.event_stream import EventStreams, StreamLimits
from sightline.server.dashboard.journal import Journal

pytestmark = pytest.mark.anyio

ROOT = Path("/srv/shop")


@dataclass(slots=True)
class Reader:
    """A client: what it got, and whether it takes more."""

    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    takes: anyio.Event = field(default_factory=anyio.Event)
    leaves: anyio.Event = field(default_factory=anyio.Event)
    got_more: anyio.Event = field(default_factory=anyio.Event)

    async def receive(self) -> dict[str, Any]:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await self.takes.wait()
        self.messages.append(message)
        self.got_more.set()

    @property
    def text(self) -> str:
        return b"".join(each.get("body", b"") for each in self.messages).decode()

    async def until(self, words: str) -> None:
        with anyio.fail_after(10):
            while words not in self.text:
                self.got_more = anyio.Event()
                await self.got_more.wait()


@dataclass(slots=True)
class Stage:
    """Streams over a journal, and whoever reads them."""

    streams: EventStreams
    start: Callable[..., Awaitable[None]]

    @property
    def journal(self) -> Journal:
        return self.streams.journal

    async def reader(self, last_id: str = "", *, is_slow: bool = False) -> Reader:
        reader = Reader()
        if not is_slow:
            reader.takes.set()
        await self.start(reader, last_id)
        if not is_slow:
            await reader.until("event: caught_up")
        return reader


async def _look() -> str:
    return '{"a":1}'


@asynccontextmanager
async def stage(limits: StreamLimits, is_welcome: Callable[[Any], bool] = lambda _: True) -> AsyncGenerator[Stage]:
    journal = Journal(limits.waiting)
    streams = EventStreams(journal, Discretion(ROOT, (ROOT,)), limits, _look, is_welcome)
    async with anyio.create_task_group() as tasks:

        async def start(reader: Reader, last_id: str) -> None:
            headers = [(b"last-event-id", last_id.encode())]
            scope = {"type": "http", "method": "GET", "headers": headers}
            tasks.start_soon(streams, scope, reader.receive, reader.send)
            await anyio.wait_all_tasks_blocked()

        yield Stage(streams, start)
        tasks.cancel_scope.cancel()


def _call(number: int, tool: str = "check_types") -> FinishedCall:
    return FinishedCall(
        number=number, request_id="r", tool=tool, arguments={}, client="", started_at=1.0, ending="ok", seconds=0.5
    )


async def test_it_says_hello_then_the_state_then_what_happens() -> None:
    async with stage(StreamLimits()) as on:
        on.journal.add("call", _call(1))
        reader = await on.reader()
        on.journal.add("call", _call(2))
        await reader.until('"number":2')
    kinds = [line.removeprefix("event: ") for line in reader.text.splitlines() if line.startswith("event: ")]
    assert kinds == ["hello", "state", "call", "caught_up", "call"]
    assert f"id: {on.journal.run}-2\nevent: call\n" in reader.text


async def test_it_goes_on_after_the_last_event_that_was_seen() -> None:
    async with stage(StreamLimits()) as on:
        for number in range(1, 4):
            on.journal.add("call", _call(number))
        reader = await on.reader(f"{on.journal.run}-2")
    assert '"is_continued":true' in reader.text
    assert '"number":3' in reader.text
    assert '"number":2' not in reader.text


async def test_in_silence_it_gives_a_sign_of_life() -> None:
    async with stage(StreamLimits(heartbeat_s=0.01)) as on:
        reader = await on.reader()
        await reader.until(": still here\n\n: still here\n\n")
    assert "event: call" not in reader.text


async def test_a_slow_reader_is_told_and_let_go_and_loses_nothing_by_coming_back() -> None:
    async with stage(StreamLimits(waiting=3)) as on:
        slow = await on.reader()
        slow.takes = anyio.Event()
        on.journal.add("call", _call(1))
        await anyio.wait_all_tasks_blocked()
        for number in range(2, 20):
            on.journal.add("call", _call(number))
        slow.takes.set()
        await slow.until("event: dropped")
        await anyio.wait_all_tasks_blocked()
        assert slow.messages[-1]["more_body"] is False
        assert on.journal.reader_count == 0
        seen = [line.removeprefix("id: ") for line in slow.text.splitlines() if line.startswith("id: ")]
        back = await on.reader(seen[-1] if seen else "")
    numbers = [json.loads(each)["number"] for each in _data_of(slow.text, "call") + _data_of(back.text, "call")]
    assert numbers == list(range(1, 20))


async def test_a_flood_leaves_no_gap_before_the_last_event_that_was_told() -> None:
    async with stage(StreamLimits(waiting=3)) as on:
        reader = await on.reader()
        reader.takes = anyio.Event()
        for number in range(1, 10):
            on.journal.add("call", _call(number))
        await anyio.wait_all_tasks_blocked()
        for number in range(10, 12):
            on.journal.add("call", _call(number))
        reader.takes.set()
        await reader.until("event: dropped")
    assert [json.loads(each)["number"] for each in _data_of(reader.text, "call")] == [1, 2, 3]


async def test_one_page_too_many_is_refused_and_a_closed_one_makes_room() -> None:
    async with stage(StreamLimits(most=2)) as on:
        first = await on.reader()
        await on.reader()
        third = await on.reader(is_slow=True)
        third.takes.set()
        await third.until("too_many_streams")
        assert third.messages[0]["status"] == 503
        first.leaves.set()
        await anyio.wait_all_tasks_blocked()
        await on.reader()


async def test_a_visit_that_is_over_gets_nothing_more() -> None:
    welcome = [True]
    async with stage(StreamLimits(), lambda _: welcome[0]) as on:
        reader = await on.reader()
        welcome[0] = False
        on.journal.add("call", _call(1))
        await reader.until("event: ended")
    assert '"number":1' not in reader.text


async def test_hostile_text_stays_in_its_line() -> None:
    async with stage(StreamLimits()) as on:
        on.journal.add("call", _call(1, "x\n\nevent: state\ndata: {}\r\n\u2028<script>"))
        reader = await on.reader()
    (data,) = _data_of(reader.text, "call")
    assert json.loads(data)["tool"].startswith("x\n\nevent: state")


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
async def test_a_number_that_json_does_not_have_is_told_in_words(number: float) -> None:
    """A browser would stop at it, come back for it, and stop again."""
    async with stage(StreamLimits()) as on:
        on.journal.add("call", replace(_call(1), arguments={"line": number, "all": [{"x": number}]}))
        reader = await on.reader()
    (data,) = _data_of(reader.text, "call")
    told = json.loads(data, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert told["arguments"] == {"line": str(number), "all": [{"x": str(number)}]}


def _data_of(text: str, kind: str) -> list[str]:
    blocks = [block.split("\n") for block in text.split("\n\n")]
    return [block[-1].removeprefix("data: ") for block in blocks if f"event: {kind}" in block]
