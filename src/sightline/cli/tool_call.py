"""One tool called from the command line, in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from sightline.answers import Answer
from sightline.cli.log_setup import logging_by
from sightline.config.loading import LoadedSettings
from sightline.places import standard_places

EXIT_FAILED = 3


def call_tool(name: str, arguments: Mapping[str, Any], root: Path, loaded: LoadedSettings) -> Answer:
    """The tool's answer; Ctrl-C ends the work and its children."""
    import anyio

    from sightline.app import open_app

    places = standard_places()

    async def run() -> Answer:
        async with open_app(root, loaded, environment=os.environ, home=Path.home(), places=places) as app:
            return await app.boundary.call(name, arguments, _progress)

    level = "WARNING" if loaded.values.logging.mode == "stderr" else None
    with logging_by(loaded.values.logging, level=level):
        return anyio.run(run)


async def _progress(done: float, total: float | None = None, message: str | None = None) -> None:
    if message and sys.stderr.isatty():
        click.echo(f"\r\033[K{message}\r", nl=False, err=True)
