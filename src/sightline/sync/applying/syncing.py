"""Plan, apply, take back: the one place where a plan becomes files, together with its state and its backup.

Everything that a sync writes goes through one transaction, so after a crash all of it is old or all of it is new.
The source is read by a function that is handed in, because applying has to read it again.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.applying.backups import (
    Backup,
    BackupEntry,
    Memory,
    backup_bytes,
    entry_for,
    list_backups,
    memory_before,
    next_id,
    pieces_of,
    read_backup,
)
from sightline.sync.applying.failures import NoSuchBackup, NotWritten, SecretsDetected, StalePlan, SyncBusy
from sightline.sync.applying.folders import abandoned_folders, remove_folders, without_abandoned
from sightline.sync.applying.locks import hold_locks, running_for
from sightline.sync.applying.places import SyncPlaces
from sightline.sync.applying.rolling_back import RolledBack, way_back
from sightline.sync.applying.state_files import read_gone_states, read_other_states, read_states, state_bytes
from sightline.sync.applying.verdicts import Verdicts, with_verdicts
from sightline.sync.files import DISK, Files
from sightline.sync.formats.three_way import Choice
from sightline.sync.model_values import InputFile
from sightline.sync.outputs import OutputScope, Rendered
from sightline.sync.planning import (
    Blocked,
    PathChange,
    Plan,
    PlanInputs,
    StateKey,
    TargetState,
    make_plan,
    paths_to_read,
    read_present,
)
from sightline.sync.planning.holders import StateRoot, state_roots
from sightline.sync.secrets import SecretValues, leaks
from sightline.transactions import Busy, Disk, FileChange, FileTransactions, Recovered, StaleContent, TransactionFailed


@frozen
class SourceView:
    """What the source says now, rendered for all enabled targets."""

    rendered: Mapping[str, Rendered]
    inputs: tuple[InputFile, ...] = ()
    blocked: Blocked = Blocked()
    secrets: SecretValues = field(default_factory=SecretValues, repr=False)


@frozen
class SyncWish:
    """What a caller wants planned: all targets or some, with what a person said about conflicts."""

    only: frozenset[str] | None = None
    choices: Mapping[str, Choice] = field(default_factory=dict[str, Choice])


@frozen
class SyncSettings:
    """`roots`: the project and the home folder, for the scopes in play; `allowed`: what may be written to at all.

    `project` owns what of it can only stand in the user's files. `wait_s` is how long to wait for another sync; with 0
    the answer is `SyncBusy` at once. `clock` counts seconds since the epoch.
    """

    places: SyncPlaces
    roots: Mapping[OutputScope, Path]
    allowed: tuple[Path, ...]
    project: Path | None
    clock: Callable[[], float]
    wait_s: float = 0.0
    backups_kept: int = 10
    allow_secrets: bool = False


@frozen
class MadePlan:
    """A plan that was made already, and whether all that was looked at for it is still so."""

    plan: Plan
    is_unmoved: Callable[[], bool]

    def holds(self, wish: SyncWish) -> bool:
        """Whether the same would be planned now."""
        inputs = self.plan.inputs
        return wish == SyncWish(inputs.only, inputs.choices) and self.is_unmoved()


@frozen
class AppliedPlan:
    """What was done; no backup id if nothing was, or if no backups are kept. `parted` files have lost hard links."""

    plan: Plan
    backup_id: str | None
    parted: tuple[Path, ...] = ()


class Syncing:
    """The syncs of one project and one user; calls block."""

    def __init__(
        self,
        settings: SyncSettings,
        read_source: Callable[[], SourceView],
        *,
        disk: Disk | None = None,
        files: Files = DISK,
    ) -> None:
        self._settings = settings
        self._places = settings.places
        self._read_source = read_source
        self._disk = disk or Disk()
        self._files = files
        self._transactions = FileTransactions(self._places.journal, disk=self._disk)

    def plan(self, wish: SyncWish | None = None) -> Plan:
        """What would be done now; reads only. Raises `StateDamaged`."""
        return self.plan_from(self._read_source(), wish)

    def plan_from(self, source: SourceView, wish: SyncWish | None = None) -> Plan:
        """The same for a source that was read already."""
        states, wish, settings = self.states(), wish or SyncWish(), self._settings
        present = read_present(paths_to_read(source.rendered, settings.roots, states), settings.allowed, self._files)
        return make_plan(
            PlanInputs(
                source.rendered,
                settings.roots,
                states,
                present,
                settings.allowed,
                source.inputs,
                source.blocked,
                wish.choices,
                wish.only,
                source.secrets,
                settings.allow_secrets,
                settings.project,
                self._other_states(settings.roots),
            )
        )

    def states(self) -> dict[StateKey, TargetState]:
        """What every target holds because of us; raises `StateDamaged`."""
        return read_states(self._places, self._state_roots(), self._files)

    def gone(self) -> dict[StateKey, TargetState]:
        """What projects that are not there any more have in the person's files; raises `StateDamaged`."""
        return read_gone_states(self._places, self._files)

    def running_s(self) -> float | None:
        """For how long a sync has been running, none if there is none; answers at once."""
        return running_for(self._locks(self._settings.roots), self._settings.clock)

    def recover(self) -> tuple[Recovered, ...]:
        """Settle what a dead process left, once at the start; raises `SyncBusy` while a live one writes."""
        with _translated(), self._locked(self._settings.roots):
            return self._recover()

    @property
    def is_unsettled(self) -> bool:
        """Whether something is half-written: by a process that died, or by one that is at it."""
        if not self._files.is_dir(self._places.journal) or not self._files.entries(self._places.journal):
            return False
        return self._transactions.is_unsettled

    def settle(self) -> None:
        """Settle what a dead process left; what a live one is writing is of another project, and its own business."""
        if not self.is_unsettled and not without_abandoned(self.states(), self._files):
            return
        with _translated(), self._locked(self._settings.roots), contextlib.suppress(Busy):
            self._recover()

    def apply(
        self,
        plan_id: str,
        wish: SyncWish | None = None,
        *,
        made: MadePlan | None = None,
        verdicts: Verdicts | None = None,
    ) -> AppliedPlan:
        """Make the plan, or take the one that was made if it holds; if it is this one, carry it out as a whole.

        What the targets said to it is remembered. Raises `SyncFailed`.
        """
        with _translated(plan_id), self._locked(self._settings.roots):
            self._recover()
            wish = wish or SyncWish()
            plan = made.plan if made is not None and made.holds(wish) else self.plan(wish)
            if plan.plan_id != plan_id:
                raise StalePlan(plan_id, plan.plan_id)
            return self._carry_out(plan, verdicts or {})

    def backups(self) -> tuple[str, ...]:
        """The ids of syncs that can be taken back, oldest first."""
        return tuple(path.stem for path in list_backups(self._backup_folder()))

    def rollback(self, backup_id: str | None = None, *, skip_changed: bool = False) -> RolledBack:
        """Undo one sync, the last one by default, to the byte.

        If a file was changed since, nothing is done and the conflicts are told, or with `skip_changed` the others are
        restored. Raises `SyncFailed`.
        """
        backup = read_backup(self._backup_path(backup_id))
        reached: dict[OutputScope, Path] = {**self._settings.roots, **backup.roots}
        with _translated(), self._locked(reached):
            self._recover()
            backup = read_backup(self._backup_path(backup.backup_id))
            roots: list[StateRoot] = [(key.scope, key.root) for key in backup.memories]
            current = read_states(self._places, roots)
            back = way_back(backup, current, self._settings.allowed, self._other_states(reached))
            if back.conflicts and not skip_changed:
                return RolledBack(backup.backup_id, (), back.conflicts)
            changes = [*back.changes, *self._state_changes(back.states), _removal(self._backup_path(backup.backup_id))]
            self._transactions.apply(changes)
            self._finish(read_states(self._places, roots))
            return RolledBack(backup.backup_id, tuple(change.path for change in back.changes), back.conflicts)

    def _carry_out(self, plan: Plan, verdicts: Verdicts) -> AppliedPlan:
        states, secrets = plan.inputs.states, plan.inputs.secrets
        if plan.is_empty:
            if told := with_verdicts({}, states, verdicts):
                self._transactions.apply(list(self._state_changes(told)))
            return AppliedPlan(plan, None)
        now = datetime.fromtimestamp(self._settings.clock(), UTC).isoformat(timespec="seconds")
        stamped = {key: replace(state, applied_at=now) for key, state in plan.states.items()}
        after = with_verdicts(stamped, states, verdicts)
        writes = [FileChange(change.path, change.before, change.after, change.mode) for change in plan.writes]
        own = list(self._state_changes(after))
        backup = self._backup(plan, self._memories(states, after), now)
        own += self._backup_changes(backup)
        if not self._settings.allow_secrets:
            _refuse_leaks([*writes, *own], pieces_of(backup), secrets)
        applied = self._transactions.apply([*writes, *own])
        self._finish({**states, **after})
        return AppliedPlan(plan, backup.backup_id if self._settings.backups_kept else None, applied.parted)

    def _memories(
        self, states: Mapping[StateKey, TargetState], after: Mapping[StateKey, TargetState]
    ) -> dict[StateKey, Memory]:
        """What is remembered before, where it changes; that is also where nothing but folders is forgotten."""
        later = {**states, **after}
        abandoned = frozenset(abandoned_folders(later, self._settings.allowed))
        changed = (key for key, state in later.items() if key in after or state.folders & abandoned)
        return {key: memory_before(states.get(key, TargetState()), later[key]) for key in changed}

    def _backup(self, plan: Plan, memories: Mapping[StateKey, Memory], now: str) -> Backup:
        backup_id = next_id(list_backups(self._backup_folder()), plan.plan_id)
        entries = tuple(_backup_entry(change) for change in plan.writes)
        return Backup(backup_id, plan.plan_id, now, self._settings.roots, entries, memories)

    def _backup_changes(self, backup: Backup) -> Iterator[FileChange]:
        """The new backup, and the end of those that are too many."""
        kept = self._settings.backups_kept
        existing = list_backups(self._backup_folder())
        if kept:
            yield FileChange(self._backup_folder() / f"{backup.backup_id}.json", None, backup_bytes(backup), 0o600)
        for path in existing[: max(0, len(existing) - max(0, kept - 1))]:
            yield _removal(path)

    def _state_changes(self, states: Mapping[StateKey, TargetState | None]) -> Iterator[FileChange]:
        for key, state in states.items():
            path = self._places.state(key)
            before = path.read_bytes() if path.exists() else None
            after = None if state is None else state_bytes(key, state)
            yield FileChange(path, before, after, None if after is None else 0o600)

    def _recover(self) -> tuple[Recovered, ...]:
        recovered = self._transactions.recover()
        self._finish(self.states())
        return recovered

    def _finish(self, states: Mapping[StateKey, TargetState]) -> None:
        """Remove folders that nothing of ours is in any more; after a crash the next sync goes on with it."""
        remove_folders(abandoned_folders(states, self._settings.allowed), self._disk)
        changes = list(self._state_changes(without_abandoned(states)))
        if changes:
            self._transactions.apply(changes)

    def _other_states(self, scopes: Mapping[OutputScope, Path]) -> dict[StateKey, TargetState]:
        """What other projects have in the person's files, if these may be written."""
        if "user" not in scopes:
            return {}
        return read_other_states(self._places, state_roots(scopes, self._settings.project), self._files)

    def _state_roots(self) -> tuple[StateRoot, ...]:
        return state_roots(self._settings.roots, self._settings.project)

    def _locked(self, roots: Mapping[OutputScope, Path]) -> AbstractContextManager[None]:
        self._places.folder.mkdir(0o700, parents=True, exist_ok=True)
        return hold_locks(self._locks(roots), self._settings.wait_s, self._settings.clock)

    def _locks(self, roots: Mapping[OutputScope, Path]) -> Sequence[Path]:
        return [self._places.lock(root, scope) for scope, root in roots.items()]

    def _backup_folder(self) -> Path:
        roots = self._settings.roots
        scope: OutputScope = "project" if "project" in roots else "user"
        return self._places.backups(roots[scope], scope)

    def _backup_path(self, backup_id: str | None) -> Path:
        known = {path.stem: path for path in list_backups(self._backup_folder())}
        wanted = next(reversed(known), None) if backup_id is None else backup_id
        if wanted is None or wanted not in known:
            raise NoSuchBackup(backup_id)
        return known[wanted]


