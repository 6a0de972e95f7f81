"""`sightline config`: the settings in force."""

from __future__ import annotations

import json
from dataclasses import fields

import click

from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.config.schema import Settings


@click.group("config", help="Show the settings and where they come from.")
def command() -> None:
    pass


@command.command("show", help="Every setting, its value and its origin.")
@click.argument("section", required=False, type=click.Choice([each.name for each in fields(Settings)]))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@project_option
@settings_option
def show(section: str | None, as_json: bool, project: str | None, assignments: tuple[str, ...]) -> None:
    from sightline.config.display import effective_settings, setting_line
    from sightline.contract import to_json

    loaded = settings_for(project_root(project), assignments)
    settings = effective_settings(loaded, section)
    for message in loaded.ignored:
        click.secho(f"warning: {message}", fg="yellow", err=True)
    if as_json:
        click.echo(json.dumps(to_json(settings), ensure_ascii=False, indent=2))
        return
    for each in settings:
        click.secho(setting_line(each), bold=each.origin != "default")
