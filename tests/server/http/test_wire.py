"""Bytes on the wire: requests that can be read in two ways, and clients that take their time."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.abc
import h11
import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from sightline.server.http.wire import LARGEST_HEAD, WireLimits, require_plain_head, wire_with
from tests.conftest import EXAMPLES
from tests.support.http_service import HttpServer, received, serving_http, until

SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PLAIN = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[HttpServer]:
    """Patience is short, so that the tests are."""
    home = tmp_path_factory.mktemp("home")
    flags = ("--set", "server.receive_timeout_s=1", "--set", "server.max_connections=40")
    with serving_http(EXAMPLES / "shop", *flags, home=home) as started:
        yield started


@pytest.fixture(autouse=True)
def still_serves(server: HttpServer) -> Generator[None]:
    yield
    until(server.is_serving)


@pytest.mark.parametrize(
    "request_bytes",
    [
        pytest.param(POST + b"Content-Length: 4\r\nContent-Length: 40\r\n\r\nabcd" + SMUGGLED, id="two lengths"),
        pytest.param(POST + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd" + SMUGGLED, id="one length twice"),
        pytest.param(POST + b"Content-Length: 4, 4\r\n\r\nabcd" + SMUGGLED, id="a list of lengths"),
        pytest.param(POST + b"Content-Length: +4\r\n\r\nabcd" + SMUGGLED, id="a signed length"),
        pytest.param(POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, id="CL.TE"),
        pytest.param(POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SMUGGLED, id="TE.CL"),
        pytest.param(
            POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n" + SMUGGLED, id="TE.TE"
        ),
        pytest.param(
            POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, id="chunks in 1.0"
        ),
        pytest.param(POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED, id="an unknown encoding"),
        pytest.param(POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, id="space before the colon"),
        pytest.param(POST + b"X-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n", id="folded header"),
        pytest.param(POST + b"Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n" + SMUGGLED, id="folded encoding"),
        pytest.param(b" " + POST + b"\r\n", id="space before the method"),
        pytest.param(HEALTH.replace(b"\r\n", b"\n"), id="bare line feeds"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n", id="one bare line feed"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n", id="two hosts"),
        pytest.param(b"GET /healthz HTTP/1.1\r\n\r\n", id="no host"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", id="NUL in a header"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n", id="CR in a header"),
        pytest.param(b"GET /heal thz HTTP/1.1\r\nHost: localhost\r\n\r\n", id="space in the path"),
        pytest.param(b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n", id="unknown version"),
        pytest.param(b"GET /healthz\r\n\r\n", id="no version"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", id="TLS"),
        pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="HTTP/2"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * LARGEST_HEAD, id="large head"),
        pytest.param(
            HEALTH.replace(b"\r\n\r\n", b"\r\nX: " + b"y" * LARGEST_HEAD + b"\r\n\r\n"), id="large head in one piece"
        ),
    ],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused_whole(request_bytes: bytes, server: HttpServer) -> None:
    answer = server.raw(request_bytes)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert answer.count(b"HTTP/1.1 ") == 1, "what follows is not taken for another request"


def test_requests_one_after_the_other_are_each_judged(server: HttpServer) -> None:
    plain = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = server.raw(plain + POST + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd" + SMUGGLED)
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"400"]


def test_plain_heads_pass() -> None:
    require_plain_head(b"\r\nGET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
    require_plain_head(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    with pytest.raises(h11.RemoteProtocolError, match="folded"):
        require_plain_head(b"GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n")


@pytest.mark.parametrize("said", [b"", b"POST", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_a_head_that_does_not_come_is_not_waited_for(said: bytes, server: HttpServer) -> None:
    with server.connect() as wire:
        wire.sendall(said)
        assert received(wire).startswith(b"HTTP/1.1 408 ")


def test_a_head_that_drips_is_not_waited_for_either(server: HttpServer) -> None:
    """Each byte is in time; all of them together are not."""
    with server.connect() as wire:
        wire.settimeout(0.02)
        wire.sendall(b"GET /healthz HTTP/1.1\r\nX-Drip: ")
        answer = _answer_while_dripping(wire)
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_head_that_begins_behind_another_request_is_not_waited_for_either(server: HttpServer) -> None:
    with server.connect() as wire:
        wire.sendall(HEALTH.replace(b"Connection: close\r\n", b"") + b"GET /heal")
        assert re.findall(rb"HTTP/1.1 (\d+)", received(wire)) == [b"200", b"408"]


def test_a_body_that_turns_out_to_be_none_after_the_answer_is_no_failure_of_ours(server: HttpServer) -> None:
    with server.connect() as wire:
        wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        answer = wire.recv(65_536)
        wire.sendall(b"not a chunk\r\n")
        assert re.findall(rb"HTTP/1.1 (\d+)", answer + received(wire)) == [b"200"]
    assert not [line for line in server.logs.log_lines() if b"Traceback" in line]


def test_a_body_that_drips_is_not_waited_for(server: HttpServer) -> None:
    head = POST + b"Content-Length: 10000\r\nAccept: application/json, text/event-stream\r\n"
    with server.connect() as wire:
        wire.settimeout(0.02)
        wire.sendall(head + b"MCP-Protocol-Version: 2026-07-28\r\n\r\n")
        answer = _answer_while_dripping(wire)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answer


def test_the_body_of_a_refused_request_is_not_waited_for(server: HttpServer) -> None:
    with server.connect() as wire:
        wire.settimeout(0.02)
        wire.sendall(b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n")
        assert _answer_while_dripping(wire).startswith(b"HTTP/1.1 404 ")


def test_a_body_that_nobody_reads_is_not_waited_for(server: HttpServer) -> None:
    """The answer does not depend on the body, so it comes at once; then the rest may not drip for ever."""
    with server.connect() as wire:
        wire.settimeout(0.02)
        wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        assert _answer_while_dripping(wire).startswith(b"HTTP/1.1 200 ")
        with pytest.raises(ConnectionError):
            _drip_until_cut_off(wire)


@pytest.mark.parametrize("path", [b"/mcp", b"/dashboard/visit"])
def test_a_client_that_goes_in_the_midst_of_its_body_is_counted_and_no_failure(path: bytes, server: HttpServer) -> None:
    before = _gone(server)
    with server.connect() as wire:
        accept = b"Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{"
        wire.sendall(POST.replace(b"/mcp", path) + accept)
    until(lambda: _gone(server) == before + 1)
    assert not [line for line in server.logs.log_lines() if b"Traceback" in line]


def _gone(server: HttpServer) -> int:
    found = re.search(r'reason="gone"\} (\d+)', server.get("/metrics").text)
    return int(found[1]) if found else 0


def test_many_slow_clients_do_not_keep_others_out(server: HttpServer) -> None:
    slow = [server.connect() for _ in range(30)]
    for wire in slow:
        wire.sendall(b"POST /mcp HTTP/1.1\r\n")
    assert server.raw(HEALTH).startswith(b"HTTP/1.1 200 ")
    for wire in slow:
        wire.close()


def test_connections_are_limited_and_the_next_one_is_told(server: HttpServer) -> None:
    held = [server.connect() for _ in range(60)]
    answers = [received(wire) for wire in held]
    for wire in held:
        wire.close()
    assert {answer[9:12] for answer in answers} == {b"408", b"503"}
    assert sum(answer[9:12] == b"408" for answer in answers) <= 40


def test_a_client_that_does_not_read_is_cut_off(server: HttpServer) -> None:
    """Many requests in a row and no answer read: what cannot be sent is not kept for ever."""
    with server.connect() as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.settimeout(0.5)
        with pytest.raises(ConnectionError):
            _ask_until_cut_off(wire)


def _ask_until_cut_off(wire: socket.socket) -> None:
    while True:
        try:
            wire.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
        except TimeoutError:
            continue


def _drip_until_cut_off(wire: socket.socket) -> None:
    while True:
        wire.sendall(b"x")
        with suppress(TimeoutError):
            wire.recv(65_536)


def _answer_while_dripping(wire: socket.socket) -> bytes:
    """Send a byte whenever the server said nothing for a moment."""
    answer = b""
    try:
        while not answer:
            wire.sendall(b"x")
            try:
                answer = wire.recv(65_536)
            except TimeoutError:
                continue
    except (BrokenPipeError, ConnectionResetError):
        pass
    return answer


@pytest.mark.anyio
async def test_an_answer_does_not_wait_for_the_acknowledgement_of_its_head() -> None:
    """The socket of each connection sends at once; without that every answer takes 40 ms."""
    async with _served() as (server, client):
        await client.send(PLAIN)
        await client.receive()
        (connection,) = server.server_state.connections
        wire = connection.transport.get_extra_info("socket")
        assert wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.anyio
async def test_what_was_sent_before_the_end_is_answered_though_it_was_not_read_yet() -> None:
    async with _served() as (server, client):
        await client.send(PLAIN)
        assert (await client.receive()).startswith(b"HTTP/1.1 200 ")
        (connection,) = server.server_state.connections
        os.write(client.extra(anyio.abc.SocketAttribute.raw_socket).fileno(), PLAIN)
        connection.shutdown()
        assert (await client.receive()).startswith(b"HTTP/1.1 200 ")
        with pytest.raises(anyio.EndOfStream):
            await client.receive()


@asynccontextmanager
async def _served() -> AsyncGenerator[tuple[uvicorn.Server, anyio.abc.SocketStream]]:
    """A server of this process, and a client that is connected to it."""
    server = uvicorn.Server(
        uvicorn.Config(
            PlainTextResponse("ok"),
            http=wire_with(WireLimits(timeout_s=10, most_connections=10, note_refusal=lambda _: None)),
            log_config=None,
            lifespan="off",
        )
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            with anyio.fail_after(20):
                async with await anyio.connect_tcp(*listening.getsockname()) as client:
                    yield server, client
            server.should_exit = True
