"""The end of a service: soon, in order, and with nothing left behind."""

from __future__ import annotations

import shutil
import signal
import threading
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.support.http_service import HttpServer, modern_call, modern_headers, serving_http
from tests.support.wire import seconds_until_gone

SOON_S = 6.0


def _family(server: HttpServer) -> list[int]:
    process = psutil.Process(server.process.pid)
    return [process.pid, *(each.pid for each in process.children(recursive=True))]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_service_ends_and_leaves_no_process(number: signal.Signals, shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, home=tmp_path) as server:
        server.call("check_types", {"path": "."})
        family = _family(server)
        assert len(family) >= 3  # the service, node, and the guard
        server.process.send_signal(number)
        seconds_until_gone(family, SOON_S)
        assert server.process.wait(timeout=1) == 0
        assert server.logs.wait_for_log("server ended")["calls"] == 1


def test_a_running_call_and_open_streams_do_not_delay_the_end(shop: Path, tmp_path: Path) -> None:
    """A check that takes longer than the grace, a stream of each era that never ends by itself."""
    for number in range(8):
        shutil.copytree(Path(psutil.__file__).parent, shop / "shop" / f"large{number}")
    with serving_http(shop, home=tmp_path) as server:
        answers: list[int] = []
        calling = threading.Thread(target=_call, args=(server, answers))
        calling.start()
        while "--pythonversion" not in server.logs.wait_for_log("child started")["command"]:
            pass
        session = _open_session(server)
        with server.client.stream("GET", server.mcp, headers=session) as stream:
            assert stream.status_code == 200
            family = _family(server)
            server.process.terminate()
            seconds_until_gone(family, SOON_S)
        calling.join(timeout=10)
        assert not calling.is_alive()
        assert server.process.wait(timeout=1) == 0
        assert server.logs.wait_for_log("server ended")
    assert answers == [503]


def test_a_call_that_ends_within_the_grace_is_answered(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, "--set", "server.shutdown_grace_s=60", home=tmp_path) as server:
        answers: list[int] = []
        calling = threading.Thread(target=_call, args=(server, answers))
        calling.start()
        while "--pythonversion" not in server.logs.wait_for_log("child started")["command"]:
            pass
        server.process.terminate()
        calling.join(timeout=60)
        assert server.process.wait(timeout=10) == 0
    assert answers == [200]


def test_when_it_is_killed_its_children_end_too(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, home=tmp_path) as server:
        server.call("check_types", {"path": "."})
        family = _family(server)
        server.process.kill()
        seconds_until_gone(family, SOON_S)


def _call(server: HttpServer, answers: list[int]) -> None:
    chosen = {"path": ".", "python_version": "3.12"}
    with httpx2.Client(timeout=60, verify=False) as client:
        headers = {name.replace("_", "-"): value for name, value in modern_headers("check_types").items()}
        headers |= {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        answer = client.post(server.mcp, content=modern_call("check_types", chosen), headers=headers)
        answers.append(answer.status_code)


def _open_session(server: HttpServer) -> dict[str, str]:
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
        b'"capabilities":{},"clientInfo":{"name":"x","version":"0"}}}'
    )
    session = server.post(body).headers["mcp-session-id"]
    server.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', mcp_session_id=session)
    return {"mcp-session-id": session, "accept": "text/event-stream"}