def _removal(path: Path) -> FileChange:
    return FileChange(path, path.read_bytes(), None)


def _backup_entry(change: PathChange) -> BackupEntry:
    is_mode_lost = change.after is None or change.mode is not None
    mode = stat.S_IMODE(change.path.stat().st_mode) if change.before is not None and is_mode_lost else None
    return entry_for(change.path, change.before, change.after, mode)


def _refuse_leaks(changes: Iterable[FileChange], pieces: Iterable[bytes], secrets: SecretValues) -> None:
    """What a file held before, its owner put there; everything that we add is looked through."""
    path = Path()
    for change in changes:
        path = change.path
        known = leaks(change.before or b"", secrets)
        if new := [place for place in leaks(change.after or b"", secrets) if place not in known]:
            raise SecretsDetected(new, path)
    for piece in pieces:
        if found := leaks(piece, secrets):
            raise SecretsDetected(found, path)


@contextlib.contextmanager
def _translated(plan_id: str = "") -> Generator[None]:
    try:
        yield
    except Busy:
        raise SyncBusy(None) from None
    except StaleContent:
        raise StalePlan(plan_id, "") from None
    except TransactionFailed as error:
        raise NotWritten(str(error)) from error
    except OSError as error:
        raise NotWritten(f"`{error.filename}`: {error.strerror}") from error
