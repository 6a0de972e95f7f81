"""Calls as they happen."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from sightline.call_feed import CallFeed
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio


async def test_a_call_runs_and_then_has_ended_with_what_it_told() -> None:
    feed = CallFeed(clock=lambda: 17.0)
    with feed.following("ab12", "check_types", {"path": "."}, "client") as outcome:
        (running,) = feed.running()
        outcome.ending, outcome.root, outcome.error_kind, outcome.chars = "failed", "/p", "busy", 9
    (ended,) = feed.latest()
    assert (running.tool, running.arguments, running.started_at) == ("check_types", {"path": "."}, 17.0)
    assert feed.running() == []
    assert (ended.number, ended.ending, ended.root, ended.error_kind, ended.chars) == (1, "failed", "/p", "busy", 9)


async def test_listeners_hear_of_every_call_that_ends_while_they_listen() -> None:
    feed = CallFeed()
    _call(feed, "before")
    with feed.subscribe() as one, feed.subscribe() as other:
        _call(feed, "during")
        assert (await one.receive()).tool == "during"
        assert (await other.receive()).tool == "during"
    _call(feed, "after")
    assert [call.tool for call in feed.latest()] == ["before", "during", "after"]


async def test_a_listener_that_does_not_keep_up_misses_calls_and_delays_nobody() -> None:
    feed = CallFeed()
    with feed.subscribe() as slow:
        for _ in range(1_000):
            _call(feed, "one of many")
        numbers = [slow.receive_nowait().number for _ in range(256)]
        with pytest.raises(anyio.WouldBlock):
            slow.receive_nowait()
    assert numbers == list(range(1, 257))
    assert [call.number for call in feed.latest()] == list(range(501, 1_001)), "the last ones are kept"


async def test_whoever_waits_for_quiet_waits_for_the_last_call() -> None:
    feed = CallFeed()
    await feed.until_idle()
    order: list[str] = []

    async def wait() -> None:
        await feed.until_idle()
        order.append("quiet")

    async with anyio.create_task_group() as tasks:
        with feed.following("1", "first", {}, ""):
            with feed.following("2", "second", {}, ""):
                tasks.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
            await anyio.wait_all_tasks_blocked()
            order.append("one has ended")
    assert order == ["one has ended", "quiet"]


async def test_the_boundary_tells_how_each_call_ended(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path) as app:
        await app.boundary.call("get_current_config", {}, client="me")
        await app.boundary.call("check_types", {"path": "none.py"})
        with anyio.CancelScope() as scope:
            scope.cancel()
            await app.boundary.call("check_types", {"path": "."})
    ended = app.calls.latest()
    assert [(call.tool, call.ending, call.error_kind) for call in ended] == [
        ("get_current_config", "ok", None),
        ("check_types", "failed", "file_not_found"),
        ("check_types", "cancelled", None),
    ]
    assert (ended[0].client, ended[0].root) == ("me", str(shop))
    assert ended[0].chars > 100


def _call(feed: CallFeed, tool: str) -> None:
    with feed.following("0", tool, {}, "") as outcome:
        outcome.ending = "ok"
