"""`sightline install CLIENT` and `uninstall CLIENT`: our entry in a client's configuration, shown first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sightline.cli.project_options import project_option, project_root
from sightline.cli.terminal_text import printable
from sightline.cli.tool_call import EXIT_FAILED
from sightline.clients import CLIENTS, Client, Scope, Surroundings, client_named
from sightline.places import standard_places

if TYPE_CHECKING:
    from sightline.clients.client import ServerCommand
    from sightline.clients.plans import Plan
    from sightline.clients.registration import Edit, Registration
    from sightline.sync.formats.values import Value

EXIT_CLIENT_DISAGREES = 1
_COLOURS = (("+++", None), ("---", None), ("+", "green"), ("-", "red"), ("@@", "cyan"))


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the command line asks for."""

    client: Client
    scope: Scope
    around: Surroundings
    is_dry_run: bool
    yes: bool
    force: bool


def _options(function: Callable[..., None]) -> Callable[..., None]:
    for decorate in reversed(
        (
            click.argument("client", type=click.Choice([client.id for client in CLIENTS])),
            click.option(
                "--scope",
                type=click.Choice(["user", "project"]),
                default="user",
                show_default=True,
                help="Your own configuration, or the project's, which is committed.",
            ),
            project_option,
            click.option("--dry-run", "is_dry_run", is_flag=True, help="Show the change and write nothing."),
            click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal."),
            click.option("--force", is_flag=True, help="Also where the entry there is another one."),
        )
    ):
        function = decorate(function)
    return function


@click.command("install")
@_options
@click.option("--verify/--no-verify", default=True, help="Ask the client's own command afterwards.")
@click.argument("serve_options", metavar="[-- SERVE_OPTION...]", nargs=-1, type=click.UNPROCESSED)
def command(serve_options: tuple[str, ...], verify: bool, **given: Any) -> None:
    """Register Sightline with an agent client; options after `--` are those of `sightline serve`.

    Exit code: 0 done or nothing to do, 1 the client itself says that it does not work, 2 wrong usage, 3 not written.
    """
    wish = _wish(**given)
    _check_options(serve_options)
    with _told():
        _install(wish, serve_options, verify=verify)


@click.command("uninstall")
@_options
def uninstall(**given: Any) -> None:
    """Take Sightline's entry out of a client's configuration, and what was made for it."""
    wish = _wish(**given)
    with _told():
        _uninstall(wish)


def _wish(client: str, scope: Scope, project: str | None, is_dry_run: bool, yes: bool, force: bool) -> _Wish:
    around = surroundings(project_root(project))
    return _Wish(client_named(client), scope, around, is_dry_run, yes, force)


def surroundings(root: Path) -> Surroundings:
    return Surroundings(os.environ, Path.home(), root, sys.platform)


def _check_options(options: tuple[str, ...]) -> None:
    """A mistake is told now, not by a server that does not start."""
    from sightline.cli.serve_command import command as serve

    with serve.make_context("sightline serve", list(options)):
        pass


def _install(wish: _Wish, options: tuple[str, ...], *, verify: bool) -> None:
    from sightline.clients.plans import plan_entry
    from sightline.clients.server_command import own_program, server_command

    program = own_program(Path(sys.executable), os.environ.get("PATH", ""))
    started = server_command(wish.client, wish.scope, program, options)
    wanted = wish.client.entry(started)
    data = standard_places().data

    def plan() -> Plan:
        return plan_entry(wish.client, wish.scope, wish.around, data, wanted)

    if not _carry_out(wish, plan, "already registered in", "registered in"):
        return
    _say_what_follows(wish, started, options)
    if verify and not wish.is_dry_run and not _client_agrees(wish, wanted):
        raise SystemExit(EXIT_CLIENT_DISAGREES)


def _uninstall(wish: _Wish) -> None:
    from sightline.clients.plans import plan_removal

    data = standard_places().data

    def plan() -> Plan:
        return plan_removal(wish.client, wish.scope, wish.around, data)

    _carry_out(wish, plan, "not registered in", "taken out of")


def _carry_out(wish: _Wish, make_plan: Callable[[], Plan], already: str, done: str) -> bool:
    """Show what would change, ask, and write it; False if it shall not be."""
    from sightline.clients.writing import find_own_writer

    plan = make_plan()
    if plan.is_done:
        click.echo(f"{wish.client.title}: {already} {plan.found.path}")
        return True
    _show(plan.edit, plan.found, wish)
    if not _may_write(wish, plan.found if plan.is_foreign else None):
        return False
    if writer := find_own_writer(wish.client, wish.scope, wish.around):
        import anyio

        anyio.run(writer.put, plan.found, plan.wanted)
    else:
        _write_in_turn(wish, plan, make_plan)
    click.echo(f"{wish.client.title}: {done} {plan.found.path}")
    return True


