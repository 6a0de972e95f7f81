"""`sightline serve`: the tools over MCP, on stdio or over HTTP."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any, get_args

import click

from sightline.cli.bridge import bridge_settings
from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.config.loading import LoadedSettings
from sightline.config.presets import Mode
from sightline.config.schema import Context
from sightline.errors import SettingsError
from sightline.places import standard_places

# A full collection looks at everything that is known of every project, while all clients wait: with ten projects and a
# hundred clients the usual thresholds took a fifth of the time.
_SELDOM = (10_000, 20, 20)


def _names(_ctx: click.Context, _param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [name.strip() for name in value.split(",") if name.strip()]


@click.command("serve", help="Serve the tools to agents over MCP, on stdin and stdout or over HTTP.")
@project_option
@click.option("--toolsets", metavar="LIST", callback=_names, help="Groups of tools to offer: code,docs,sync.")
@click.option("--tools", metavar="LIST", callback=_names, help="Offer only these tools.")
@click.option("--exclude-tools", metavar="LIST", callback=_names, help="Tools not to offer.")
@click.option("--read-only/--read-write", default=None, help="Hide and refuse every write and server control.")
@click.option("--context", type=click.Choice(get_args(Context)), help="Preset for a client.")
@click.option("--mode", type=click.Choice(get_args(Mode)), help="Preset: read-only or writable code tools.")
@click.option(
    "--http/--stdio", "is_http", default=None, help="Serve many clients over HTTP, or one on stdin and stdout."
)
@click.option("--host", metavar="ADDRESS", help="With --http: where to listen; any but loopback needs a key.")
@click.option("--port", type=click.IntRange(0, 65535), help="With --http: the port; 0 for any free one.")
@click.option(
    "--generate-key", is_flag=True, help="With --http: need a key; it is made once, and the log names its file."
)
@click.option("--server", metavar="CMD", help='Serve one language server alone, e.g. "clangd --background-index".')
@click.option("--extension", "extensions", metavar="EXT", multiple=True, help="With --server: a file ending it serves.")
@click.option("--workspace", metavar="DIR", help="With --server: the same as --project.")
@settings_option
def command(
    project: str | None,
    toolsets: list[str] | None,
    tools: list[str] | None,
    exclude_tools: list[str] | None,
    read_only: bool | None,
    context: str | None,
    mode: str | None,
    is_http: bool | None,
    host: str | None,
    port: int | None,
    generate_key: bool,
    server: str | None,
    extensions: tuple[str, ...],
    workspace: str | None,
    assignments: tuple[str, ...],
) -> None:
    if workspace and project:
        raise SettingsError("--workspace and --project name the same thing", "give one of them")
    root = project_root(workspace or project)
    flags: dict[str, Any] = {
        "server.toolsets": toolsets,
        "server.tools": tools,
        "server.exclude_tools": exclude_tools,
        "server.read_only": read_only,
        "server.context": context,
        "server.transport": None if is_http is None else ("http" if is_http else "stdio"),
        "server.host": host,
        "server.port": port,
    }
    loaded = settings_for(root, assignments, flags, mode)
    if server is not None:
        flags |= bridge_settings(server, extensions, loaded.values.code)
        loaded = settings_for(root, assignments, flags, mode)
    elif extensions:
        raise SettingsError("--extension is for --server", "name the language server too")
    if loaded.values.server.transport == "http":
        serve_over_http(root, loaded, may_generate_key=generate_key)
    elif generate_key or host is not None or port is not None:
        raise SettingsError("--host, --port and --generate-key are for --http", "add --http")
    else:
        serve(root, loaded)


def serve(root: Path, loaded: LoadedSettings) -> None:
    """Serve a project on stdio. The descriptors are claimed before anything else can print."""
    from sightline.server.stdio import claim_stdio

    wire = claim_stdio()
    gc.disable()  # thousands of classes are made now and kept: collecting in between only costs time

    import anyio

    from sightline.app import open_app
    from sightline.cli.log_setup import logging_by
    from sightline.server.serving import serve_stdio

    places = standard_places()

    async def run() -> None:
        async with open_app(root, loaded, environment=os.environ, home=Path.home(), places=places) as app:
            gc.freeze()
            gc.enable()
            await serve_stdio(app, wire)

    with logging_by(loaded.values.logging):
        anyio.run(run)


def serve_over_http(root: Path, loaded: LoadedSettings, *, may_generate_key: bool) -> None:
    """Serve many clients and projects over HTTP. The key leaves the environment: no child is to inherit it."""
    gc.disable()  # as for stdio

    import anyio

    from sightline.app import open_app
    from sightline.cli.log_setup import logging_by
    from sightline.server.dashboard.opening import open_dashboard
    from sightline.server.http.entrance import Entrance, open_entrance
    from sightline.server.http.keys import VARIABLE
    from sightline.server.http.serving import serve_http
    from sightline.server.telemetry import Exporting, exporting

    places = standard_places()

    async def run(entrance: Entrance, telemetry: Exporting) -> None:
        async with open_app(
            root, loaded, environment=os.environ, home=Path.home(), places=places, is_long_lived=True
        ) as app:
            gc.freeze()
            gc.enable()
            gc.set_threshold(*_SELDOM)
            telemetry.observe(app.metrics)
            async with open_dashboard(app, entrance.url, places.data) as dashboard:
                if sys.stdout.isatty():  # a link that lands in a file would be there for others to read
                    click.echo(f"dashboard, by this link once: {dashboard.new_link()}")
                await serve_http(app, entrance, [dashboard.endpoints])

    with (
        open_entrance(loaded.values.server, os.environ, places.data, may_generate_key=may_generate_key) as entrance,
        logging_by(loaded.values.logging),
        exporting(os.environ) as telemetry,
    ):
        os.environ.pop(VARIABLE, None)
        anyio.run(run, entrance, telemetry)
