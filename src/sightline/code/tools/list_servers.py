"""`list_servers`: which language servers are set up, and for which files."""

from __future__ import annotations

from sightline.code.server_states import ServerEntry, server_entries
from sightline.code.service import CodeService
from sightline.contract import Evidence, Outcome
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record


@record
class ListServersInput(LongToolInput):
    ask: bool = param("Start those that are found, to see whether they answer; takes seconds", default=False)


@record
class ListServersOutput:
    servers: list[ServerEntry] = output_field(brief=True)


async def run(service: CodeService, _call: Call, args: ListServersInput) -> Outcome[ListServersOutput]:
    entries = await server_entries(service.servers, service.router.catalogue.specs, ask=args.ask)
    method = "hand-shake" if args.ask else "settings"
    return Outcome(
        output=ListServersOutput(servers=entries), evidence=Evidence(method=method, scope="all language servers")
    )


def render(output: ListServersOutput) -> str:
    lines = [f"{len(output.servers)} language servers are set up"]
    for each in output.servers:
        lines.append(
            f"  {each.id} ({', '.join(each.languages)}): {' '.join(each.extensions)}; root by "
            f"{', '.join(each.root_markers)}; {_installed(each)}; {each.running} running; install: {each.install}"
        )
    return "\n".join(lines)


def _installed(entry: ServerEntry) -> str:
    told = [entry.installed, entry.version or "", f"({entry.reason})" if entry.reason else ""]
    return " ".join(part for part in told if part)


LIST_SERVERS = Tool(
    name="list_servers",
    title="List language servers",
    description="Language servers that are set up: languages, file endings, whether installed, how to install.",
    toolset="code",
    input=ListServersInput,
    output=ListServersOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("servers", narrower="ask with larger `max_results` and `max_total_chars`"),
)
