"""`get_hover`: what a name is: its type or signature, and its documentation."""

from __future__ import annotations

import re
from typing import Any

from sightline.code.navigation import Candidate, View, find_target
from sightline.code.places import Place, PlaceInput
from sightline.code.service import CodeService
from sightline.code.tools.disambiguation import candidate_lines
from sightline.contract import Outcome
from sightline.lsp.markup import markup_text
from sightline.tool import Call, Hints, Tool, output_field, record

_FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n```\s*(?:---)?\s*(.*)\Z", re.DOTALL)


@record
class HoverOutput:
    symbol: str | None = output_field(default=None, null=True)
    type: str | None = output_field("Type or signature", default=None, null=True)
    documentation: str | None = output_field(default=None, null=True)
    file: str | None = None
    line: int | None = None
    column: int | None = None
    needs_disambiguation: bool | None = None
    candidates: list[Candidate] | None = output_field(default=None, brief=True)


async def run(service: CodeService, call: Call, args: PlaceInput) -> Outcome[HoverOutput]:
    target = await find_target(service.navigator, call, args)
    view = target.view
    if target.found is None:
        output = HoverOutput(needs_disambiguation=True, candidates=list(target.candidates))
    else:
        output = _output(target.found.place, view, await view.ask_at("textDocument/hover", target.found))
    return Outcome(
        output=output, evidence=view.evidence("one place"), warnings=target.notices, server_id=view.server_id
    )


def _output(place: Place, view: View, hover: Any) -> HoverOutput:
    kind, documentation = _split(markup_text(hover["contents"]) or "") if hover else (None, None)
    return HoverOutput(
        symbol=place.name if hover else None,
        type=kind,
        documentation=documentation,
        file=view.paths.display(place.path),
        line=place.line,
        column=place.column,
    )


def _split(markdown: str) -> tuple[str | None, str | None]:
    """Signature and documentation apart; the Markdown of the documentation is kept."""
    found = _FENCE.match(markdown)
    if not found:
        return None, markdown.strip() or None
    return found[1].strip() or None, found[2].replace("\\_", "_").strip() or None


def render(output: HoverOutput) -> str:
    if output.candidates:
        return "\n".join(["several symbols fit; name one of them:", *candidate_lines(output.candidates)])
    place = f"{output.file}:{output.line}:{output.column}"
    if output.symbol is None:
        return f"nothing is known about {place}"
    lines = [f"{output.symbol} at {place}", output.type or "(no type)"]
    return "\n".join([*lines, *(["", output.documentation] if output.documentation else [])])


GET_HOVER = Tool(
    name="get_hover",
    title="Hover",
    description="Type or signature and documentation of a name. Use before calling or changing something unfamiliar.",
    toolset="code",
    input=PlaceInput,
    output=HoverOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    is_core=True,
    example={"file": "shop/basket.py", "symbol": "Basket.put"},
)
