"""`find_references`: every use of a name in the project, resolved, not grepped."""

from __future__ import annotations

from typing import Any

from sightline.code.navigation import Candidate, Location, View, find_target
from sightline.code.other_projects import elsewhere_notice, uses_elsewhere
from sightline.code.places import Place, PlaceInput
from sightline.code.pulled_check import evaluate_quotes
from sightline.code.server_trouble import in_trouble
from sightline.code.service import CodeService
from sightline.code.text_scan import scan_for_name
from sightline.code.tools.disambiguation import candidate_lines
from sightline.code.tools.locations import context_lines_param, location_lines
from sightline.contract import Notice, Outcome
from sightline.lsp.workspace import Workspace
from sightline.tool import Call, Hints, Tool, cut_list, output_field, param, record
from sightline.wording import counted


@record
class ReferencesInput(PlaceInput):
    include_declaration: bool = param("Also list the declaration itself", default=True)
    context_lines: int = context_lines_param()


@record
class ReferencesOutput:
    references: list[Location]
    count: int
    file_count: int
    needs_disambiguation: bool | None = None
    candidates: list[Candidate] | None = output_field(default=None, brief=True)


async def run(service: CodeService, call: Call, args: ReferencesInput) -> Outcome[ReferencesOutput]:
    target = await find_target(service.navigator, call, args)
    view = target.view
    if target.found is None:
        output = ReferencesOutput(
            references=[], count=0, file_count=0, needs_disambiguation=True, candidates=list(target.candidates)
        )
        return Outcome(output=output, evidence=view.evidence("no place was chosen"), server_id=view.server_id)
    context = {"includeDeclaration": args.include_declaration}
    late = await _quotes_evaluated(target.found.place, view)
    raws: list[Any] = await view.ask_at("textDocument/references", target.found, context=context) or []
    found = (view.location(raw, args.context_lines) for raw in raws)
    references = sorted(found, key=lambda each: (each.file, each.line, each.column))
    doubts, witness = _corroborated(target.found.place, view, references)
    elsewhere = () if doubts and view.served.python is None else await _elsewhere(target.found.place, view)
    return Outcome(
        output=ReferencesOutput(
            references=references, count=len(references), file_count=len({each.file for each in references})
        ),
        evidence=view.evidence("the whole project", corroboration=witness),
        warnings=(*target.notices, *in_trouble(view.server_id, view.trouble), *doubts, *late, *elsewhere),
        server_id=view.server_id,
    )


async def _quotes_evaluated(place: Place, view: View) -> tuple[Notice, ...]:
    name = place.name
    if name is None or not view.served.spec.knows_quotes_late:
        return ()

    async def work(workspace: Workspace) -> list[str]:
        return await evaluate_quotes(workspace, name, str(place.path), view.navigator.ready_within_s)

    unreached = await view.navigator.servers.with_workspace(view.served, work)
    if not unreached:
        return ()
    held = counted(len(unreached), "file")
    message = f"{held} with `{name}` in quotes could not be evaluated in time: uses there may be missing"
    return (Notice("quotes_not_evaluated", message),)


async def _elsewhere(place: Place, view: View) -> tuple[Notice, ...]:
    if place.name is None:
        return ()
    uses = [str(place.path), *(path for path, _ in view.files.values())]
    return elsewhere_notice(place.name, await uses_elsewhere(place.name, uses, view), view.call)


def _corroborated(place: Place, view: View, references: list[Location]) -> tuple[tuple[Notice, ...], str | None]:
    """References are held against a text scan: a cold or confused server must not read as "unused".

    Where the server is known to find all, only if it finds none in other files.
    """
    own = view.paths.display(place.path)
    found = {each.file for each in references} | {own}
    if place.name is None or (view.served.spec.sees_disk == "all" and len(found) > 1):
        return (), None
    files = view.workspace.files.files if view.workspace else ()
    elsewhere = {view.paths.display(hit.path) for hit in scan_for_name(place.name, files)} - found
    if not elsewhere:
        return (), "a text scan finds the name in no other file of the project"
    shown = ", ".join(sorted(elsewhere)[:5])
    message = (
        f"`{place.name}` stands as text in {len(elsewhere)} other files ({shown}): read them before calling it unused"
    )
    return (Notice("text_matches_elsewhere", message),), "a text scan finds the name in other files"


def render(output: ReferencesOutput) -> str:
    if output.candidates:
        head = f"{counted(output.count, 'reference')}: several symbols fit; name one of them:"
        return "\n".join([head, *candidate_lines(output.candidates)])
    head = f"{counted(output.count, 'reference')} in {counted(output.file_count, 'file')}"
    return "\n".join([head, *location_lines(output.references)])


FIND_REFERENCES = Tool(
    name="find_references",
    title="Find references",
    description=(
        "Every use of a function, class, method or variable in the project, resolved by the language server. "
        "Prefer it to grep before changing or removing something."
    ),
    toolset="code",
    input=ReferencesInput,
    output=ReferencesOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    is_core=True,
    cut=cut_list("references", narrower="ask with larger `max_results` and `max_total_chars`"),
    default_max_results=200,
    example={"symbol": "Catalogue.find"},
)
