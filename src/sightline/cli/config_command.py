"""`sightline config show`: the settings in force. `sightline config CLIENT`: an entry to paste."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from pathlib import Path

import click

from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.clients import CLIENTS, Client, Scope
from sightline.config.schema import Settings


@click.group("config", help="Show the settings and where they come from, or an entry for a client.")
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


def _snippet_command(client: Client) -> click.Command:
    """`sightline config CLIENT`: what `install` would write, for those who paste it themselves."""

    @click.command(
        client.id,
        help=f"The entry that registers Sightline with {client.title}, and the file it goes to.",
        short_help=f"The entry for {client.title}, to paste.",
    )
    @click.option(
        "--scope", type=click.Choice(["user", "project"]), default="user", show_default=True, help="For which file."
    )
    @project_option
    def snippet_of(scope: Scope, project: str | None) -> None:
        from sightline.cli.install_command import surroundings
        from sightline.clients.links import snippet
        from sightline.clients.server_command import own_program, server_command

        around = surroundings(project_root(project))
        program = own_program(Path(sys.executable), around.variables.get("PATH", ""))
        files = client.files(scope, around)
        place = next((file for file in files if file.exists()), files[-1])
        click.echo(f"in {place}:", err=True)
        click.echo(snippet(client, client.entry(server_command(client, scope, program))), nl=False)

    return snippet_of


for _client in CLIENTS:
    command.add_command(_snippet_command(_client))
