"""Two servers that share a store: one fetch per address, one of them killed, the database restarted."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from tests.library_docs.bakery import SITE
from tests.library_docs.loopback_site import LoopbackSite, SeenRequest, Stream, head, loopback_site
from tests.library_docs.store.postgres_cluster import Cluster
from tests.library_docs.store.replica import replica
from tests.support.wire import LineServer

URL = f"{SITE}/en/stable/guide"
MARKDOWN = {"Content-Type": "text/markdown"}
_WAITING = """
SELECT count(DISTINCT pid) FROM pg_stat_activity
WHERE application_name = 'sightline' AND query LIKE '%pg_try_advisory_lock%' AND datname = current_database()
"""

pytestmark = pytest.mark.timeout(180)


class Gate:
    """A page that is sent only when told; `arrived` counts the requests for it."""

    def __init__(self, site: LoopbackSite, url: str, text: str) -> None:
        self._text = text.encode()
        self.opened = anyio.Event()
        self.arrived = 0
        site.script(url, self._answer)

    async def _answer(self, _: SeenRequest, stream: Stream) -> None:
        self.arrived += 1
        await self.opened.wait()
        await stream.send(head(200, {**MARKDOWN, "Content-Length": str(len(self._text))}) + self._text)

    async def until_asked(self, times: int = 1) -> None:
        await until(lambda: _now(self.arrived >= times))


async def _now(value: bool) -> bool:
    return value


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    with anyio.fail_after(60):
        while not await condition():
            await anyio.lowlevel.checkpoint()


async def read(server: LineServer, url: str = URL) -> dict[str, Any]:
    """What `read_page` answers, called over MCP."""
    result = await anyio.to_thread.run_sync(lambda: server.call("read_page", url=url))
    assert not result["isError"], result
    return result["structuredContent"]


def asked_for(site: LoopbackSite, url: str = URL) -> int:
    return sum(seen.url == url for seen in site.requests)


def kinds(answer: dict[str, Any]) -> set[str]:
    return {each["kind"] for each in answer["warnings"]}


def all_have(answers: Iterable[dict[str, Any]], text: str) -> bool:
    return all(text in answer["content"] for answer in answers)


async def _both_try(cluster: Cluster, database: str) -> None:
    async def both_wait() -> bool:
        rows = await anyio.to_thread.run_sync(lambda: cluster.execute(_WAITING, database))
        return rows[0][0] == 2

    await until(both_wait)


async def test_what_two_servers_ask_for_at_once_is_fetched_once(
    tmp_path: Path, cluster: Cluster, database: str
) -> None:
    answers: list[dict[str, Any]] = []

    async def ask(server: LineServer) -> None:
        answers.append(await read(server))

    async with loopback_site(tmp_path) as site:
        gate = Gate(site, URL, "# Guide\n\nlantern\n")
        with replica(tmp_path / "a", site, database) as one, replica(tmp_path / "b", site, database) as two:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask, one)
                tasks.start_soon(ask, two)
                await gate.until_asked()
                await _both_try(cluster, database)
                gate.opened.set()
            assert all_have(answers, "lantern")
            assert asked_for(site) == 1
            found = await anyio.to_thread.run_sync(lambda: two.call("search_docs", query="lantern"))
            assert [each["address"] for each in found["structuredContent"]["results"]] == [URL]


async def test_a_stale_page_is_refreshed_by_one_server_only(tmp_path: Path, database: str) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(URL, "# Guide\n\nold\n", content_type="text/markdown")
        with (
            replica(tmp_path / "a", site, database, ttl_hours=0) as one,
            replica(tmp_path / "b", site, database, ttl_hours=0) as two,
        ):
            await read(one)
            gate = Gate(site, URL, "# Guide\n\nnew\n")
            assert all_have([await read(one)], "old")
            await gate.until_asked()
            second = await read(two)
            await anyio.to_thread.run_sync(two.wait_for_log, "stale_refresh_elsewhere")
            assert (second["evidence"]["stale"], gate.arrived) == (True, 1)
            gate.opened.set()
            await anyio.to_thread.run_sync(one.wait_for_log, "stale_refresh_complete")
            assert all_have([await read(two)], "new")


async def test_a_failed_refresh_is_put_off_for_all(tmp_path: Path, database: str) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(URL, "# Guide\n\nold\n", content_type="text/markdown")
        with (
            replica(tmp_path / "a", site, database, ttl_hours=0) as one,
            replica(tmp_path / "b", site, database, ttl_hours=0) as two,
        ):
            await read(one)
            site.page(URL, "broken", status=500)
            await read(one)
            await anyio.to_thread.run_sync(one.wait_for_log, "stale_refresh_failed")
            before = asked_for(site)
            assert all_have([await read(two)], "old")
            await anyio.to_thread.run_sync(two.wait_for_log, "stale_refresh_elsewhere")
            assert asked_for(site) == before


async def test_a_server_killed_in_the_middle_of_a_fetch_does_not_hold_up_the_other(
    tmp_path: Path, cluster: Cluster, database: str
) -> None:
    answers: list[dict[str, Any]] = []

    async def ask(server: LineServer) -> None:
        answers.append(await read(server))

    async with loopback_site(tmp_path) as site:
        gate = Gate(site, URL, "# Guide\n\nlantern\n")
        with replica(tmp_path / "a", site, database) as one, replica(tmp_path / "b", site, database) as two:
            one.send("tools/call", {"name": "read_page", "arguments": {"url": URL}}, request_id=77)
            await gate.until_asked()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask, two)
                await _both_try(cluster, database)
                assert gate.arrived == 1
                one.process.send_signal(signal.SIGKILL)
                await gate.until_asked(2)
                gate.opened.set()
            assert all_have(answers, "lantern")
            assert cluster.execute("SELECT count(*) FROM sightline.pages", database) == [(1,)]


async def test_servers_go_on_after_the_database_was_restarted(tmp_path: Path, cluster: Cluster, database: str) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(URL, "# Guide\n\nlantern\n", content_type="text/markdown")
        site.page(f"{URL}/more", "# More\n\nharbour\n", content_type="text/markdown")
        with replica(tmp_path / "a", site, database) as one, replica(tmp_path / "b", site, database) as two:
            await read(one)
            cluster.stop()
            cluster.start()
            assert all_have([await read(two), await read(one)], "lantern")
            assert asked_for(site) == 1
            assert all_have([await read(two, f"{URL}/more"), await read(one, f"{URL}/more")], "harbour")
            assert asked_for(site, f"{URL}/more") == 1


async def test_without_the_database_the_web_answers_with_a_warning_until_it_is_back(
    tmp_path: Path, cluster: Cluster, database: str
) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(URL, "# Guide\n\nlantern\n", content_type="text/markdown")
        with replica(tmp_path / "a", site, database) as one:
            assert "shared_cache_away" not in kinds(await read(one))
            cluster.stop()
            try:
                away = await read(one)
                searched = await anyio.to_thread.run_sync(lambda: one.call("search_docs", query="turn widget"))
            finally:
                cluster.start()
            assert all_have([away], "lantern")
            assert asked_for(site) == 2
            assert "shared_cache_away" in kinds(away)
            assert "shared_cache_away" in kinds(searched["structuredContent"])

            async def is_back() -> bool:
                return "shared_cache_away" not in kinds(await read(one))

            await until(is_back)
            assert all_have([await read(one)], "lantern")
