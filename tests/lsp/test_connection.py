"""JSON-RPC by itself: no process, only what is sent and what is received."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from sightline.lsp.connection import (
    METHOD_NOT_FOUND,
    Connection,
    ConnectionClosed,
    ErrorResponse,
    NotificationHandler,
    RequestHandler,
    RequestTimedOut,
)

pytestmark = pytest.mark.anyio

LONG_S = 20.0
SHORT_S = 0.01


class Wire:
    """The other end: keeps what was sent, and lets a test wait for it."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._more = anyio.Event()

    async def send(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))
        self._more.set()
        self._more = anyio.Event()

    async def wait_for(self, count: int) -> None:
        while len(self.sent) < count:
            await self._more.wait()


def connect(
    wire: Wire,
    on_request: dict[str, RequestHandler] | None = None,
    on_notification: dict[str, NotificationHandler] | None = None,
) -> Connection:
    return Connection(wire.send, on_request or {}, on_notification or {})


async def test_answers_find_their_requests_in_whatever_order_they_come() -> None:
    wire = Wire()
    connection = connect(wire)
    results: dict[str, Any] = {}

    async def ask(method: str) -> None:
        results[method] = await connection.request(method, {"of": method}, LONG_S)

    async with anyio.create_task_group() as tasks:
        for method in ("first", "second", "third"):
            tasks.start_soon(ask, method)
        await wire.wait_for(3)
        for message in reversed(wire.sent):
            await connection.receive({"jsonrpc": "2.0", "id": message["id"], "result": message["method"].upper()})

    assert results == {"first": "FIRST", "second": "SECOND", "third": "THIRD"}


async def test_an_error_answer_is_raised_with_its_code() -> None:
    wire = Wire()
    connection = connect(wire)

    async with anyio.create_task_group() as tasks:

        async def ask() -> None:
            with pytest.raises(ErrorResponse, match="not now") as caught:
                await connection.request("hover", None, LONG_S)
            assert caught.value.code == -32801

        tasks.start_soon(ask)
        await wire.wait_for(1)
        await connection.receive({"id": wire.sent[0]["id"], "error": {"code": -32801, "message": "not now"}})


async def test_everything_that_waits_fails_at_once_when_the_stream_ends_and_nothing_is_sent_after() -> None:
    wire = Wire()
    connection = connect(wire)
    reasons: list[str] = []

    async def ask() -> None:
        with pytest.raises(ConnectionClosed) as caught:
            await connection.request("slow", None, LONG_S)
        reasons.append(str(caught.value))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(ask)
        await wire.wait_for(5)
        connection.close("it died")
        connection.close("a later reason")

    assert reasons == ["it died"] * 5
    with pytest.raises(ConnectionClosed, match="it died"):
        await connection.request("more", None, LONG_S)
    with pytest.raises(ConnectionClosed, match="it died"):
        await connection.notify("more", None)
    assert len(wire.sent) == 5


async def test_a_request_past_its_deadline_is_cancelled_at_the_server_and_a_late_answer_is_dropped() -> None:
    wire = Wire()
    connection = connect(wire)

    with pytest.raises(RequestTimedOut, match=r"`slow` within 0\.01 s"):
        await connection.request("slow", None, SHORT_S)
    await connection.receive({"id": wire.sent[0]["id"], "result": "late"})

    assert [message["method"] for message in wire.sent] == ["slow", "$/cancelRequest"]
    assert wire.sent[1]["params"] == {"id": wire.sent[0]["id"]}


async def test_a_caller_that_is_cancelled_cancels_its_request_at_the_server() -> None:
    wire = Wire()
    connection = connect(wire)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.request, "slow", None, LONG_S)
        await wire.wait_for(1)
        tasks.cancel_scope.cancel()

    assert wire.sent[1] == {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": wire.sent[0]["id"]}}


async def test_a_request_that_was_answered_is_not_cancelled() -> None:
    wire = Wire()
    connection = connect(wire)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.request, "quick", None, LONG_S)
        await wire.wait_for(1)
        await connection.receive({"id": wire.sent[0]["id"], "result": None})

    assert [message["method"] for message in wire.sent] == ["quick"]


@pytest.mark.parametrize("request_id", [0, 1, 99, "1", "a-uuid"])
async def test_a_request_of_the_server_is_answered_under_its_own_id_even_if_it_equals_ours(
    request_id: int | str,
) -> None:
    wire = Wire()
    connection = connect(wire, {"double": lambda params: params * 2})
    results: list[Any] = []

    async def ask() -> None:
        results.append(await connection.request("ours", None, LONG_S))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await wire.wait_for(1)
        await connection.receive({"jsonrpc": "2.0", "id": request_id, "method": "double", "params": 21})
        assert not results
        await connection.receive({"jsonrpc": "2.0", "id": wire.sent[0]["id"], "result": "answer"})

    assert wire.sent[1] == {"jsonrpc": "2.0", "id": request_id, "result": 42}
    assert results == ["answer"]


async def test_a_request_that_nobody_handles_is_answered_with_method_not_found() -> None:
    wire = Wire()
    connection = connect(wire)

    await connection.receive({"jsonrpc": "2.0", "id": "x", "method": "window/dance", "params": {}})

    assert wire.sent[0]["id"] == "x"
    assert wire.sent[0]["error"]["code"] == METHOD_NOT_FOUND
    assert "window/dance" in wire.sent[0]["error"]["message"]


async def test_notifications_reach_their_handler_and_others_are_dropped() -> None:
    heard: list[Any] = []
    connection = connect(Wire(), on_notification={"log": heard.append})

    await connection.receive({"method": "log", "params": {"message": "a"}})
    await connection.receive({"method": "unknown", "params": {}})
    await connection.receive({"method": "log"})

    assert heard == [{"message": "a"}, None]


@pytest.mark.parametrize(
    "message", [None, 1, "text", [], [{"id": 1}], {}, {"id": None}, {"id": 99, "result": 1}, {"id": "1", "result": 1}]
)
async def test_messages_of_no_known_form_are_dropped(message: Any) -> None:
    wire = Wire()
    connection = connect(wire)

    await connection.receive(message)

    assert wire.sent == []


@pytest.mark.parametrize("request_id", [[1], {"a": 1}])
async def test_an_answer_under_an_id_that_cannot_be_one_is_dropped(request_id: Any) -> None:
    wire = Wire()

    await connect(wire).receive({"id": request_id, "result": 1})

    assert wire.sent == []


async def test_a_handler_that_chokes_on_its_params_is_answered_with_an_error_and_the_conversation_goes_on() -> None:
    wire = Wire()
    connection = connect(wire, {"double": lambda params: params["missing"]})

    await connection.receive({"jsonrpc": "2.0", "id": 5, "method": "double", "params": {}})

    assert wire.sent[0]["id"] == 5
    assert "error" in wire.sent[0]


@pytest.mark.parametrize("error", ["text", ["list"], {"code": "E1", "message": None}, {"code": None}])
async def test_a_malformed_error_answer_is_still_an_error_response(error: Any) -> None:
    wire = Wire()
    connection = connect(wire)

    async def ask() -> None:
        with pytest.raises(ErrorResponse):
            await connection.request("hover", None, LONG_S)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await wire.wait_for(1)
        await connection.receive({"id": wire.sent[0]["id"], "error": error})
