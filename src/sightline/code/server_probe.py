"""Whether a server that is on the PATH really answers: it is started in an empty folder, greeted, and ended.

A program on the PATH proves nothing: it may be a placeholder, lack its runtime, or be too old.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread

from sightline.code.language_servers import LanguageServers
from sightline.code.launching import launch_of
from sightline.code.served import Served
from sightline.config.schema import CodeSettings
from sightline.errors import ToolFailure
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.session import Launch, Session
from sightline.redaction import redacted

_START_S = 20.0
_END_S = 5.0
_AT_ONCE = 2

Installed = Literal["answers", "found", "fails", "missing"]


@dataclass(frozen=True, slots=True)
class Probe:
    """What is known of a server's program; `found` is on the PATH, and not asked yet."""

    installed: Installed
    version: str | None = None
    reason: str | None = None


async def look_for_all(specs: Sequence[ServerSpec], servers: LanguageServers) -> list[Probe]:
    """What can be said without starting anything: a running session has answered.

    Every folder of the PATH is looked into for every server, so that is done in a thread.
    """
    sessions = [(key.server_id, each.session) for key, each in servers.pool.workspaces().items()]
    running = {name: Probe("answers", session.version) for name, session in sessions if session.state == "running"}
    return await anyio.to_thread.run_sync(lambda: [running.get(spec.id) or _look_for(spec, servers) for spec in specs])


def _look_for(spec: ServerSpec, servers: LanguageServers) -> Probe:
    try:
        _launch(spec, servers, Path(tempfile.gettempdir()) / "nowhere")
    except ToolFailure:
        return Probe("missing")
    return Probe("found")


async def greet_all(specs: Sequence[ServerSpec], servers: LanguageServers) -> list[Probe]:
    """Every server that is found is started and greeted, a few at a time."""
    probes = await look_for_all(specs, servers)
    limit = anyio.Semaphore(_AT_ONCE)

    async def greet(index: int) -> None:
        async with limit:
            probes[index] = await _greet(specs[index], servers)

    async with anyio.create_task_group() as tasks:
        for index, probe in enumerate(probes):
            if probe.installed == "found":
                tasks.start_soon(greet, index)
    return probes


async def _greet(spec: ServerSpec, servers: LanguageServers) -> Probe:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session = Session(_launch(spec, servers, folder), servers.children)
        answered = False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.run)
            with anyio.move_on_after(_START_S):
                await session.started.wait()
            answered = session.state == "running"
            session.stop()
            with anyio.move_on_after(_END_S):
                await session.finished.wait()
            tasks.cancel_scope.cancel()
    if answered:
        return Probe("answers", session.version)
    reason = session.ended_because or f"no answer within {_START_S:.0f} s"
    return Probe("fails", session.version, redacted(reason, folder))


def _launch(spec: ServerSpec, servers: LanguageServers, folder: Path) -> Launch:
    """In an empty folder there is no project whose code could be run, so nobody's consent is needed."""
    settings: CodeSettings = replace(servers.settings, run_project_code=True, start_timeout_s=_START_S)
    return launch_of(Served(spec, folder, folder), settings, servers.variables, servers.cache)
