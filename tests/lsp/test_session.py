"""A session with a real process, the scripted server: its start, its requests, its faults and its end."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from sightline.children import Children
from sightline.lsp.connection import METHOD_NOT_FOUND, ConnectionClosed, ErrorResponse, RequestTimedOut
from sightline.lsp.session import Launch, Session
from sightline.lsp.uris import uri_of
from tests.lsp.fake_sessions import FAKE_SPEC, LONG_S, is_running, launch_fake, received_by, running_session
from tests.support.fake_server import VERSION

pytestmark = pytest.mark.anyio


async def ask_client(session: Session, method: str, params: Any, request_id: int | str = "s1") -> dict[str, Any]:
    """Let the server ask us something; our answer."""
    return await session.request("fake/ask", {"id": request_id, "method": method, "params": params})


async def test_a_session_shakes_hands_and_learns_what_the_server_is(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path)) as session:
        received = await received_by(session)

        assert [message["method"] for message in received] == ["initialize", "initialized", "fake/received"]
        assert received[0]["params"]["processId"] == os.getpid()
        assert received[0]["params"]["workspaceFolders"] == [{"uri": uri_of(tmp_path), "name": tmp_path.name}]
        assert (session.state, session.version) == ("running", VERSION)
        assert session.supports("textDocument/hover", "hoverProvider")
        assert not session.supports("textDocument/definition", "definitionProvider")
        assert await session.readiness.wait_past(0, LONG_S)


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
async def test_pending_requests_fail_at_once_when_the_process_dies(tmp_path: Path, kill: signal.Signals) -> None:
    async with running_session(launch_fake(tmp_path, "--never", "slow")) as session:
        failed: list[str] = []

        async def ask() -> None:
            with pytest.raises(ConnectionClosed) as caught:
                await session.request("slow", None)
            failed.append(str(caught.value))

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(ask)
            while sum(message["method"] == "slow" for message in await received_by(session)) < 3:
                pass
            assert session.pid
            os.kill(session.pid, kill)

        assert failed == ["its output ended"] * 3
        assert session.state == "ended"
        with pytest.raises(ConnectionClosed, match="its output ended"):
            await session.request("more", None)


async def test_a_crash_in_the_middle_of_a_request_is_told_to_its_caller(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--crash-after", "2")) as session:
        assert (await session.request("one", {"a": 1}))["params"] == {"a": 1}
        with pytest.raises(ConnectionClosed):
            await session.request("two", None)


async def test_a_request_past_its_own_deadline_is_cancelled_at_the_server_and_the_session_goes_on(
    tmp_path: Path,
) -> None:
    launch = launch_fake(tmp_path, "--never", "slow", request_timeouts={"slow": 0.05})
    async with running_session(launch) as session:
        with pytest.raises(RequestTimedOut, match="`slow`"):
            await session.request("slow", None)
        received = await received_by(session)

        slow = next(message for message in received if message["method"] == "slow")
        cancelled = [message["params"]["id"] for message in received if message["method"] == "$/cancelRequest"]
        assert cancelled == [slow["id"]]


async def test_a_caller_that_is_cancelled_cancels_its_request_at_the_server(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--never", "slow")) as session:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.request, "slow", None)
            while "slow" not in [message["method"] for message in await received_by(session)]:
                pass
            tasks.cancel_scope.cancel()

        assert "$/cancelRequest" in [message["method"] for message in await received_by(session)]


async def test_an_error_answer_is_an_error_and_a_slow_answer_is_an_answer(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--error", "bad", "--slow", "late")) as session:
        with pytest.raises(ErrorResponse, match="no bad today"):
            await session.request("bad", None)
        assert (await session.request("late", None))["method"] == "late"


async def test_garbage_between_frames_does_no_harm(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--garbage")) as session:
        await session.request("fake/print", "Traceback (most recent call last):\n")
        answers = [await session.request("echo", {"number": number, "text": "模😀"}) for number in range(20)]

        assert [answer["params"]["number"] for answer in answers] == list(range(20))


async def test_a_huge_frame_ends_the_session_and_the_reason_says_so(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--huge-frame", max_message_mb=1)) as session:
        assert session.state == "ended"
        assert "999,999,999,999 bytes; the cap is 1,000,000" in (session.ended_because or "")


async def test_a_flood_on_stderr_blocks_nothing_and_its_end_is_kept(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--stderr-lines", "5000")) as session:
        assert (await session.request("echo", None))["method"] == "echo"
        while not session.stderr or not session.stderr[-1].startswith("complaint 4999"):
            await anyio.lowlevel.checkpoint()

        assert len(session.stderr) == 40
        assert session.stderr[0].startswith("complaint 4960: x")


async def test_configuration_is_answered_with_one_element_per_item(tmp_path: Path) -> None:
    settings = {"python": {"analysis": {"autoSearchPaths": True}}}
    async with running_session(launch_fake(tmp_path, settings=settings)) as session:
        items = [{"section": "python"}, {"section": "unknown", "scopeUri": "file:///x"}, {}]
        answer = await ask_client(session, "workspace/configuration", {"items": items})

        assert answer["result"] == [settings["python"], {}, {}]


async def test_edits_are_refused_and_unknown_requests_too_and_the_rest_is_acknowledged(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path)) as session:
        edit = await ask_client(session, "workspace/applyEdit", {"edit": {"changes": {}}})
        unknown = await ask_client(session, "window/dance", None, 0)
        folders = await ask_client(session, "workspace/workspaceFolders", None, 1)

        assert edit["result"]["applied"] is False
        assert (unknown["id"], unknown["error"]["code"]) == (0, METHOD_NOT_FOUND)
        assert folders["result"] == [{"uri": uri_of(tmp_path), "name": tmp_path.name}]
        for method in ("window/workDoneProgress/create", "workspace/diagnostic/refresh", "window/showMessageRequest"):
            assert (await ask_client(session, method, {}))["result"] is None


async def test_registrations_are_tracked_by_id(tmp_path: Path) -> None:
    """Pyright registers a method anew before it takes the older registration back."""
    method = "textDocument/diagnostic"
    async with running_session(launch_fake(tmp_path)) as session:
        assert not session.supports(method, "diagnosticProvider")
        for number in ("1", "2"):
            await ask_client(
                session, "client/registerCapability", {"registrations": [{"id": number, "method": method}]}
            )
        takeback = {"unregisterations": [{"id": "1", "method": method}]}
        await ask_client(session, "client/unregisterCapability", takeback)
        assert session.supports(method, "diagnosticProvider")
        await ask_client(session, "client/unregisterCapability", {"unregisterations": [{"id": "2", "method": method}]})
        assert not session.supports(method, "diagnosticProvider")


async def test_a_stop_is_orderly_and_leaves_no_process(tmp_path: Path) -> None:
    farewell = tmp_path / "farewell"
    async with running_session(launch_fake(tmp_path, "--farewell", str(farewell))) as session:
        pid = session.pid

    assert not is_running(pid)
    assert session.state == "ended"
    assert farewell.read_text().split()[-2:] == ["shutdown", "exit"]


async def test_a_server_that_ignores_shutdown_and_exit_is_killed(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--ignore-shutdown")) as session:
        pid = session.pid

    assert not is_running(pid)
    assert session.state == "ended"


async def test_a_session_whose_task_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    with Children() as children:
        session = Session(launch_fake(tmp_path, "--ignore-shutdown"), children)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.run)
            await session.started.wait()
            assert is_running(session.pid)
            tasks.cancel_scope.cancel()

        assert not is_running(session.pid)
        assert session.state == "ended"


async def test_a_server_that_dies_before_the_hand_shake_ends_the_session_with_what_it_said(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--die-at-start")) as session:
        assert session.state == "ended"
        assert "its stderr ends: cannot start today" in (session.ended_because or "")
        assert list(session.stderr) == ["cannot start today"]


async def test_a_server_that_refuses_the_hand_shake_ends_the_session(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--error", "initialize")) as session:
        assert session.state == "ended"
        assert session.ended_because == "no hand-shake: no initialize today"


async def test_a_command_that_does_not_exist_ends_the_session(tmp_path: Path) -> None:
    launch = Launch(
        spec=FAKE_SPEC,
        root=tmp_path,
        command=["/nowhere/server"],
        settings={},
        start_timeout_s=LONG_S,
        request_timeout_s=LONG_S,
    )
    async with running_session(launch) as session:
        assert session.state == "ended"
        assert "/nowhere/server" in (session.ended_because or "")
        with pytest.raises(ConnectionClosed):
            await session.request("echo", None)
