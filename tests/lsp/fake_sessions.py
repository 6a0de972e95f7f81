"""Sessions with the scripted server, and what a test wants to know of their processes."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import psutil

from sightline.children import Children
from sightline.file_changes import FileChanges, TreeFilter
from sightline.lsp.outside import OutsideWatch
from sightline.lsp.server_spec import ReadySignal, ServerSpec
from sightline.lsp.session import Launch, Session
from sightline.lsp.workspace import Workspace
from tests.support import fake_server

LONG_S = 20.0

FAKE_SPEC = ServerSpec(
    id="fake",
    command=sys.executable,
    extensions=(".py",),
    languages=("python",),
    config_files=("fake.toml",),
    install="it is here",
    needs_open=False,
    sees_disk="all",
    ready=ReadySignal(kind="log", pattern="^Found", repeats=True),
)


def launch_fake(
    root: Path,
    *flags: str,
    request_timeout_s: float = LONG_S,
    request_timeouts: dict[str, float] | None = None,
    settings: dict[str, Any] | None = None,
    max_message_mb: int = 64,
) -> Launch:
    return Launch(
        spec=FAKE_SPEC,
        root=root,
        command=[sys.executable, "-S", fake_server.__file__, *flags],
        settings=settings or {},
        start_timeout_s=LONG_S,
        request_timeout_s=request_timeout_s,
        request_timeouts=request_timeouts or {},
        max_message_mb=max_message_mb,
    )


@asynccontextmanager
async def running_session(launch: Launch) -> AsyncGenerator[Session]:
    """A session that has started, or failed to; it is stopped and waited for at the end of the block."""
    with Children() as children:
        session = Session(launch, children)
        with anyio.fail_after(LONG_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(session.run)
                await session.started.wait()
                try:
                    yield session
                finally:
                    session.stop()


def workspace_over(session: Session, files: FileChanges) -> Workspace:
    """A workspace that depends on nothing outside its folder; what that would be is opened by its owner."""
    nothing = TreeFilter(is_source=lambda name: False, is_skipped=lambda entry: True)
    return Workspace(session, files, OutsideWatch([], nothing))


async def received_by(session: Session) -> list[dict[str, Any]]:
    """Every message that the server has got so far."""
    return await session.request("fake/received", None)


def is_running(pid: int | None) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE if pid else False
    except psutil.NoSuchProcess:
        return False
