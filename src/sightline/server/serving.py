"""Serving an application over stdio from the first byte to the last."""

from __future__ import annotations

import logging
import platform
from importlib.metadata import version
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server

from sightline import __version__
from sightline.app import App
from sightline.server.lifetime import stop_on_signal, stop_with_parent
from sightline.server.mcp_server import build_server
from sightline.server.stdio import IncomingLines, OutgoingLines, Outstanding, Wire

log = logging.getLogger(__name__)


async def serve_stdio(app: App, wire: Wire) -> None:
    """Serve until the client closes its end, a signal arrives, or our parent dies."""
    _log_start(app)
    server = build_server(app)
    outstanding = Outstanding()
    incoming = cast("Any", IncomingLines(wire.incoming, outstanding))
    outgoing = cast("Any", OutgoingLines(wire.outgoing, outstanding))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop_on_signal, tasks.cancel_scope)
        tasks.start_soon(stop_with_parent, tasks.cancel_scope)
        async with stdio_server(incoming, outgoing) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    _log_end(app)


def _log_start(app: App) -> None:
    settings = app.settings.values
    for ignored in app.settings.ignored:
        log.warning("setting ignored", extra={"reason": ignored})
    log.info(
        "server started",
        extra={
            "version": __version__,
            "mcp": version("mcp"),
            "pyright": version("pyright"),
            "python": platform.python_version(),
            "transport": "stdio",
            "root": str(app.boundary.root),
            "read_only": settings.server.read_only,
            "context": settings.server.context,
            "tools": [tool.name for tool in app.selection.offered],
        },
    )


def _log_end(app: App) -> None:
    log.info("server ended", extra={"calls": app.metrics.call_count, "errors": app.metrics.error_count})
