"""What `sync_all` and `sync_target` share: input, output, the way from one to the other, and how an answer is cut."""

from __future__ import annotations

from typing import Literal

from sightline.contract import Outcome
from sightline.errors import invalid_params
from sightline.sync.opening import SyncDoor
from sightline.sync.report_records import SourceNote, TargetReport
from sightline.tool import Call, Cut, LongToolInput, output_field, param, record

Scope = Literal["project", "user", "all"]
Choice = Literal["keep", "take"]


@record
class SyncInput(LongToolInput):
    apply: bool = param("Write it; needs the `plan_id` of the preview", default=False)
    plan_id: str | None = param("From the preview", default=None, max_length=64)
    scope: Scope | None = param("Whose configuration", default=None)
    choices: dict[str, Choice] | None = param(
        "By `place` of a conflict, or `*`: keep the target's, take the source's", default=None, max_length=1000
    )


@record
class SyncOutput:
    status: str = output_field("in_sync, planned, blocked, success, partial")
    summary: str
    applied: bool
    scope: str
    plan_id: str | None = None
    blocked_reason: str | None = None
    backup_id: str | None = None
    targets: dict[str, TargetReport] = output_field(brief=True)
    source: list[SourceNote] = output_field("Not read as meant", brief=True)
    secrets: list[SourceNote] = output_field(brief=True)
    diff: str


async def answered(door: SyncDoor, call: Call, args: SyncInput, target: str | None = None) -> Outcome[SyncOutput]:
    """The plan, or what became of it; raises `ToolFailure`."""
    from sightline.sync.answering import applied, previewed

    if args.apply and not args.plan_id:
        raise invalid_params("`apply` needs a `plan_id`", "ask without `apply` first, look at the plan, then apply it")
    return await (applied if args.apply else previewed)(door.service(), call, args, target)


def render(output: SyncOutput) -> str:
    from sightline.sync.report_text import sync_text

    return sync_text(output)


def _total(output: SyncOutput) -> int:
    from sightline.sync.report_cutting import size_of

    return size_of(output)


def _keep(output: SyncOutput, count: int) -> SyncOutput:
    from sightline.sync.report_cutting import first_of

    return first_of(output, count)


CUT: Cut[SyncOutput] = Cut(_total, _keep, "ask with `sync_target`, or with a larger `max_total_chars`")
