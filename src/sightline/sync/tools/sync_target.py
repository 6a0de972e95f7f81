"""`sync_target`: the same as `sync_all` for one target; files that others share are still made for all of them."""

from __future__ import annotations

from sightline.config.schema import Target
from sightline.contract import Outcome
from sightline.sync.opening import SyncDoor
from sightline.sync.tools.sync_answer import CUT, SyncInput, SyncOutput, answered, render
from sightline.tool import Call, Hints, Tool, param, record


@record
class SyncTargetInput(SyncInput):
    target: Target = param("The agent CLI")


async def run(door: SyncDoor, call: Call, args: SyncTargetInput) -> Outcome[SyncOutput]:
    return await answered(door, call, args, args.target)


SYNC_TARGET = Tool(
    name="sync_target",
    title="Sync one agent CLI",
    description="As `sync_all`, for one agent CLI: plan, then `apply` with its `plan_id`.",
    toolset="sync",
    input=SyncTargetInput,
    output=SyncOutput,
    run=run,
    render=render,
    hints=Hints(read_only=False, destructive=True, idempotent=True),
    cut=CUT,
    example={"target": "codex"},
)
