"""What is told to the server is told once and taken in, or the session is not used any more."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from sightline.file_changes import Changes, FileChanges, TreeFilter
from sightline.lsp.connection import ConnectionClosed
from sightline.lsp.session import Session
from sightline.lsp.uris import uri_of
from sightline.lsp.workspace import NeverReady, NotReady, Outdated
from tests.lsp.fake_sessions import LONG_S, launch_fake, received_by, running_session, workspace_over

pytestmark = pytest.mark.anyio


def which() -> TreeFilter:
    return TreeFilter(
        is_source=lambda name: name.endswith(".py") or name == "fake.toml", is_skipped=lambda entry: False
    )


async def told(session: Session) -> list[dict[str, Any]]:
    """The changes that the server was told of."""
    messages = [message for message in await received_by(session) if "method" in message]
    notices = [message for message in messages if message["method"] == "workspace/didChangeWatchedFiles"]
    return [change for notice in notices for change in notice["params"]["changes"]]


class InterruptedLook(FileChanges):
    """A look during which the caller loses interest, once."""

    scope: anyio.CancelScope | None = None

    def look(self) -> Changes:
        seen = super().look()
        if self.scope and seen:
            self.scope.cancel()
            self.scope = None
        return seen


async def test_each_change_is_told_once_and_before_the_question(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("1")
    (tmp_path / "gone.py").write_text("1")
    async with running_session(launch_fake(tmp_path)) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            (tmp_path / "old.py").write_text("2")
            (tmp_path / "gone.py").unlink()
            (tmp_path / "new.py").write_text("1")
            await workspace.ask("question", {}, ready_within_s=LONG_S)
            await workspace.ask("question", {}, ready_within_s=LONG_S)

            kinds = {change["uri"]: change["type"] for change in await told(session)}
            assert kinds == {
                uri_of(tmp_path / "gone.py"): 3,
                uri_of(tmp_path / "new.py"): 1,
                uri_of(tmp_path / "old.py"): 2,
            }
            assert len(await told(session)) == 3


async def test_a_session_is_not_used_any_more_when_the_caller_that_saw_a_change_is_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    async with running_session(launch_fake(tmp_path)) as session:
        with closing(InterruptedLook(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            (tmp_path / "a.py").write_text("2")
            with anyio.CancelScope() as scope:
                files.scope = scope
                await workspace.sync(LONG_S)
            assert scope.cancelled_caught

            with pytest.raises(Outdated):
                await workspace.sync(LONG_S)


async def test_a_changed_configuration_is_refused_until_the_session_is_replaced(tmp_path: Path) -> None:
    """Whoever comes first may be a task in the background, whose refusal nobody hears."""
    async with running_session(launch_fake(tmp_path)) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            (tmp_path / "fake.toml").write_text("x = 1")

            for _ in range(2):
                with pytest.raises(Outdated):
                    await workspace.sync(LONG_S)


async def test_a_server_that_never_announces_its_project_is_not_ready(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--never-ready")) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()

            for _ in range(2):
                with pytest.raises(NotReady):
                    await workspace.ask("question", {}, ready_within_s=0.01)
            assert "question" not in [message.get("method") for message in await received_by(session)]


async def test_a_late_announcement_is_not_taken_for_that_of_a_later_event(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--late-s", "1.3")) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            (tmp_path / "new.py").touch()
            await workspace.sync(LONG_S)

            assert session.readiness.count == 2
            assert "workspace/didChangeConfiguration" not in await methods_told(session)


async def test_a_file_that_the_server_does_not_list_is_forced_upon_it(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--silent")) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            (tmp_path / "new.py").touch()
            await workspace.sync(LONG_S)

            assert session.readiness.count == 2
            assert "workspace/didChangeConfiguration" in await methods_told(session)


async def test_a_server_that_was_too_slow_with_a_change_is_not_asked_again(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--late-s", "2")) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            (tmp_path / "new.py").touch()

            with pytest.raises(NotReady):
                await workspace.sync(0.1)
            with pytest.raises(Outdated):
                await workspace.sync(LONG_S)


async def test_a_server_that_dies_while_its_announcement_is_awaited_is_lost_at_once(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path, "--never-ready")) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            started = anyio.current_time()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ended_by_itself, session)
                with pytest.raises(ConnectionClosed):
                    await workspace.sync(LONG_S)
            assert anyio.current_time() - started < LONG_S / 2


async def test_a_server_that_is_never_ready_in_the_time_of_a_start_is_told_apart(tmp_path: Path) -> None:
    launch = replace(launch_fake(tmp_path, "--never-ready"), start_timeout_s=0.5)
    async with running_session(launch) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()

            with pytest.raises(NeverReady):
                await workspace.sync(1.0)


async def ended_by_itself(session: Session) -> None:
    with pytest.raises(ConnectionClosed):
        await session.request("fake/exit", None)


async def methods_told(session: Session) -> list[str]:
    return [message["method"] for message in await received_by(session) if "method" in message]


async def test_many_changes_at_once_are_all_told(tmp_path: Path) -> None:
    async with running_session(launch_fake(tmp_path)) as session:
        with closing(FileChanges(tmp_path, which())) as files:
            workspace = workspace_over(session, files)
            await workspace.outside.open()
            for number in range(1200):
                (tmp_path / f"f{number}.py").touch()
            await workspace.sync(LONG_S)

            assert {change["uri"] for change in await told(session)} == {
                uri_of(tmp_path / f"f{number}.py") for number in range(1200)
            }
