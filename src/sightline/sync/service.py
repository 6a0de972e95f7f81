"""The sync service: one per application, for every project and the user. Blocking work goes to threads.

It puts source, targets, plan and transaction together. It knows no front end; what went wrong is a `SyncFailed`. What
only some calls need is imported by them, so that a command that finds nothing to do starts quickly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from sightline.config.schema import SyncSettings
from sightline.frozen import frozen
from sightline.surroundings import Surroundings
from sightline.sync.applying import (
    AppliedPlan,
    HomeIsProject,
    MadePlan,
    RolledBack,
    SecretsDetected,
    StalePlan,
    SyncBusy,
    Syncing,
    SyncPlaces,
    SyncWish,
    TargetsRefused,
)
from sightline.sync.applying import SyncSettings as EngineSettings
from sightline.sync.applying.verdicts import open_verdicts, with_verdicts
from sightline.sync.files import DISK, Files
from sightline.sync.formats.three_way import Choice
from sightline.sync.outputs import OutputScope, Target, TargetPlaces
from sightline.sync.planning import EVERYTHING, Plan, StateKey, TargetState
from sightline.sync.planning.records import OpenVerdict
from sightline.sync.reading import SourceReading, read_for
from sightline.sync.source import SourcePlaces, find_places
from sightline.sync.targets.registry import all_targets, chosen_targets
from sightline.sync.unchanged.recording import Record, RecordingFiles, RecordingVariables
from sightline.sync.unchanged.snapshot import holds_now

if TYPE_CHECKING:
    from sightline.children import Children
    from sightline.sync.verifying import Verification
    from sightline.tool import Progress
    from sightline.transactions import Disk

ScopeName = Literal["project", "user", "all"]
T = TypeVar("T")
_STEPS = 3
_EVERY_SCOPE: tuple[OutputScope, ...] = ("user", "project")


@frozen
class SyncAsk:
    """What a caller wants: which targets, none named for all, which scope, and what a person said about conflicts."""

    targets: tuple[str, ...] = ()
    scope: ScopeName | None = None
    choices: Mapping[str, Choice] = field(default_factory=dict[str, Choice])

    @property
    def wish(self) -> SyncWish:
        return SyncWish(frozenset(self.targets) or None, self.choices)


@frozen
class PlannedSync:
    """A plan together with what it was made from; `record` has everything that was looked at."""

    ask: SyncAsk
    scope: ScopeName
    reading: SourceReading
    plan: Plan
    states: Mapping[StateKey, TargetState]
    record: Record

    @property
    def unknown_choices(self) -> tuple[str, ...]:
        """Places that somebody decided about, and that the plan says nothing of."""
        known = {place for change in self.plan.changes for place in change.units}
        return tuple(place for place in self.ask.choices if place != EVERYTHING and place not in known)

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that were asked for."""
        return self.ask.targets or tuple(self.reading.view.rendered)

    def files_of(self, target: str) -> dict[Path, bytes | None]:
        """The files of a target that would be written; none for one that would be removed."""
        return {change.path: change.after for change in self.plan.for_target(target) if change.is_written}

    @property
    def open_verdicts(self) -> Mapping[str, OpenVerdict]:
        """What those of the targets said that have not said yet that all is well."""
        found = open_verdicts(self.states)
        return {name: found[name] for name in self.targets if name in found}

    def is_asked_about(self, target: str) -> bool:
        """Whether the target's own command has something to say to this plan."""
        return target in self.open_verdicts or bool(self.files_of(target))


@frozen
class DoneSync:
    """What was applied, and what the targets said to it."""

    planned: PlannedSync
    applied: AppliedPlan
    verified: Mapping[str, Verification]


@frozen
class SyncStanding:
    """How everything stands; without a plan while a sync is running or was interrupted: half of it may be written."""

    scope: ScopeName
    planned: PlannedSync | None
    states: Mapping[StateKey, TargetState]
    running_s: float | None
    is_unsettled: bool
    backups: tuple[str, ...]
    targets: tuple[str, ...]
    gone: Mapping[StateKey, TargetState]


