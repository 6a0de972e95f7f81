"""The page of the command line: the help of every subcommand, at a fixed width."""

from __future__ import annotations

from collections.abc import Iterator

import click

from reference.markdown import code_block, page
from sightline.cli.main import cli

_WIDTH = 100


def commands_page() -> str:
    return page("Command line", *_blocks(cli, "sightline", None))


def _blocks(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    """A heading and the help of a command, then those of its subcommands."""
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=_WIDTH, color=False, **command.context_settings
    )
    yield f"## `{context.command_path}`"
    yield code_block(command.get_help(context), "text")
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            if found := command.get_command(context, each):
                yield from _blocks(found, each, context)
