"""From a call of a sync tool to its outcome: the service's answers as records, its failures as `ToolFailure`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sightline.config.schema import SyncSettings
from sightline.contract import Evidence, Notice, Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.sync.applying import StalePlan, SyncBusy, SyncFailed
from sightline.sync.formats.three_way import Choice
from sightline.sync.reports import (
    Names,
    carried,
    conflicts_of,
    gone_notes,
    items_of,
    last_sync,
    not_understood,
    obstacle,
    overall_status,
    secret_notes,
    source_notes,
    target_reports,
    unread_notes,
)
from sightline.sync.service import DoneSync, PlannedSync, SyncAsk, SyncService, SyncStanding
from sightline.sync.tools.get_sync_status import SyncStatusInput, SyncStatusOutput, TargetStanding
from sightline.sync.tools.sync_answer import SyncInput, SyncOutput
from sightline.tool import Call
from sightline.wording import counted

_RETRY_MS = 1_000


async def previewed(service: SyncService, call: Call, args: SyncInput, target: str | None) -> Outcome[SyncOutput]:
    """What would be done; nothing is written."""
    ask = ask_of(args, target)
    with failures():
        planned = await service.plan(call.root, ask)
    _refuse_unknown_places(planned)
    return sync_outcome(service.settings, Names(call.root, service.around.home), planned, None)


def _refuse_unknown_places(planned: PlannedSync) -> None:
    """A place that was mistyped would be left alone without a word."""
    if unknown := planned.unknown_choices:
        conflicts = ", ".join(f"`{place}`" for place in planned.plan.conflicts) or "none"
        raise invalid_params(f"`choices`: nothing is at `{unknown[0]}` in this plan", f"conflicts are at: {conflicts}")


async def applied(service: SyncService, call: Call, args: SyncInput, target: str | None) -> Outcome[SyncOutput]:
    """What was done."""
    ask = ask_of(args, target)
    with failures():
        done = await service.apply(call.root, ask, args.plan_id or "", call.progress)
    return sync_outcome(service.settings, Names(call.root, service.around.home), done.planned, done)


async def standing(service: SyncService, call: Call, args: SyncStatusInput) -> Outcome[SyncStatusOutput]:
    """How everything stands."""
    with failures():
        stands = await service.standing(call.root, args.scope)
    return status_outcome(Names(call.root, service.around.home), stands)


def status_outcome(names: Names, stands: SyncStanding) -> Outcome[SyncStatusOutput]:
    """How everything stands, and how we know."""
    return Outcome(output=status_output(names, stands), evidence=Evidence("files", scope=f"scope {stands.scope}"))


def status_output(names: Names, stands: SyncStanding) -> SyncStatusOutput:
    """How everything stands, as an answer."""
    targets = [_target_standing(name, stands, names) for name in stands.targets]
    return SyncStatusOutput(
        summary=_status_summary(stands, targets),
        scope=stands.scope,
        running_s=None if stands.running_s is None else round(stands.running_s, 1),
        interrupted=True if stands.is_unsettled and stands.running_s is None else None,
        targets=targets,
        source=[] if stands.planned is None else unread_notes(stands.planned.reading, names),
        backups=list(stands.backups),
    )


def ask_of(args: SyncInput, target: str | None) -> SyncAsk:
    choices = {place: Choice(each) for place, each in (args.choices or {}).items()}
    return SyncAsk((target,) if target else (), args.scope, choices)


@contextmanager
def failures() -> Generator[None]:
    """What sync cannot do, as a failure of the tool."""
    try:
        yield
    except SyncFailed as error:
        raise tool_failure(error) from None


def tool_failure(error: SyncFailed) -> ToolFailure:
    """The failure as a tool tells it, with the next step."""
    if not isinstance(error, SyncBusy):
        return ToolFailure(error.kind, str(error), _remedy(error), retryable=isinstance(error, StalePlan))
    since = {} if error.running_s is None else {"running_s": round(error.running_s, 1)}
    return ToolFailure(
        ErrorKind.BUSY,
        str(error),
        NextStep("tool", "see how it goes", tool="get_sync_status", arguments={}),
        retryable=True,
        retry_after_ms=_RETRY_MS,
        data=since or None,
    )


def _remedy(error: SyncFailed) -> NextStep:
    match error.kind:
        case ErrorKind.STALE_PLAN:
            return NextStep("tool", "look at the plan of now, then apply it", tool="sync_all", arguments={})
        case ErrorKind.SECRETS_DETECTED:
            return NextStep("config", "put the value into an environment variable and write `${NAME}` in its place")
        case ErrorKind.NO_MATCH:
            return NextStep("command", "`sightline sync status` lists what can be taken back")
        case ErrorKind.INVALID_PARAMS:
            return NextStep("doc", "sync the user's own configuration from there: scope `user`")
        case _:
            return NextStep("command", "`sightline sync diff` shows the plan, `sightline sync status` how things stand")


def sync_outcome(
    settings: SyncSettings, names: Names, planned: PlannedSync, done: DoneSync | None
) -> Outcome[SyncOutput]:
    """A plan, or what became of it, and how we know."""
    output = sync_output(settings, names, planned, done)
    evidence = Evidence("files", scope=f"scope {planned.scope}, {len(planned.reading.tree.inputs)} source files")
    return Outcome(output=output, evidence=evidence, warnings=_warnings(done))


def sync_output(
    settings: SyncSettings, names: Names, planned: PlannedSync, done: DoneSync | None, *, has_diff: bool = True
) -> SyncOutput:
    """A plan, or what became of it, as an answer."""
    is_blocked = bool(planned.reading.secrets) and not settings.allow_secrets
    status = overall_status(planned, done, is_blocked=is_blocked)
    return SyncOutput(
        status=status,
        summary=_summary(planned, done, status),
        applied=done is not None and not planned.plan.is_empty,
        scope=planned.scope,
        plan_id=None if is_blocked or planned.plan.is_empty else planned.plan.plan_id,
        blocked_reason=ErrorKind.SECRETS_DETECTED if is_blocked else None,
        backup_id=done.applied.backup_id if done else None,
        targets=target_reports(planned, done.verified if done else {}, names, is_applied=done is not None),
        source=source_notes(planned.reading, names),
        secrets=secret_notes(planned.reading, names) if is_blocked else [],
        diff=planned.plan.diff if has_diff else "",
    )


def _warnings(done: DoneSync | None) -> tuple[Notice, ...]:
    if done is None or not done.applied.parted:
        return ()
    names = ", ".join(f"`{path}`" for path in done.applied.parted)
    return (Notice("hard_links_parted", f"other hard links of these files keep the old content: {names}"),)


def _summary(planned: PlannedSync, done: DoneSync | None, status: str) -> str:
    plan = planned.plan
    files = f"{len(plan.writes)} file{'' if len(plan.writes) == 1 else 's'}"
    left = [counted(len(plan.conflicts), "conflict")] if plan.conflicts else []
    left += [f"{counted(len(plan.problems), 'file')} left alone"] if plan.problems else []
    left += [] if planned.reading.tree.is_read_whole else ["parts of the source could not be read"]
    if done is not None or not plan.writes:
        left += [f"{name} has not understood all of it" for name in not_understood(planned, done)]
    more = f"; {', '.join(left)}" if left else ""
    names = ", ".join(planned.targets)
    if status == "blocked":
        return f"blocked: {len(planned.reading.secrets)} literal secrets in the source; nothing can be written{more}"
    if done is not None and plan.writes:
        return f"{files} written for {names}{more}"
    if plan.writes:
        return f"{files} would change for {names}{more}"
    remembered = "" if plan.is_empty or done is not None else ", but to remember that what stands there is meant"
    return f"nothing to do for {names}{remembered}{more}"


def _status_summary(stands: SyncStanding, targets: list[TargetStanding]) -> str:
    if stands.running_s is not None:
        return f"a sync has been running for {stands.running_s:.0f} s; what it is at is not looked into"
    if stands.is_unsettled:
        return "a sync is being written or was interrupted; the next sync settles it"
    return ", ".join(f"{each.target}: {each.status}" for each in targets)


def _target_standing(name: str, stands: SyncStanding, names: Names) -> TargetStanding:
    mine = [state for key, state in stands.states.items() if key.target == name]
    planned = stands.planned
    if planned is None:
        return TargetStanding(
            target=name,
            status="unknown",
            last_sync=last_sync(stands, name),
            items=items_of(mine),
            pending=[],
            conflicts=[],
            problems=[],
            carried={},
            steps=[],
            notes=[],
        )
    report = target_reports(planned, {}, names, is_applied=False)[name]
    rendered = planned.reading.view.rendered[name]
    return TargetStanding(
        target=name,
        status=report.status,
        last_sync=last_sync(stands, name),
        items=items_of(mine),
        pending=[f"{each.action} {each.path}" for each in report.changes],
        conflicts=conflicts_of(planned.plan.for_target(name)),
        problems=[obstacle(each, names) for each in planned.plan.problems if name in each.targets],
        carried=carried(rendered),
        steps=list(rendered.steps),
        notes=[*report.notes, *gone_notes(name, stands.gone, names)],
    )