@frozen
class SyncService:
    """Plans, applies and takes back; `waits_s` is how long a call waits for another sync."""

    settings: SyncSettings
    around: Surroundings
    data: Path
    children: Children | None
    platform: str
    clock: Callable[[], float] = time.time
    source: Callable[[Path], SourcePlaces] | None = None
    disk: Disk | None = None
    files: Files = DISK

    async def plan(self, root: Path, ask: SyncAsk, *, waits_s: float = 0.0) -> PlannedSync:
        """What would be done now; raises `SyncFailed`."""
        return await _in_a_thread(partial(self.plan_now, root, ask, waits_s))

    async def apply(
        self, root: Path, ask: SyncAsk, plan_id: str, progress: Progress, *, waits_s: float = 0.0
    ) -> DoneSync:
        """Carry out the plan with this id, if it is still the plan and the targets understand it."""
        await progress(0, _STEPS, "planning")
        planned = await self.plan(root, ask, waits_s=waits_s)
        self._refuse_secrets(planned)
        if planned.plan.plan_id != plan_id:
            raise StalePlan(plan_id, planned.plan.plan_id)
        return await self.carry_out(root, planned, progress, waits_s=waits_s)

    async def carry_out(
        self, root: Path, planned: PlannedSync, progress: Progress, *, waits_s: float = 0.0
    ) -> DoneSync:
        """Carry out a plan; all that it depends on is looked at once more under the lock, and must be the same."""
        self._refuse_secrets(planned)
        await progress(1, _STEPS, "asking the targets")
        verified = await self.verify(root, planned)
        self._refuse_refused(verified)
        await progress(2, _STEPS, "writing")
        return await _in_a_thread(partial(self._write, root, planned, verified, waits_s))

    def carry_out_now(self, root: Path, planned: PlannedSync, *, waits_s: float = 0.0) -> DoneSync | None:
        """The same for those who may block; none, and nothing is done, if the command of a target has to be asked."""
        self._refuse_secrets(planned)
        verified = self._known_answers(root, planned)
        if verified is None:
            return None
        self._refuse_refused(verified)
        return self._write(root, planned, verified, waits_s)

    def _write(
        self, root: Path, planned: PlannedSync, verified: Mapping[str, Verification], waits_s: float
    ) -> DoneSync:
        engine = self._engine(root, planned.ask, waits_s)
        made = MadePlan(planned.plan, partial(holds_now, planned.record))
        if self.settings.verify != "never":
            verdicts = _to_remember(verified)
        else:  # nobody wants to know any more
            verdicts = dict.fromkeys(planned.targets)
            planned = replace(planned, states={**planned.states, **with_verdicts({}, planned.states, verdicts)})
        applied = engine.apply(planned.plan.plan_id, planned.ask.wish, made=made, verdicts=verdicts)
        return DoneSync(planned, applied, verified)

    def _known_answers(self, root: Path, planned: PlannedSync) -> dict[str, Verification] | None:
        """What is known of the targets without asking them; none if one has to be asked."""
        if self.settings.verify == "never":
            return {}
        from sightline.sync.verifying import known_answer

        answers: dict[str, Verification] = {}
        for name in planned.targets:
            if planned.is_asked_about(name):
                answer = known_answer(name, self._places(root))
                if answer is None:
                    return None
                answers[name] = answer
        return answers

    def _refuse_refused(self, verified: Mapping[str, Verification]) -> None:
        if refused := {name: each for name, each in verified.items() if self._is_refused(each)}:
            raise TargetsRefused({name: _said(each) for name, each in refused.items()})

    async def verify(self, root: Path, planned: PlannedSync) -> dict[str, Verification]:
        """What the own command of each target whose files change says to the planned ones, in a trial home.

        One that has not said yet that all is well is asked again.
        """
        children = self.children
        if self.settings.verify == "never" or children is None:
            return {}
        import anyio

        from sightline.sync.verifying.verify import verify

        view, places = planned.reading.view, self._places(root)
        answers: dict[str, Verification] = {}

        async def ask(name: str) -> None:
            if planned.is_asked_about(name):
                files = planned.files_of(name)
                answers[name] = await verify(
                    name, view.rendered[name], places, children, planned=files, secrets=view.secrets
                )

        async with anyio.create_task_group() as tasks:
            for name in planned.targets:
                tasks.start_soon(ask, name)
        return {name: answers[name] for name in planned.targets if name in answers}

    def _refuse_secrets(self, planned: PlannedSync) -> None:
        if planned.reading.secrets and not self.settings.allow_secrets:
            raise SecretsDetected([f"{each.item_id} {each.place}" for each in planned.reading.secrets])

    def _is_refused(self, answer: Verification) -> bool:
        return answer.status != "verified" if self.settings.verify == "always" else not answer.may_be_applied

    async def standing(self, root: Path, scope: ScopeName | None = None) -> SyncStanding:
        """How every target stands; answers at once, even while a sync is running. Raises `SyncFailed`."""
        return await _in_a_thread(partial(self.standing_now, root, SyncAsk(scope=scope)))

    async def rollback(
        self, root: Path, scope: ScopeName | None, backup_id: str | None, *, skip_changed: bool, waits_s: float
    ) -> RolledBack:
        """Take one sync back, the last one if none is named; raises `SyncFailed`."""
        engine = self._engine(root, SyncAsk(scope=scope), waits_s, is_way_back=True)
        return await _in_a_thread(partial(engine.rollback, backup_id, skip_changed=skip_changed))

    def source_places(self, root: Path) -> SourcePlaces:
        """Where Claude Code's files for this project are."""
        if self.source is not None:
            return self.source(root)
        # A project that is gone has nothing of its own, not even what Claude Code still remembers of its path.
        project = root if self.files.is_dir(root) else self.data / "sync" / "no-project"
        return find_places(project, home=self.around.home, environment=self.around.variables, platform=self.platform)

    def scope_of(self, ask: SyncAsk) -> ScopeName:
        return ask.scope or self.settings.scope

    def plan_now(self, root: Path, ask: SyncAsk, waits_s: float = 0.0) -> PlannedSync:
        """The same as `plan`, for those who may block."""
        record = Record()
        return self._noting(record)._plan(root, ask, waits_s, record)

    def _noting(self, record: Record) -> SyncService:
        """The same service, which notes what it looks at."""
        variables = RecordingVariables(self.around.variables, record)
        return replace(self, files=RecordingFiles(self.files, record), around=replace(self.around, variables=variables))

    def _plan(self, root: Path, ask: SyncAsk, waits_s: float, record: Record) -> PlannedSync:
        engine = self._engine(root, ask, waits_s)
        if waits_s == 0 and (running := engine.running_s()) is not None:
            raise SyncBusy(running)
        engine.settle()
        return self._planned(root, ask, engine, record)

    def _planned(self, root: Path, ask: SyncAsk, engine: Syncing, record: Record) -> PlannedSync:
        reading = self._read(root, ask)
        plan = engine.plan_from(reading.view, ask.wish)
        return PlannedSync(ask, self.scope_of(ask), reading, plan, plan.inputs.states, record)

    def standing_now(self, root: Path, ask: SyncAsk) -> SyncStanding:
        """The same as `standing`, for those who may block."""
        record = Record()
        noting = self._noting(record)
        engine = noting._engine(root, ask, 0.0)
        scope, targets = self.scope_of(ask), tuple(self._targets(ask))
        running, is_unsettled = engine.running_s(), engine.is_unsettled
        planned = None
        if running is None and not is_unsettled:
            planned = noting._planned(root, ask, engine, record)
        states, gone = engine.states(), engine.gone()
        return SyncStanding(scope, planned, states, running, is_unsettled, engine.backups(), targets, gone)

    def _read(self, root: Path, ask: SyncAsk) -> SourceReading:
        targets, scopes = self._targets(ask), frozenset(self._roots(root, ask))
        return read_for(
            self.source_places(root), targets, self._places(root), scopes, self.around.variables, self.files
        )

    def _engine(self, root: Path, ask: SyncAsk, waits_s: float, *, is_way_back: bool = False) -> Syncing:
        """`is_way_back` reaches whatever any sync has written, for targets and scopes that are not asked for, too."""
        if root == self.around.home and self.scope_of(ask) != "user":
            raise HomeIsProject
        places, roots = self._places(root), self._roots(root, ask)
        targets, scopes = self._targets(ask), frozenset(roots)
        if is_way_back:
            targets, scopes = all_targets(), frozenset(roots if root == self.around.home else _EVERY_SCOPE)
        folders = (folder for target in targets.values() for folder in target.folders(places, scopes))
        settings = EngineSettings(
            SyncPlaces(self.data / "sync"),
            roots,
            tuple(dict.fromkeys(folders)),
            root,
            self.clock,
            waits_s,
            self.settings.backups_kept,
            self.settings.allow_secrets,
        )
        return Syncing(settings, lambda: self._read(root, ask).view, disk=self.disk, files=self.files)

    def _targets(self, ask: SyncAsk) -> Mapping[str, Target]:
        """The enabled ones, and those that are asked for: shared files are made for all of them together."""
        names = dict.fromkeys((*self.settings.targets, *ask.targets))
        return chosen_targets(names, allows_secrets=self.settings.allow_secrets)

    def _roots(self, root: Path, ask: SyncAsk) -> dict[OutputScope, Path]:
        roots: dict[OutputScope, Path] = {"user": self.around.home, "project": root}
        scope = self.scope_of(ask)
        return roots if scope == "all" else {scope: roots[scope]}

    def _places(self, root: Path) -> TargetPlaces:
        return TargetPlaces(root, self.around.home, self.around.variables, self.files)


async def _in_a_thread(work: Callable[[], T]) -> T:
    """A write that has begun is finished: a thread is waited for even if its call is cancelled."""
    from anyio.to_thread import run_sync

    return await run_sync(work)


def _to_remember(verified: Mapping[str, Verification]) -> Mapping[str, OpenVerdict | None]:
    from sightline.sync.verifying.remembering import to_remember

    return to_remember(verified)


def _said(answer: Verification) -> str:
    findings = "; ".join(each.message for each in answer.findings)
    return f"{answer.status.replace('_', ' ')}{f': {findings}' if findings else ''}"
