"""Every way a client ends a server, each during a running check: no process is left, and soon."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.wire import SIGHTLINE, LineServer, environment_in, is_alive, seconds_until_gone, serving

SOON_S = 10.0


def _close_stdin(server: LineServer) -> None:
    assert server.process.stdin
    server.process.stdin.close()


def _send(number: signal.Signals) -> Callable[[LineServer], None]:
    return lambda server: server.process.send_signal(number)


WAYS: dict[str, Callable[[LineServer], None]] = {
    "eof": _close_stdin,
    "sigint": _send(signal.SIGINT),
    "sigterm": _send(signal.SIGTERM),
    "sigkill": _send(signal.SIGKILL),
}


BY_SERVER: dict[str, Any] = {"path": "."}
BY_COMMAND: dict[str, Any] = {"path": ".", "python_version": "3.12"}


@pytest.mark.parametrize("arguments", [BY_SERVER, BY_COMMAND], ids=["by server", "by command"])
@pytest.mark.parametrize("way", WAYS)
def test_it_ends_soon_and_leaves_no_process(way: str, arguments: Any, shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        pids = _processes_of_a_running_check(server, arguments)
        assert len(pids) >= 3  # the server, node, and the guard
        WAYS[way](server)
        seconds_until_gone(pids, SOON_S)
        if way != "sigkill":
            assert server.process.wait(timeout=1) == 0
            assert server.wait_for_log("server ended")


@pytest.mark.parametrize("way", ["eof", "sigint", "sigterm"])
def test_an_idle_server_ends_soon(way: str, shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        WAYS[way](server)
        assert server.process.wait(timeout=SOON_S) == 0


def test_it_ends_with_its_parent(shop: Path, tmp_path: Path) -> None:
    """The pipes stay open in this process, so only the parent's death can tell."""
    arguments = [str(SIGHTLINE), "serve", "--project", str(shop)]
    program = f"import subprocess, sys; child = subprocess.Popen({arguments!r}); child.wait()"
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_in(tmp_path),
    )
    server = LineServer(parent)
    server.shake_hands()
    pids = _processes_of_a_running_check(server, BY_SERVER)
    parent.kill()
    parent.wait()
    seconds_until_gone(pids, SOON_S)
    assert server.wait_for_log("stopping")["reason"] == "the parent process ended"
    _close_stdin(server)


def test_a_client_that_stops_reading_does_not_keep_it_alive(shop: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [str(SIGHTLINE), "serve", "--project", str(shop)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment_in(tmp_path),
    )
    assert process.stdin
    assert process.stdout
    line = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
    process.stdin.write(
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"x","version":"0"}}}\n'
    )
    process.stdin.write(b"".join(line % number for number in range(1, 200)))
    process.stdin.flush()
    assert process.stdout.readline().startswith(b'{"jsonrpc"')
    _until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_SLEEPING)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=SOON_S) == 0
    process.stdin.close()
    process.stdout.close()


def test_a_cancelled_call_stops_its_work_and_is_not_answered(shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        server.send("tools/call", {"name": "check_types", "arguments": BY_COMMAND}, request_id=77)
        node = int(server.wait_for_log("child started")["pid"])
        server.send("notifications/cancelled", {"requestId": 77, "reason": "no longer needed"})
        seconds_until_gone([node], SOON_S)
        assert server.call("check_types", path="shop/catalogue.py")["structuredContent"]["ok"]
        assert not [line for line in server.pending_lines() if b'"id":77' in line]


def _processes_of_a_running_check(server: LineServer, arguments: dict[str, Any]) -> list[int]:
    """Start a check; when its child runs, the server and all its descendants."""
    server.send("tools/call", {"name": "check_types", "arguments": arguments}, request_id=99)
    node = psutil.Process(int(server.wait_for_log("child started")["pid"]))
    parent = node.parent()
    assert parent
    family = [parent, *parent.children(recursive=True)]
    assert node in family
    return [each.pid for each in family if is_alive(each.pid)]


def _until(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came true")
