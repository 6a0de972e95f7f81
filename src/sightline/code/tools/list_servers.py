"""`list_servers`: which language servers are set up, and for which files."""

from __future__ import annotations

from sightline.code.server_states import ServerEntry, server_entries
from sightline.code.service import CodeService
from sightline.contract import Evidence, Outcome
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, record


@record
class ListServersOutput:
    servers: list[ServerEntry]


async def run(service: CodeService, _call: Call, _args: LongToolInput) -> Outcome[ListServersOutput]:
    output = ListServersOutput(servers=server_entries(service.servers, service.router.catalogue.specs))
    return Outcome(output=output, evidence=Evidence(method="settings", scope="all language servers"))


def render(output: ListServersOutput) -> str:
    lines = [f"{len(output.servers)} language servers are set up"]
    for each in output.servers:
        lines.append(
            f"  {each.id} ({', '.join(each.languages)}): {' '.join(each.extensions)}; root by "
            f"{', '.join(each.root_markers)}; {each.running} running; install: {each.install}"
        )
    return "\n".join(lines)


LIST_SERVERS = Tool(
    name="list_servers",
    title="List language servers",
    description="Language servers that are set up: languages, file endings, how a root is found, how to install.",
    toolset="code",
    input=LongToolInput,
    output=ListServersOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("servers", narrower="ask with larger `max_results` and `max_total_chars`"),
)
