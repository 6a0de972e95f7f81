"""`sightline trust`: a person's approval of a project's settings file, as it is now."""

from __future__ import annotations

from pathlib import Path

import click

from sightline.cli.project_options import project_option, project_root
from sightline.config.layers import ProjectFile, read_project_file
from sightline.config.loading import keys_that_need_trust
from sightline.places import standard_places
from sightline.redaction import without_secrets
from sightline.trust import TrustStore


@click.command("trust", help="Let this project's settings file define commands, hosts and wider access.")
@project_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--revoke", is_flag=True, help="Take the approval back.")
def command(project: str | None, yes: bool, revoke: bool) -> None:
    root = project_root(project)
    store = TrustStore(standard_places().trust)
    if revoke:
        click.echo("trust revoked" if store.revoke(root) else "this project was not trusted")
        return
    file = read_project_file(root)
    if file is None:
        raise click.UsageError(f"no sightline.toml and no [tool.sightline] in pyproject.toml at {root}")
    if store.is_trusted(root, file.content):
        click.echo(f"already trusted: {file.path}")
        return
    _show(root, file)
    if not yes:
        click.confirm("Trust this file as it is now?", abort=True)
    store.grant(root, file.content)
    click.echo(f"trusted: {file.path} (until it changes)")


def _show(root: Path, file: ProjectFile) -> None:
    keys = keys_that_need_trust(root, file, standard_places())
    if not keys:
        click.echo("Nothing in it needs trust: it only narrows.")
    for name in keys:
        value = file.layer.values[name]
        click.echo(f"  {name} = {value if name == 'code.servers' else without_secrets(value, name)!r}")
