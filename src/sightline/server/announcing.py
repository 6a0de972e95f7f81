"""The first and the last line of a server's log, whatever its transport."""

from __future__ import annotations

import logging
import platform
from importlib.metadata import version
from typing import Any

from sightline import __version__
from sightline.app import App

log = logging.getLogger(__name__)


def log_start(app: App, *, transport: str, **more: Any) -> None:
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
            "transport": transport,
            "root": str(app.boundary.root),
            "read_only": settings.server.read_only,
            "context": settings.server.context,
            "tools": [tool.name for tool in app.selection.offered],
            **more,
        },
    )


def log_end(app: App) -> None:
    log.info("server ended", extra={"calls": app.metrics.call_count, "errors": app.metrics.error_count})
