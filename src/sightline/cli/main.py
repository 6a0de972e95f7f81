"""`sightline`: finds the subcommand, and is the one place where an error becomes a message and an exit code."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Mapping
from typing import Any

import click

from sightline import __version__
from sightline.errors import SettingsError

_COMMANDS: Mapping[str, str] = {
    "serve": "Serve the tools to an agent over MCP.",
    "check": "Type-check a file or folder.",
    "hover": "Type and documentation of a name.",
    "def": "Where a name is defined.",
    "refs": "Every use of a name.",
    "outline": "The symbols of a file.",
    "symbols": "Symbols of the project by name.",
    "complete": "What can stand at a position.",
    "rename": "Rename a symbol everywhere: shown first, written whole.",
    "docs": "Documentation of libraries: resolve, show, read, search, prefetch, status, clear.",
    "sync": "Carry Claude Code's configuration over to other agent CLIs.",
    "dashboard": "Look at a running HTTP service in the browser.",
    "call": "Call any tool.",
    "tools": "List the tools.",
    "config": "Show the settings and where they come from, or an entry for a client.",
    "trust": "Let this project's settings file do more than narrow.",
    "install": "Register Sightline with an agent client.",
    "uninstall": "Take Sightline out of an agent client.",
    "doctor": "Say what works here, what does not, and what to do.",
    "setup": "Propose a settings file for this project.",
}

_NAVIGATION = ("hover", "outline", "symbols", "complete")
_PLACES: Mapping[str, tuple[str, str]] = {
    "def": ("navigation_commands", "definition"),
    "refs": ("navigation_commands", "references"),
    "uninstall": ("install_command", "uninstall"),
    **{name: ("navigation_commands", name) for name in _NAVIGATION},
}

EXIT_USAGE = 2


class LazyGroup(click.Group):
    """Subcommands by name; importing one imports only what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name = _PLACES.get(cmd_name, (f"{cmd_name}_command", "command"))
        return getattr(importlib.import_module(f"sightline.cli.{module}"), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sightline")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Sight for AI coding agents: code, library docs and configuration.

    Without a subcommand, and with no terminal on stdin, it serves MCP.
    """
    if ctx.invoked_subcommand is None:
        if sys.stdin.isatty():
            click.echo(ctx.get_help())
        else:
            ctx.invoke(_serve_command())


def _serve_command() -> click.Command:
    return importlib.import_module("sightline.cli.serve_command").command


def main(arguments: list[str] | None = None) -> None:
    """The `sightline` command."""
    _tolerate_odd_characters()
    try:
        exit_code: Any = cli.main(args=arguments, prog_name="sightline", standalone_mode=False)
    except click.exceptions.Abort:
        exit_code = 130
    except click.ClickException as error:
        error.show()
        exit_code = error.exit_code
    except SettingsError as error:
        _complain(error.message, error.hint)
        exit_code = EXIT_USAGE
    except Exception as error:
        import logging

        logging.getLogger(__name__).exception("command failed")
        _complain(f"a defect in Sightline: {type(error).__name__}: {error}", "the log above has the details")
        exit_code = 70
    sys.exit(exit_code if isinstance(exit_code, int) else 0)


def _tolerate_odd_characters() -> None:
    """A file name that is not UTF-8 must not end the command that prints it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str, hint: str | None) -> None:
    click.secho(f"error: {message}", fg="red", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)