def _write_in_turn(wish: _Wish, shown: Plan, make_plan: Callable[[], Plan]) -> None:
    """Write what was shown; where the file is another one by now, what is right for that one, if nobody is asked."""
    from sightline.clients.failures import ClientFailed
    from sightline.clients.turns import taking_turns
    from sightline.clients.writing import write
    from sightline.transactions import FileTransactions

    places = standard_places()
    with taking_turns(places.data):
        plan = make_plan()
        if not plan.is_for_same_file_as(shown):
            if not wish.yes:
                raise ClientFailed(f"`{plan.found.path}` is not what was shown any more", "run the command again")
            if plan.is_done:
                return
            _show(plan.edit, plan.found, wish)
            _may_write(wish, plan.found if plan.is_foreign else None)
        write(plan.edit, plan.records, FileTransactions(places.journal))


def _show(edit: Edit, found: Registration, wish: _Wish) -> None:
    from sightline.contract import to_json
    from sightline.sync.formats.values import Missing
    from sightline.sync.planning.diffs import shown_diff
    from sightline.sync.secrets import SecretValues, secrets_in_value

    lost = SecretValues() if isinstance(found.entry, Missing) else secrets_in_value(to_json(found.entry))
    for line in shown_diff(str(edit.path), edit.before, edit.after, lost, is_shared=True).splitlines():
        colour = next((colour for start, colour in _COLOURS if line.startswith(start)), None)
        click.secho(printable(line), fg=colour)
    if (real := edit.path.resolve()) != edit.path:
        click.echo(f"note: {edit.path} leads to {real}, which is the file that changes", err=True)
    if wish.is_dry_run:
        click.secho("nothing is written: --dry-run", bold=True, err=True)


def _may_write(wish: _Wish, foreign: Registration | None) -> bool:
    """Whether a person wants it, or said so beforehand; `foreign` is an entry that somebody else wrote."""
    message = f"{foreign.path}:{foreign.line} has an entry `sightline` that Sightline did not write" if foreign else ""
    if wish.is_dry_run:
        if foreign and not wish.force:
            click.secho(f"warning: {message}; --force would be needed", fg="yellow", err=True)
        return False
    is_asked = sys.stdin.isatty() and not wish.yes
    if foreign and not wish.force:
        if is_asked and click.confirm(f"{message}. Go on, and lose it?", err=True):
            return True
        click.secho(f"error: {message}", fg="red", err=True)
        click.echo("hint: look at it above; --force goes on all the same", err=True)
        raise SystemExit(EXIT_FAILED)
    if not wish.yes and not is_asked:
        raise click.UsageError("nothing is written without a terminal to ask on\nhint: say --yes")
    return wish.yes or click.confirm("Write this?", default=True, abort=True, err=True)


def _say_what_follows(wish: _Wish, started: ServerCommand, options: tuple[str, ...]) -> None:
    import shutil

    from sightline.clients.other_ways import find_other_ways
    from sightline.config.presets import preset_layers

    if others := find_other_ways(wish.client, wish.around):
        message = (
            f"{wish.client.title} has Sightline in more than one way now, and one is enough: also {', '.join(others)}"
        )
        click.secho(f"warning: {message}", fg="yellow", err=True)
    if step := wish.client.steps.get(wish.scope):
        click.echo(f"next: {step}", err=True)
    is_narrow = any(layer.values.get("server.read_only") for layer in preset_layers(wish.client.context, None))
    if is_narrow and not {"--read-write", "--read-only", "--context"} & {*options}:
        hint = f"`sightline install {wish.client.id} -- --read-write` lets it write"
        click.echo(f"note: the preset for {wish.client.title} is read-only; {hint}", err=True)
    if wish.scope == "project" and (top := _repository_around(wish.around.project)):
        message = (
            f"{wish.around.project} lies in the repository {top}: a client that is started there does not read this"
        )
        click.secho(f"warning: {message}", fg="yellow", err=True)
        click.echo(f"hint: `--project {top}` is for the whole repository", err=True)
    if wish.scope == "project" and not shutil.which(started.program, path=os.environ.get("PATH", "")):
        message = f"`{started.program}` is not on your PATH, and the project's file names no path of one machine"
        click.secho(f"warning: {message}", fg="yellow", err=True)


def _repository_around(project: Path) -> Path | None:
    """The repository that a folder is only a part of."""
    if (project / ".git").exists():
        return None
    return next((folder for folder in project.parents if (folder / ".git").exists()), None)


def _client_agrees(wish: _Wish, wanted: Mapping[str, Value]) -> bool:
    import anyio

    from sightline.clients.asking import ask
    from sightline.clients.programs import find_program_of

    program = find_program_of(wish.client, wish.around)
    if wish.client.inquiry is None or program is None:
        why = f"`{wish.client.program}` is not on the PATH" if wish.client.inquiry else "it has no command for that"
        click.echo(f"{wish.client.title} was not asked: {why}", err=True)
        return True
    reply = anyio.run(ask, program, wish.scope, wanted)
    asked = " ".join((program.path.name, *wish.client.inquiry.arguments))
    click.secho(f"`{asked}`: {reply.verdict}: {printable(reply.said)}", fg="red" if reply.is_bad else None)
    return not reply.is_bad


@contextmanager
def _told() -> Generator[None]:
    from sightline.clients.failures import ClientFailed

    try:
        yield
    except ClientFailed as error:
        click.secho(f"error: {error.message}", fg="red", err=True)
        if error.hint:
            click.echo(f"hint: {error.hint}", err=True)
        raise SystemExit(EXIT_FAILED) from None
