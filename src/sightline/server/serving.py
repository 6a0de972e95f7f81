"""Serving an application over stdio from the first byte to the last."""

from __future__ import annotations

from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server

from sightline.app import App
from sightline.server.announcing import log_end, log_start
from sightline.server.lifetime import stop_on_signal, stop_with_parent
from sightline.server.mcp_server import build_server
from sightline.server.stdio import IncomingLines, OutgoingLines, Outstanding, Wire

_LONGEST_SILENCE_S = 1.0


async def serve_stdio(app: App, wire: Wire) -> None:
    """Serve until the client closes its end, a signal arrives, or our parent dies."""
    server = build_server(app)
    outstanding = Outstanding()
    incoming = cast("Any", IncomingLines(wire.incoming, outstanding))
    outgoing = cast("Any", OutgoingLines(wire.outgoing, outstanding))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop_on_signal, tasks.cancel_scope)
        tasks.start_soon(stop_with_parent, tasks.cancel_scope)
        tasks.start_soon(_announce, app, outstanding)
        async with stdio_server(incoming, outgoing) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    log_end(app)


async def _announce(app: App, outstanding: Outstanding) -> None:
    """The first line of the log loads what writes it, and that takes longer than the first answer may."""
    try:
        with anyio.move_on_after(_LONGEST_SILENCE_S):
            await outstanding.first_answer.wait()
    finally:
        log_start(app, transport="stdio")
