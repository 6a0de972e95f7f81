"""`get_server_status`: how the running language servers are doing."""

from __future__ import annotations

from sightline.code.server_states import ServerState, server_states
from sightline.code.service import CodeService
from sightline.contract import Evidence, Outcome
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, record


@record
class ServerStatusOutput:
    statuses: list[ServerState] = output_field(brief=True)
    interpreter_reason: str | None = None


async def run(service: CodeService, call: Call, _args: LongToolInput) -> Outcome[ServerStatusOutput]:
    view = (await service.navigator.views(call))[0]
    output = ServerStatusOutput(
        statuses=server_states(service.servers, view.paths),
        interpreter_reason=view.served.python.interpreter.reason if view.served.python else None,
    )
    return Outcome(output=output, evidence=Evidence(method="self", scope="running language servers"))


def render(output: ServerStatusOutput) -> str:
    lines = [
        f"{len(output.statuses)} language servers are running"
        + (f"; this project's interpreter: {output.interpreter_reason}" if output.interpreter_reason else "")
    ]
    for each in output.statuses:
        lines.append(
            f"  {each.id} {each.version or ''} {each.state} for {each.root}: pid {each.pid}, up {each.uptime_s} s, "
            f"{each.memory_mb} MB, {each.open_documents} open documents, {each.watched_files} files watched by "
            f"{each.watched_by}" + (f", interpreter {each.interpreter}" if each.interpreter else "")
        )
        lines += [f"    last error: {each.last_error}"] if each.last_error else []
        lines += [f"    stderr: {line}" for line in each.stderr]
    return "\n".join(lines)


GET_SERVER_STATUS = Tool(
    name="get_server_status",
    title="Language server status",
    description="Running language servers: state, version, interpreter and why, memory, last error, end of stderr.",
    toolset="code",
    input=LongToolInput,
    output=ServerStatusOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True, idempotent=False),
    cut=cut_list("statuses", narrower="ask with larger `max_results` and `max_total_chars`"),
)
