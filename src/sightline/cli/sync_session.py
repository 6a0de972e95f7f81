"""One run of `sightline sync`: opens the service for a project, asks it, and shows what it says."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from sightline.cli import sync_display as display
from sightline.cli.log_setup import logging_by
from sightline.cli.sync_recall import captured, show
from sightline.cli.tool_call import EXIT_FAILED
from sightline.config.loading import LoadedSettings
from sightline.config.schema import SyncSettings
from sightline.errors import ErrorKind, ToolFailure, invalid_params
from sightline.places import standard_places
from sightline.surroundings import Surroundings
from sightline.sync.answering import sync_outcome, sync_output, tool_failure
from sightline.sync.applying import SyncFailed
from sightline.sync.formats.three_way import Choice
from sightline.sync.opening import SyncDoor
from sightline.sync.reports import Names
from sightline.sync.service import DoneSync, PlannedSync, ScopeName, SyncAsk, SyncService
from sightline.sync.unchanged.memory import AnswerMemory

if TYPE_CHECKING:
    from sightline.children import Children
    from sightline.cli.sync_json import JsonAnswers

R = TypeVar("R")

EXIT_PENDING = 1
"""Something remains: not written, in conflict, left alone, not read, or not understood by the target."""


class SyncRefused(click.ClickException):
    """A sync that was not made: what happened, and the exit code of a failed call."""

    exit_code = EXIT_FAILED

    def __init__(self, failure: ToolFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure

    @property
    def is_stale(self) -> bool:
        return self.failure.kind is ErrorKind.STALE_PLAN


@dataclass(frozen=True, slots=True)
class SyncSession:
    """What is asked about: the project, its settings, targets and scope."""

    root: Path
    loaded: LoadedSettings
    ask: SyncAsk
    waits_s: float
    memory: AnswerMemory | None = None
    is_json: bool = False

    @classmethod
    def of(
        cls,
        root: Path,
        loaded: LoadedSettings,
        targets: tuple[str, ...],
        scope: ScopeName | None,
        memory: AnswerMemory | None,
        *,
        waits_s: float,
        is_json: bool = False,
    ) -> SyncSession:
        return cls(root, loaded, SyncAsk(targets, scope), waits_s, memory, is_json)

    def sync(
        self,
        *,
        keep: tuple[str, ...],
        take: tuple[str, ...],
        is_written: bool,
        is_asked: bool,
        is_full: bool,
        is_shown_only: bool,
    ) -> int:
        """Show the plan, and carry it out if that is wanted; the exit code."""
        if both := sorted({*keep} & {*take}):
            raise SyncRefused(invalid_params(f"`{both[0]}` is both kept and taken", "say one of them"))
        choices = {**dict.fromkeys(keep, Choice.KEEP), **dict.fromkeys(take, Choice.TAKE)}
        ask = SyncAsk(self.ask.targets, self.ask.scope, choices)
        for is_last in (False, False, True):
            try:
                return self._sync(
                    ask, is_written=is_written, is_asked=is_asked, is_full=is_full, is_shown_only=is_shown_only
                )
            except SyncRefused as refused:
                if is_asked or is_last or not refused.is_stale:
                    raise  # what was shown must be what is written, if somebody has looked at it
        raise AssertionError("unreachable")

    def _sync(self, ask: SyncAsk, *, is_written: bool, is_asked: bool, is_full: bool, is_shown_only: bool) -> int:
        planned = self._asked(lambda service: service.plan_now(self.root, ask, self.waits_s))
        _refuse_unknown(planned)
        # Nobody reads a diff that is written at once; `sync diff` and `--full` show it.
        has_diff = is_asked or is_full or not is_written
        output = sync_output(self._settings, self._names, planned, None, has_diff=has_diff)
        is_asked_again = is_written and bool(planned.open_verdicts)
        if planned.plan.is_empty and output.status != "blocked" and not self.is_json and not is_asked_again:
            exit_code = 0 if is_shown_only or output.status == "in_sync" else EXIT_PENDING
            shows = partial(display.show_sync, output, is_full=is_full, has_diff=False)
            return self._unchanged(shows, exit_code, planned)
        is_done = is_written and output.status != "blocked" and (is_asked_again or not planned.plan.is_empty)
        if not self.is_json and not (planned.plan.is_empty and is_done):
            display.show_sync(output, is_full=is_full, has_diff=has_diff)
        elif self.is_json and not is_done:
            self._show_json(planned)
        if output.status == "blocked":
            return EXIT_FAILED
        if not is_done:
            if planned.plan.writes:
                click.secho("nothing is written; say `--yes` to write it", bold=True, err=True)
            return 0 if is_shown_only or output.status == "in_sync" else EXIT_PENDING
        if is_asked and planned.plan.writes and not click.confirm("write this?", err=True):
            return EXIT_PENDING
        return self._carry_out(planned, is_full=is_full)

    def _carry_out(self, planned: PlannedSync, *, is_full: bool) -> int:
        """Write what was planned, and say what became of it; the exit code."""
        # The event loop costs as much as the writing, and is needed only to run the targets' commands.
        done = self._asked(lambda service: service.carry_out_now(self.root, planned, waits_s=self.waits_s))
        if done is None:
            done = self._run(lambda service: service.carry_out(self.root, planned, _progress, waits_s=self.waits_s))
        became = sync_output(self._settings, self._names, done.planned, done, has_diff=False)
        if self.is_json:
            self._show_json(done.planned, done)
        elif planned.plan.is_empty:
            display.show_verdicts(became)
            display.show_sync(became, is_full=is_full, has_diff=False)
        else:
            display.show_done(became)
        return EXIT_PENDING if became.status == "partial" else 0

    def check(self) -> int:
        """Say how the targets stand; the exit code tells whether all are in sync."""
        planned = self._asked(lambda service: service.plan_now(self.root, self.ask, self.waits_s))
        output = sync_output(self._settings, self._names, planned, None)
        if self.is_json:
            self._show_json(planned)
            return 0 if output.status == "in_sync" else EXIT_PENDING
        if planned.plan.is_empty and output.status == "in_sync":
            return self._unchanged(lambda: display.show_check(output), 0, planned)
        return 0 if display.show_check(output) else EXIT_PENDING

    def _unchanged(self, shows: Callable[[], object], exit_code: int, planned: PlannedSync) -> int:
        """Show that there is nothing to do, and remember it as long as nothing changes.

        What a target's own command says may change with that command, of which nothing is noted.
        """
        shown = captured(shows, exit_code)
        if self.memory and not planned.open_verdicts:
            self.memory.keep(planned.record, shown)
        return show(shown)

    def show_status(self) -> None:
        from sightline.sync.answering import status_outcome

        targets = dict.fromkeys((*self._settings.targets, *self.ask.targets))
        ask = SyncAsk(tuple(targets), self.ask.scope)
        standing = self._asked(lambda service: service.standing_now(self.root, ask))
        outcome = status_outcome(self._names, standing)
        if self.is_json:
            self._json.show_status(outcome)
        else:
            display.show_status(outcome.output, self.ask.targets)

    def show_diff(self) -> None:
        planned = self._asked(lambda service: service.plan_now(self.root, self.ask, self.waits_s))
        if self.is_json:
            self._show_json(planned)
        else:
            display.show_diff(planned.plan.diff)

    def roll_back(self, backup_id: str | None, *, skip_changed: bool, is_written: bool) -> int:
        """Take a sync back; the exit code."""
        if not is_written:
            click.secho("nothing is taken back; say `--yes` to write", bold=True, err=True)
            return 0
        back = self._run(
            lambda service: service.rollback(
                self.root, self.ask.scope, backup_id, skip_changed=skip_changed, waits_s=self.waits_s
            )
        )
        display.show_rollback(back, self._names)
        if not back.conflicts:
            return 0
        return EXIT_PENDING if skip_changed else EXIT_FAILED

    def explain(self, item: str) -> int:
        """Say what became of an item; the exit code."""
        from sightline.sync.explaining import explained, hint_of, lines_of

        planned = self._asked(lambda service: service.plan_now(self.root, self.ask, self.waits_s))
        found = explained(planned, item, self._names)
        if not found.is_found:
            click.secho(f"error: no item `{item}`", fg="red", err=True)
            click.echo(f"hint: {hint_of(found)}", err=True)
        if self.is_json:
            self._json.show_explained(item, found)
        elif found.is_found:
            click.echo("\n".join(lines_of(found)))
        return 0 if found.is_found else EXIT_FAILED

    def watch(self, *, is_written: bool) -> None:
        """Tell or carry over every change of the source, until interrupted."""
        from sightline.sync.watching import SourceWatch

        places = self._asked(lambda service: service.source_places(self.root))
        watch = SourceWatch(places, self._settings.debounce_s)
        click.secho(f"watching Claude Code's configuration of {self.root}", bold=True, err=True)
        while True:
            try:
                self.sync(keep=(), take=(), is_written=is_written, is_asked=False, is_full=False, is_shown_only=True)
            except SyncRefused as refused:
                # The next change may be the mend; a plan is stale, too, if the source changed while it was tried.
                refused.show()
            watch.wait()

    def is_last_of_many(self) -> bool:
        """Wait until nobody else has asked for a while; false if somebody did after us."""
        from sightline.sync.watching import is_last_trigger

        # A trigger for one project is none for another.
        name = hashlib.sha256(str(self.root).encode()).hexdigest()[:16]
        stamp = standard_places().data / "sync" / f"trigger-{name}"
        return is_last_trigger(stamp, self._settings.debounce_s)

    @contextmanager
    def answering(self) -> Generator[None]:
        """Whoever reads JSON gets it for a failure, too."""
        try:
            yield
        except SyncRefused as refused:
            if self.is_json:
                self._json.show_failure(refused.failure)
            raise

    @property
    def _json(self) -> JsonAnswers:
        from sightline.cli.sync_json import JsonAnswers

        return JsonAnswers(self.root, self.ask)

    def _show_json(self, planned: PlannedSync, done: DoneSync | None = None) -> None:
        self._json.show_sync(sync_outcome(self._settings, self._names, planned, done))

    @property
    def _settings(self) -> SyncSettings:
        return self.loaded.values.sync

    @property
    def _names(self) -> Names:
        return Names(self.root, Path.home())

    def _asked(self, question: Callable[[SyncService], R]) -> R:
        """Ask the service something that starts no program; raises `SyncRefused`."""
        with self._watched():
            return question(self._door(None).service())

    def _run(self, work: Callable[[SyncService], Awaitable[R]]) -> R:
        """Let the service do something; raises `SyncRefused`."""
        import anyio

        from sightline.children import Children

        async def run() -> R:
            with Children() as children:
                return await work(self._door(children).service())

        with self._watched():
            return anyio.run(run)

    def _door(self, children: Children | None) -> SyncDoor:
        around = Surroundings(os.environ, Path.home())
        return SyncDoor(self._settings, around, standard_places().data, children, sys.platform)

    @contextmanager
    def _watched(self) -> Generator[None]:
        level = "WARNING" if self.loaded.values.logging.mode == "stderr" else None
        try:
            with logging_by(self.loaded.values.logging, level=level):
                yield
        except SyncFailed as error:
            raise SyncRefused(tool_failure(error)) from None


async def _progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Asking the targets takes seconds: say so where somebody is looking."""
    if message and sys.stderr.isatty():
        click.echo(f"{message} …", err=True)


def _refuse_unknown(planned: PlannedSync) -> None:
    """A place that was mistyped would be left alone without a word; raises `SyncRefused`."""
    if unknown := planned.unknown_choices:
        shown = ", ".join(f"`{place}`" for place in planned.plan.conflicts)
        there = f"conflicts are at {shown}" if shown else "no conflicts"
        asked = ", ".join(f"`{place}`" for place in unknown)
        raise SyncRefused(invalid_params(f"nothing is at {asked} in this plan; {there}", "`sightline sync` lists them"))
