"""`sync_all`: Claude Code's configuration for every other agent CLI; shown first, then written as one transaction."""

from __future__ import annotations

from sightline.contract import Outcome
from sightline.sync.opening import SyncDoor
from sightline.sync.tools.sync_answer import CUT, SyncInput, SyncOutput, answered, render
from sightline.tool import Call, Hints, Tool


async def run(door: SyncDoor, call: Call, args: SyncInput) -> Outcome[SyncOutput]:
    return await answered(door, call, args)


SYNC_ALL = Tool(
    name="sync_all",
    title="Sync agent configuration",
    description=(
        "Carry Claude Code's configuration (rules, skills, MCP servers, permissions, …) over to the other agent CLIs. "
        "Shows a plan; then `apply` with its `plan_id` writes it, all or nothing."
    ),
    toolset="sync",
    input=SyncInput,
    output=SyncOutput,
    run=run,
    render=render,
    hints=Hints(read_only=False, destructive=True, idempotent=True),
    cut=CUT,
)
