"""`sightline sync`: Claude Code's configuration for the other agent CLIs, for people and for scripts.

Shown first; written after a yes at the terminal, or with `--yes`. Without either nothing is written.
"""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.cli.sync_recall import answer_memory, show
from sightline.config.loading import LoadedSettings
from sightline.config.schema import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from sightline.cli.sync_session import SyncSession
    from sightline.sync.service import ScopeName
    from sightline.sync.unchanged.memory import AnswerMemory

F = TypeVar("F", bound="Callable[..., Any]")

_WAIT_S = 30.0
# Nearly all that a sync loads and reads it needs to its end: looking for garbage took a twelfth of the time.
_SELDOM = (20_000, 20, 20)
# In an answer that there is nothing to do; project and settings have their say by what they lead to.
_WITHOUT_A_SAY = ("yes", "debounced", "project", "assignments")

_TARGET = click.option("--target", "targets", multiple=True, type=click.Choice(get_args(Target)), help="Only this CLI.")
_SCOPE = click.option("--scope", type=click.Choice(("user", "project", "all")), help="Whose configuration.")
_JSON = click.option("--json", "is_json", is_flag=True, help="Answer with JSON, as the tools do; messages on stderr.")


def _asking(function: F) -> F:
    """The options that say what is meant."""
    for option in (settings_option, project_option, _SCOPE, _TARGET):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class _Asked:
    """The project with its settings, and what of it is meant."""

    root: Path
    loaded: LoadedSettings
    targets: tuple[str, ...]
    scope: ScopeName | None
    is_json: bool

    @classmethod
    def of(cls, context: click.Context, given: dict[str, Any]) -> _Asked:
        """By the options of the subcommand, else those of `sync` itself."""
        outer = context.parent.params if context.parent and context.parent.command is command else {}
        chosen = {name: given.get(name) or outer.get(name) for name in ("targets", "scope", "project", "assignments")}
        root = _gone_project(chosen["project"]) if chosen["scope"] == "user" else None
        root = root or project_root(chosen["project"])
        if not chosen["project"] and not os.environ.get("CLAUDE_PROJECT_DIR"):
            _note_repository(root)
        loaded = settings_for(root, chosen["assignments"] or ())
        is_json = bool(given.get("is_json") or outer.get("is_json"))
        return cls(root, loaded, chosen["targets"] or (), chosen["scope"], is_json)

    def memory(self, options: dict[str, Any]) -> AnswerMemory | None:
        """Where the answer may be known; none for a run that leaves nothing behind, or does more than to answer."""
        is_plain = not any(options[name] for name in ("keep", "take", "dry_run"))
        settings = self.loaded.values
        if not is_plain or self.is_json or settings.server.read_only or settings.logging.mode != "stderr":
            return None
        form = {name: value for name, value in options.items() if name not in _WITHOUT_A_SAY}
        return answer_memory(self.root, settings.sync, form)

    def session(self, memory: AnswerMemory | None = None) -> SyncSession:
        gc.set_threshold(*_SELDOM)
        from sightline.cli.sync_session import SyncSession

        return SyncSession.of(
            self.root, self.loaded, self.targets, self.scope, memory, waits_s=_WAIT_S, is_json=self.is_json
        )


def _session(context: click.Context, **given: Any) -> SyncSession:
    return _Asked.of(context, given).session()


def _gone_project(given: str | None) -> Path | None:
    """A project that is not there any more, if a sync of it left something in the person's files."""
    if not given or (root := Path(given).expanduser().resolve()).exists():
        return None
    from sightline.places import standard_places
    from sightline.sync.applying.places import SyncPlaces

    return root if SyncPlaces(standard_places().data / "sync").states(root, "user").is_dir() else None


def _note_repository(folder: Path) -> None:
    """A folder of a repository may be meant as a project of its own, or not: say which one is taken."""
    repository = next((each for each in folder.parents if (each / ".git" / "HEAD").exists()), None)
    if repository is not None and not (folder / ".git").exists():
        click.echo(f"note: `{folder.name}` is taken as the project; `--project {repository}` means all of it", err=True)


