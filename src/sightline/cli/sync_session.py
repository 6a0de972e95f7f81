"""One run of `sightline sync`: opens the service for a project, asks it, and shows what it says."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio
import click

from sightline.children import Children
from sightline.cli import sync_display as display
from sightline.cli.log_setup import logging_by
from sightline.cli.project_options import project_root, settings_for
from sightline.cli.tool_call import EXIT_FAILED
from sightline.config.loading import LoadedSettings
from sightline.config.schema import SyncSettings
from sightline.places import standard_places
from sightline.progress import no_progress
from sightline.projects import Surroundings
from sightline.sync.answering import sync_output
from sightline.sync.applying import SyncFailed
from sightline.sync.formats.three_way import Choice
from sightline.sync.opening import SyncDoor
from sightline.sync.planning.paths import EVERYTHING
from sightline.sync.reports import Names
from sightline.sync.service import DoneSync, PlannedSync, ScopeName, SyncAsk, SyncService
from sightline.sync.source import SourcePlaces

R = TypeVar("R")


class SyncRefused(click.ClickException):
    """A sync that was not made: what happened, and the exit code of a failed call."""

    exit_code = EXIT_FAILED


@dataclass(frozen=True, slots=True)
class SyncSession:
    """What is asked about: the project, its settings, targets and scope."""

    root: Path
    loaded: LoadedSettings
    ask: SyncAsk
    waits_s: float

    @classmethod
    def of(
        cls,
        targets: tuple[str, ...] | None,
        scope: ScopeName | None,
        project: str | None,
        assignments: tuple[str, ...] | None,
        *,
        waits_s: float,
    ) -> SyncSession:
        root = project_root(project)
        return cls(root, settings_for(root, assignments or ()), SyncAsk(targets or (), scope), waits_s)

    def sync(
        self, *, keep: tuple[str, ...], take: tuple[str, ...], is_written: bool, is_asked: bool, is_full: bool
    ) -> int:
        """Show the plan, and carry it out if that is wanted; the exit code."""
        choices = {**dict.fromkeys(keep, Choice.KEEP), **dict.fromkeys(take, Choice.TAKE)}
        ask = SyncAsk(self.ask.targets, self.ask.scope, choices)
        planned = self._run(lambda service: service.plan(self.root, ask, waits_s=self.waits_s))
        _refuse_unknown(choices, planned)
        output = sync_output(self._settings, self._names, planned, None)
        display.show_sync(output, is_full=is_full)
        if output.status == "blocked":
            return EXIT_FAILED
        if planned.plan.is_empty:
            return 0
        if not is_written:
            click.secho("nothing is written; say `--yes` to write it", bold=True, err=True)
            return 0
        if is_asked and not click.confirm("write this?", err=True):
            return 0
        done = self._run(lambda service: self._apply(service, ask, planned))
        display.show_done(sync_output(self._settings, self._names, done.planned, done))
        return 0

    async def _apply(self, service: SyncService, ask: SyncAsk, planned: PlannedSync) -> DoneSync:
        return await service.apply(self.root, ask, planned.plan.plan_id, no_progress, waits_s=self.waits_s)

    def check(self) -> bool:
        """Whether all targets are in sync; says how they stand."""
        planned = self._run(lambda service: service.plan(self.root, self.ask, waits_s=self.waits_s))
        return display.show_check(sync_output(self._settings, self._names, planned, None))

    def show_status(self) -> None:
        from sightline.sync.answering import status_output

        standing = self._run(lambda service: service.standing(self.root, self.ask.scope))
        display.show_status(status_output(self._names, standing), self.ask.targets)

    def show_diff(self) -> None:
        planned = self._run(lambda service: service.plan(self.root, self.ask, waits_s=self.waits_s))
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
        return EXIT_FAILED if back.conflicts else 0

    def explain(self, item: str) -> int:
        """Say what became of an item; the exit code."""
        from sightline.sync.explaining import explained

        planned = self._run(lambda service: service.plan(self.root, self.ask, waits_s=self.waits_s))
        found = explained(planned, item, self._names)
        for line in found.lines:
            click.echo(line)
        if not found.is_found:
            click.secho(f"error: no item `{item}`", fg="red", err=True)
            click.echo(f"hint: {found.hint}", err=True)
        return 0 if found.is_found else EXIT_FAILED

    def watch(self, *, is_written: bool) -> None:
        """Tell or carry over every change of the source, until interrupted."""
        from sightline.sync.watching import SourceWatch

        places = self._run(self._source_places)
        watch = SourceWatch(places, self._settings.debounce_s)
        click.secho(f"watching Claude Code's configuration of {self.root}", bold=True, err=True)
        while True:
            try:
                self.sync(keep=(), take=(), is_written=is_written, is_asked=False, is_full=False)
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

    @property
    def _settings(self) -> SyncSettings:
        return self.loaded.values.sync

    @property
    def _names(self) -> Names:
        return Names(self.root, Path.home())

    async def _source_places(self, service: SyncService) -> SourcePlaces:
        return service.source_places(self.root)

    def _run(self, work: Callable[[SyncService], Awaitable[R]]) -> R:
        """Ask the service; raises `SyncRefused`."""

        async def run() -> R:
            with Children() as children:
                around = Surroundings(os.environ, Path.home())
                door = SyncDoor(self._settings, around, standard_places().data, children, sys.platform)
                return await work(door.service())

        level = "WARNING" if self.loaded.values.logging.mode == "stderr" else None
        try:
            with logging_by(self.loaded.values.logging, level=level):
                return anyio.run(run)
        except SyncFailed as error:
            raise SyncRefused(str(error)) from None


def _refuse_unknown(choices: Mapping[str, Choice], planned: PlannedSync) -> None:
    """A place that was mistyped would be left alone without a word; raises `SyncRefused`."""
    known = {place for change in planned.plan.changes for place in change.units}
    unknown = [place for place in choices if place != EVERYTHING and place not in known]
    if unknown:
        conflicts = [place for change in planned.plan.changes for place in change.conflicts]
        there = f"conflicts are at {', '.join(f'`{place}`' for place in conflicts)}" if conflicts else "no conflicts"
        raise SyncRefused(f"nothing is at {', '.join(f'`{place}`' for place in unknown)} in this plan; {there}")
