"""`get_sync_status`: how every target stands to the source; answers at once, even while a sync is running."""

from __future__ import annotations

from sightline.contract import Outcome
from sightline.sync.opening import SyncDoor
from sightline.sync.report_records import Conflict, Obstacle, SourceNote
from sightline.sync.tools.sync_answer import Scope
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record


@record
class SyncStatusInput(LongToolInput):
    scope: Scope | None = param("Whose configuration", default=None)


@record
class TargetStanding:
    """One target; `unknown` while a sync is running."""

    target: str
    status: str
    last_sync: str | None = None
    items: int
    pending: list[str]
    conflicts: list[Conflict]
    problems: list[Obstacle]
    carried: dict[str, int]
    steps: list[str]
    notes: list[str]


@record
class SyncStatusOutput:
    summary: str
    scope: str
    running_s: float | None = None
    interrupted: bool | None = None
    targets: list[TargetStanding] = output_field(brief=True)
    source: list[SourceNote] = output_field("Could not be read, so it is left as it is", brief=True)
    backups: list[str] = output_field(brief=True)


async def run(door: SyncDoor, call: Call, args: SyncStatusInput) -> Outcome[SyncStatusOutput]:
    from sightline.sync.answering import standing

    return await standing(door.service(), call, args)


def render(output: SyncStatusOutput) -> str:
    from sightline.sync.report_text import status_text

    return status_text(output)


GET_SYNC_STATUS = Tool(
    name="get_sync_status",
    title="Status of agent configuration",
    description="Whether the other agent CLIs hold what Claude Code's configuration says: drift, conflicts, losses.",
    toolset="sync",
    input=SyncStatusInput,
    output=SyncStatusOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("targets", narrower="ask with a larger `max_total_chars`"),
)
