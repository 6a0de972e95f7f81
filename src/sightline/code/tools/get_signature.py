"""`get_signature`: the signatures of the call at a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.code.service import CodeService
from sightline.code.tools.get_completions import cursor_at
from sightline.contract import Outcome
from sightline.lsp.markup import markup_text
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record
from sightline.wording import counted


@record
class SignatureInput(LongToolInput):
    file: str = param("File, from the project root", max_length=4096)
    line: int = param("Line, from 1", ge=1, le=10_000_000)
    column: int = param("Column inside the call's parentheses, from 1", ge=1, le=10_000_000)


@record
class Signature:
    label: str
    parameters: list[str]
    documentation: str | None = None


@record
class SignatureOutput:
    signatures: list[Signature] = output_field(brief=True)
    active_signature: int | None = output_field("From 0", default=None, null=True)
    active_parameter: int | None = output_field("From 0", default=None, null=True)


async def run(service: CodeService, call: Call, args: SignatureInput) -> Outcome[SignatureOutput]:
    view, path = await service.navigator.view_of_file(call, args.file)
    place = cursor_at(view, path, args.line, args.column)
    params = view.at(place)
    result = await view.ask("textDocument/signatureHelp", params, path)
    return Outcome(output=_output(result), evidence=view.evidence("one position"), server_id=view.server_id)


def _output(result: Any) -> SignatureOutput:
    if not result or not result.get("signatures"):
        return SignatureOutput(signatures=[])
    signatures = [_signature(raw) for raw in result["signatures"]]
    active = int(result.get("activeSignature") or 0)
    own = result["signatures"][min(active, len(signatures) - 1)].get("activeParameter")
    parameter = own if own is not None else result.get("activeParameter")
    return SignatureOutput(signatures=signatures, active_signature=active, active_parameter=parameter)


def _signature(raw: Mapping[str, Any]) -> Signature:
    label = str(raw["label"])
    return Signature(
        label=label,
        parameters=[_parameter(each["label"], label) for each in raw.get("parameters", [])],
        documentation=markup_text(raw.get("documentation")),
    )


def _parameter(label: Any, signature: str) -> str:
    """A parameter's text, told as text or as offsets into the signature in UTF-16 units."""
    if isinstance(label, str):
        return label
    start, end = label
    return signature.encode("utf-16-le")[start * 2 : end * 2].decode("utf-16-le")


def render(output: SignatureOutput) -> str:
    if not output.signatures:
        return "no call at this position"
    count = counted(len(output.signatures), "signature")
    lines = [f"{count}; active {output.active_signature}, parameter {output.active_parameter}"]
    for each in output.signatures:
        lines += [f"  {each.label}", f"    parameters: {'; '.join(each.parameters) or 'none'}"]
        lines += [f"    {line}" for line in (each.documentation or "").splitlines()]
    return "\n".join(lines)


GET_SIGNATURE = Tool(
    name="get_signature",
    title="Signature",
    description="Signatures of the call that a position lies in, with overloads and the parameter at the position.",
    toolset="code",
    input=SignatureInput,
    output=SignatureOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("signatures", narrower="ask with larger `max_results` and `max_total_chars`"),
    default_max_results=20,
    example={"file": "shop/basket.py", "line": 14, "column": 37},
)
