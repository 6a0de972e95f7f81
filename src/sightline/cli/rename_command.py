"""`sightline rename PLACE NEW [--apply]`: the plan of a rename as a coloured diff; with `--apply` it is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from sightline.answers import Answer
from sightline.cli.log_setup import logging_by
from sightline.cli.navigation_commands import WIDEST, place_arguments
from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.cli.tool_call import EXIT_FAILED
from sightline.config.loading import LoadedSettings
from sightline.places import standard_places

_COLOURS = (("+++", None), ("---", None), ("+", "green"), ("-", "red"), ("@@", "cyan"))
_PLAN_ID = "plan_id: "


@click.command("rename", help="Rename a symbol everywhere. PLACE: FILE:LINE:COL, FILE:LINE:NAME, FILE:NAME or NAME.")
@click.argument("place")
@click.argument("new_name")
@click.option("--apply", "is_applied", is_flag=True, help="Write it; without this it is only shown.")
@project_option
@settings_option
def command(place: str, new_name: str, is_applied: bool, project: str | None, assignments: tuple[str, ...]) -> None:
    root = project_root(project)
    arguments = {**place_arguments(place, root), "new_name": new_name, **WIDEST}
    answer = _renamed(arguments, root, settings_for(root, assignments), is_applied=is_applied)
    _show(answer)
    if not answer.ok or answer.data.get("needs_disambiguation"):
        raise SystemExit(EXIT_FAILED)
    if not is_applied:
        click.secho("nothing is written yet; say `--apply` to write it", bold=True, err=True)


def _renamed(arguments: dict[str, Any], root: Path, loaded: LoadedSettings, *, is_applied: bool) -> Answer:
    """The plan, or what became of it: shown and applied by one running server."""
    import anyio

    from sightline.app import open_app

    places = standard_places()

    async def run() -> Answer:
        async with open_app(root, loaded, environment=os.environ, home=Path.home(), places=places) as app:
            plan = await app.boundary.call("rename_symbol", arguments)
            if not is_applied or not plan.ok or not plan.data.get("plan_id"):
                return plan
            return await app.boundary.call(
                "rename_symbol", {**arguments, "apply": True, "plan_id": plan.data["plan_id"]}
            )

    level = "WARNING" if loaded.values.logging.mode == "stderr" else None
    with logging_by(loaded.values.logging, level=level):
        return anyio.run(run)


def _show(answer: Answer) -> None:
    for number, line in enumerate(answer.body.split("\n")):
        if line.startswith(_PLAN_ID):
            continue
        colour = next((colour for start, colour in _COLOURS if line.startswith(start)), None)
        click.secho(line, fg=colour, bold=number == 0, err=not answer.ok)
    for notice in answer.data["warnings"]:
        click.secho(f"warning: {notice['message']}", fg="yellow", err=True)
