"""`restart_server`: end the language servers of a project, so that the next call starts new ones."""

from __future__ import annotations

from sightline.code.service import CodeService
from sightline.contract import Evidence, Outcome
from sightline.tool import Call, Hints, Tool, ToolInput, param, record


@record
class RestartInput(ToolInput):
    server_id: str | None = param("Only this server; default: all of the project", default=None, max_length=100)


@record
class RestartOutput:
    restarted: list[str]
    busy: list[str]


async def run(service: CodeService, call: Call, args: RestartInput) -> Outcome[RestartOutput]:
    restarted: list[str] = []
    busy: list[str] = []
    for key, workspace in service.servers.pool.workspaces().items():
        if not key.root.is_relative_to(call.root) or args.server_id not in (None, key.server_id):
            continue
        if workspace.users:
            busy.append(key.server_id)
        else:
            service.servers.pool.discard(workspace, "restart was asked for")
            restarted.append(key.server_id)
    output = RestartOutput(restarted=restarted, busy=busy)
    return Outcome(output=output, evidence=Evidence(method="self", scope="language servers of this project"))


def render(output: RestartOutput) -> str:
    ended = (
        f"ended: {', '.join(output.restarted)}; the next call starts anew" if output.restarted else "none was running"
    )
    return ended + (f"; in use and left alone: {', '.join(output.busy)}" if output.busy else "")


RESTART_SERVER = Tool(
    name="restart_server",
    title="Restart language server",
    description="End the project's language servers; the next call starts new ones. Use when one misbehaves.",
    toolset="code",
    input=RestartInput,
    output=RestartOutput,
    run=run,
    render=render,
    hints=Hints(read_only=False),
)
