"""How other agent CLIs stand to Claude Code's configuration. Only planned: nothing is written, no CLI is asked."""

from __future__ import annotations

from sightline.children import Children
from sightline.doctor.finding import Finding, error, ok, warning
from sightline.doctor.subject import Subject
from sightline.surroundings import Surroundings
from sightline.sync.applying import HomeIsProject, SyncFailed
from sightline.sync.opening import SyncDoor
from sightline.sync.planning.status import TargetStatus, status_of
from sightline.sync.service import PlannedSync, SyncStanding


async def check_sync(subject: Subject) -> list[Finding]:
    around = Surroundings(subject.environment, subject.home)
    with Children() as children:
        door = SyncDoor(subject.settings.sync, around, subject.places.data, children, subject.platform)
        try:
            standing = await door.service().standing(subject.root)
        except HomeIsProject:
            return [ok("the home folder is no project to sync")]
        except SyncFailed as failure:
            return [error(f"how sync stands is not known: {failure}", "`sightline sync status` says more")]
    return [*_judged(standing), *_gone(standing)]


def _gone(standing: SyncStanding) -> list[Finding]:
    """What projects that are not there any more left in the person's files."""
    return [
        warning(
            f"`{root}` is not there any more, but a sync of it left something in your files", "`sightline sync status`"
        )
        for root in dict.fromkeys(key.root for key in standing.gone)
    ]


def _judged(standing: SyncStanding) -> list[Finding]:
    if standing.running_s is not None:
        return [ok(f"a sync is running for {standing.running_s:.0f} s")]
    if standing.planned is None:
        return [warning("a sync was cut short", "`sightline sync --dry-run` settles it")]
    return [_target(name, standing.planned, standing.scope) for name in standing.targets]


def _target(name: str, planned: PlannedSync, scope: str) -> Finding:
    """Who never synced is not ill for having files of their own: a conflict counts where a sync was made."""
    status = status_of(name, planned.plan, planned.states)
    is_known = any(key.target == name for key in planned.states)
    if status is TargetStatus.IN_SYNC and not is_known:
        return ok(f"{name}, {scope}: never synced, and nothing to carry over")
    if status is TargetStatus.IN_SYNC and (said := planned.open_verdicts.get(name)) is not None and said.is_failed:
        return warning(f"{name}, {scope}: its own command has not understood all of it", "`sightline sync status`")
    if status is TargetStatus.IN_SYNC:
        return ok(f"{name}, {scope}: holds what Claude Code's configuration says")
    if not is_known:
        return ok(f"{name}, {scope}: never synced; `sightline sync diff` shows what would be carried over")
    if status is TargetStatus.CONFLICT:
        return warning(f"{name}, {scope}: both sides changed, or a file is in the way", "`sightline sync status`")
    return warning(f"{name}, {scope}: no longer holds what Claude Code's configuration says", "`sightline sync`")
