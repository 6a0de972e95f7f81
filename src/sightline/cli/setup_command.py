"""`sightline setup`: a settings file for this project, proposed and shown; what exists is never overwritten."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.cli.project_options import project_option, project_root, settings_for
from sightline.cli.tool_call import EXIT_FAILED
from sightline.config.layers import read_project_file
from sightline.places import standard_places

if TYPE_CHECKING:
    from sightline.doctor.languages import Languages
    from sightline.doctor.proposal import Proposal


@click.command("setup")
@project_option
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show the file and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal.")
def command(project: str | None, is_dry_run: bool, yes: bool) -> None:
    """Propose a settings file for this project, and say which language servers it misses."""
    from sightline.doctor.languages import find_languages
    from sightline.doctor.proposal import propose

    root = project_root(project)
    settings = settings_for(root).values.code
    present = read_project_file(root)
    if present is not None:
        click.echo(f"this project has settings already, which are left as they are: {present.path}")
        _say_what_is_missing(find_languages(root, settings), root)
        return
    proposal = propose(root, settings)
    click.echo(proposal.text, nl=False)
    if not is_dry_run and _may_write(yes):
        _write(root, proposal)
    _say_what_is_missing(proposal.languages, root)


def _may_write(yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        click.echo("nothing is written without a terminal to ask on; say --yes", err=True)
        return False
    return click.confirm("Write this?", default=True, err=True)


def _write(root: Path, proposal: Proposal) -> None:
    from sightline.doctor.proposal import FILE_NAME
    from sightline.transactions import FileChange, FileTransactions, TransactionFailed

    path = root / FILE_NAME
    if path.is_symlink():  # what a repository brings may lead anywhere
        click.secho(f"error: `{path}` is a link that leads nowhere, and is not written through", fg="red", err=True)
        click.echo("hint: remove the link, or make the file that it leads to", err=True)
        raise SystemExit(EXIT_FAILED)
    try:
        FileTransactions(standard_places().journal).apply([FileChange(path, None, proposal.text.encode())])
    except TransactionFailed as error:
        click.secho(f"error: {error}", fg="red", err=True)
        raise SystemExit(EXIT_FAILED) from None
    click.echo(f"written: {path}", err=True)
    if proposal.needs_trust:
        click.echo("next: some of it needs your approval: `sightline trust`", err=True)


def _say_what_is_missing(languages: Languages, root: Path) -> None:
    from sightline.code.launching import find_program

    for each in languages.found:
        spec = each.spec
        if spec.command.startswith("{") or find_program(spec.command, os.environ, root):
            click.echo(f"{each.label}: {spec.name or spec.id} is installed", err=True)
        elif not each.is_data:
            install = f"`{spec.install}`" if spec.install else f"put `{spec.command}` on the PATH"
            message = f"{each.label}: {spec.name or spec.id} is not installed: {install}"
            click.secho(message, fg="yellow", err=True)
    click.echo("`sightline doctor` starts them and says whether they work", err=True)
