"""The official client over a real socket, in both protocol eras: many clients, many projects, one process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import psutil
import pytest
from mcp import Client

from sightline.app import ALL_TOOLS
from tests.support.http_service import HttpServer, modern_call, modern_headers, serving_http, until
from tests.support.sample_environment import install_click
from tests.support.wire import DEADLINE_S, seconds_until_gone

pytestmark = pytest.mark.anyio

Era = Literal["auto", "legacy"]
ERAS: dict[Era, str] = {"auto": "2026-07-28", "legacy": "2025-11-25"}
both_eras = pytest.mark.parametrize("era", ERAS)


@both_eras
async def test_every_tool_answers(era: Era, shop: Path, tmp_path: Path) -> None:
    install_click(shop)
    with serving_http(shop, home=tmp_path) as server:
        async with Client(server.mcp, mode=era) as client:
            assert client.protocol_version == ERAS[era]
            assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in ALL_TOOLS]
            for tool in ALL_TOOLS:
                data = await _answer(client, tool.name, **tool.example)
                assert data["ok"] is True
                assert data["tool"] == tool.name


async def test_two_projects_and_two_eras_share_one_process(shop: Path, tmp_path: Path) -> None:
    other = _project(tmp_path / "other", "total: int = 'many'\n")
    with serving_http(shop, *_roots(shop, other), home=tmp_path) as server:
        async with Client(server.mcp) as modern, Client(server.mcp, mode="legacy") as legacy:
            here = await _answer(modern, "check_types", path=".")
            there = await _answer(legacy, "check_types", path=".", project=str(other))
            outside = await legacy.call_tool("check_types", {"path": ".", "project": str(tmp_path)})
        running = server.call("get_server_status")["statuses"]
    assert (here["root"], here["error_count"]) == (str(shop), 4)
    assert (there["root"], there["error_count"]) == (str(other), 1)
    assert _data(outside)["error"]["kind"] == "path_not_allowed"
    assert len(running) == 2


@both_eras
async def test_clients_of_one_project_share_its_language_server(era: Era, shop: Path, tmp_path: Path) -> None:
    answers: list[dict[str, Any]] = []

    async def ask() -> None:
        async with Client(server.mcp, mode=era) as client:
            answers.append(await _answer(client, "check_types", path="."))

    with serving_http(shop, home=tmp_path) as server:
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(ask)
        assert len(_language_servers(server)) == 1
        assert 'sightline_language_server_events_total{event="started"} 1' in server.get("/metrics").text
    assert [each["error_count"] for each in answers] == [4] * 4


async def test_what_one_client_checked_last_is_not_anothers(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, home=tmp_path) as server:
        async with Client(server.mcp, mode="legacy") as first, Client(server.mcp, mode="legacy") as second:
            await _answer(first, "check_types", path=".")
            mine = await _answer(first, "check_types", path=".", since="last")
            theirs = await _answer(second, "check_types", path=".", since="last")
        stateless = server.call("check_types", {"path": ".", "since": "last"})
    assert mine["unchanged_count"] == 4
    assert [each["kind"] for each in theirs["warnings"]] == ["no_baseline"]
    assert [each["kind"] for each in stateless["warnings"]] == ["no_baseline"]


async def test_closing_the_stream_cancels_the_call(shop: Path, tmp_path: Path) -> None:
    """By the stateless protocol; the check is long because it is by command, and the command must end with it."""
    shutil.copytree(Path(psutil.__file__).parent, shop / "shop" / "large")
    arguments = {"path": ".", "python_version": "3.12"}
    pids: list[int] = []
    with serving_http(shop, home=tmp_path) as server:
        headers = {name.replace("_", "-"): value for name, value in modern_headers("check_types").items()}
        headers |= {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient(timeout=DEADLINE_S) as client, anyio.create_task_group() as tasks:

            async def call() -> None:
                await client.post(server.mcp, content=modern_call("check_types", arguments), headers=headers)

            tasks.start_soon(call)
            pids.append(await anyio.to_thread.run_sync(_start_of_the_command, server))
            tasks.cancel_scope.cancel()
        await anyio.to_thread.run_sync(seconds_until_gone, pids)
        until(lambda: "sightline_calls_running 0" in server.get("/metrics").text)
        assert "sightline_call_errors_total{" not in server.get("/metrics").text, "it was cancelled, not answered"
        assert server.is_serving()


async def test_a_session_ends_when_it_is_unused(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, "--set", "server.session_idle_s=0.2", home=tmp_path) as server:
        opened = _initialize(server)
        assert opened.status_code == 200
        session = opened.headers["mcp-session-id"]
        body = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
        until(lambda: "sightline_sessions 0" in server.get("/metrics").text)
        assert server.post(body, mcp_session_id=session).status_code == 404


async def test_sessions_are_limited_and_ending_one_makes_room(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, "--set", "server.max_sessions=1", home=tmp_path) as server:
        session = _initialize(server).headers["mcp-session-id"]
        refused = _initialize(server)
        ended = server.client.delete(server.mcp, headers={"mcp-session-id": session})
        again = _initialize(server)
    assert (refused.status_code, ended.status_code, again.status_code) == (503, 200, 200)


async def test_a_stream_asked_for_by_an_event_that_we_never_sent_begins_anew(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, home=tmp_path) as server:
        session = _initialize(server).headers["mcp-session-id"]
        headers = {"accept": "text/event-stream", "mcp-session-id": session, "last-event-id": "7"}
        with server.client.stream("GET", server.mcp, headers=headers) as stream:
            assert (stream.status_code, stream.headers["content-type"]) == (200, "text/event-stream")


def _initialize(server: HttpServer) -> httpx2.Response:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "0"},
    }
    return server.post(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode())


def _start_of_the_command(server: HttpServer) -> int:
    while "--pythonversion" not in (started := server.logs.wait_for_log("child started"))["command"]:
        pass
    return started["pid"]


def _project(root: Path, source: str) -> Path:
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "other"\nversion = "0"\n')
    (root / "main.py").write_text(source)
    return root.resolve()


def _roots(*roots: Path) -> tuple[str, str]:
    return "--set", "server.allowed_roots=" + json.dumps([str(root) for root in roots])


def _language_servers(server: HttpServer) -> list[psutil.Process]:
    children = psutil.Process(server.process.pid).children(recursive=True)
    return [each for each in children if any("langserver" in word for word in each.cmdline())]


async def _answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return _data(await client.call_tool(tool, arguments))


def _data(result: Any) -> dict[str, Any]:
    assert result.structured_content is not None
    return result.structured_content