@click.group("sync", invoke_without_command=True)
@_asking
@click.option("--keep", multiple=True, metavar="PLACE", help="A conflict where the target stays; `*` for all.")
@click.option("--take", multiple=True, metavar="PLACE", help="A conflict where the source wins; `*` for all.")
@click.option("--dry-run", is_flag=True, help="Show only.")
@click.option("--check", is_flag=True, help="Show nothing but how things stand; exit 1 unless all is in sync.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--debounced", is_flag=True, help="For hooks: of many runs in a row only the last one does anything.")
@click.option("--full", is_flag=True, help="Show every loss and every difference, not only their number.")
@_JSON
@click.pass_context
def command(context: click.Context, **options: Any) -> None:
    """Carry Claude Code's configuration over to other agent CLIs.

    The plan is shown as a diff, with everything that cannot be carried over. It is written after a yes, all files or
    none; `sync rollback` takes it back.

    Exit code: 0 all is applied and understood, or was only to be shown; 1 something remains: it was not written, is in
    conflict, was left alone, could not be read, or the CLI has not understood it; 3 nothing was done: a literal secret,
    a CLI that would not start any more, another sync that runs.
    """
    if context.invoked_subcommand is not None:
        return
    asked = _Asked.of(context, options)
    memory = asked.memory(options)
    if options["debounced"] and not options["check"] and not asked.session().is_last_of_many():
        return
    if memory and (known := memory.recall()):
        raise SystemExit(show(known))
    session = asked.session(memory)
    may_ask = sys.stdin.isatty() and sys.stdout.isatty() and not asked.is_json
    with session.answering():
        if options["check"]:
            raise SystemExit(session.check())
        raise SystemExit(
            session.sync(
                keep=options["keep"],
                take=options["take"],
                is_written=not options["dry_run"] and (options["yes"] or may_ask),
                is_asked=not options["yes"],
                is_full=options["full"],
                is_shown_only=options["dry_run"],
            )
        )


@command.command("status", help="How every CLI stands: in sync, drifted, conflict or never.")
@_asking
@_JSON
@click.pass_context
def status(context: click.Context, **options: Any) -> None:
    session = _session(context, **options)
    with session.answering():
        session.show_status()


@command.command("diff", help="What would change, as a diff and nothing else.")
@_asking
@_JSON
@click.pass_context
def diff(context: click.Context, **options: Any) -> None:
    session = _session(context, **options)
    with session.answering():
        session.show_diff()


@command.command("rollback", help="Take a sync back, the last one unless ID is given.")
@click.argument("backup_id", metavar="[ID]", required=False)
@click.option("--skip-changed", is_flag=True, help="Leave files alone that were changed since, restore the others.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@_asking
@click.pass_context
def rollback(context: click.Context, backup_id: str | None, skip_changed: bool, yes: bool, **options: Any) -> None:
    session = _session(context, **options)
    may_write = yes or (sys.stdin.isatty() and click.confirm("take it back?", err=True))
    raise SystemExit(session.roll_back(backup_id, skip_changed=skip_changed, is_written=may_write))


@command.command("explain", help="Where ITEM comes from and what became of it at every CLI, field by field.")
@click.argument("item")
@_asking
@_JSON
@click.pass_context
def explain(context: click.Context, item: str, **options: Any) -> None:
    session = _session(context, **options)
    with session.answering():
        raise SystemExit(session.explain(item))


@command.command("watch", help="Watch the source; with --yes every change is carried over, else it is only told.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@_asking
@click.pass_context
def watch(context: click.Context, yes: bool, **options: Any) -> None:
    _session(context, **options).watch(is_written=yes)


@command.command(
    "hooks", help="Print snippets for Claude Code's settings: sync after an edit, tell drift at the start."
)
def hooks() -> None:
    from sightline.cli.sync_hooks import snippet

    click.echo(snippet())
