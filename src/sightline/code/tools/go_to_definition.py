"""`go_to_definition`: where a name comes from."""

from __future__ import annotations

from typing import Any, Literal, cast

from sightline.code.navigation import Candidate, Location, find_target
from sightline.code.places import PlaceInput
from sightline.code.service import CodeService
from sightline.code.tools.disambiguation import candidate_lines
from sightline.code.tools.locations import context_lines_param, location_lines
from sightline.contract import Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.tool import Call, Hints, Tool, cut_list, output_field, param, record

Kind = Literal["definition", "declaration", "type_definition", "implementation"]

_METHODS: dict[Kind, str] = {
    "definition": "textDocument/definition",
    "declaration": "textDocument/declaration",
    "type_definition": "textDocument/typeDefinition",
    "implementation": "textDocument/implementation",
}


@record
class DefinitionInput(PlaceInput):
    kind: Kind = param("What to go to", default="definition")
    context_lines: int = context_lines_param()


@record
class DefinitionOutput:
    definitions: list[Location]
    kind: Kind
    needs_disambiguation: bool | None = None
    candidates: list[Candidate] | None = output_field(default=None, brief=True)


async def run(service: CodeService, call: Call, args: DefinitionInput) -> Outcome[DefinitionOutput]:
    target = await find_target(service.navigator, call, args)
    view = target.view
    if target.found is None:
        candidates = list(target.candidates)
        output = DefinitionOutput(definitions=[], kind=args.kind, needs_disambiguation=True, candidates=candidates)
    else:
        try:
            raws = await view.ask_at(_METHODS[args.kind], target.found)
        except ToolFailure as failure:
            raise _explained(failure, args) from None
        found = [view.location(raw, args.context_lines) for raw in _as_list(raws)]
        output = DefinitionOutput(definitions=found, kind=args.kind)
    return Outcome(
        output=output, evidence=view.evidence("one place"), warnings=target.notices, server_id=view.server_id
    )


def _as_list(raws: Any) -> list[Any]:
    if raws is None:
        return []
    return cast("list[Any]", raws) if isinstance(raws, list) else [raws]


def _explained(failure: ToolFailure, args: DefinitionInput) -> ToolFailure:
    if failure.kind is not ErrorKind.UNSUPPORTED:
        return failure
    message = f"this language server does not offer `kind={args.kind}`"
    step = NextStep("doc", "use `find_references` on the class or method, and read those that inherit or override")
    return ToolFailure(ErrorKind.UNSUPPORTED, message, step, code=failure.code)


def render(output: DefinitionOutput) -> str:
    if output.candidates:
        return "\n".join([f"several symbols fit for {output.kind}; name one:", *candidate_lines(output.candidates)])
    if not output.definitions:
        return f"no {output.kind} found for this place"
    count = len(output.definitions)
    return "\n".join([f"{count} {output.kind}{'s' if count > 1 else ''}:", *location_lines(output.definitions)])


GO_TO_DEFINITION = Tool(
    name="go_to_definition",
    title="Go to definition",
    description="Where a name is defined, also in installed packages and the standard library, with the source line.",
    toolset="code",
    input=DefinitionInput,
    output=DefinitionOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    is_core=True,
    cut=cut_list("definitions", narrower="ask with larger `max_results` and `max_total_chars`"),
    default_max_results=20,
    example={"file": "shop/basket.py", "line": 3, "symbol": "Catalogue"},
)
