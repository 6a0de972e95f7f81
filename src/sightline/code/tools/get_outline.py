"""`get_outline`: the symbols of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sightline.code.service import CodeService
from sightline.code.symbols import Symbol, walk
from sightline.contract import Outcome
from sightline.tool import Call, Cut, Hints, LongToolInput, Tool, output_field, param, record
from sightline.wording import counted


@record
class OutlineInput(LongToolInput):
    file: str = param("File, from the project root", max_length=4096)
    depth: int = param("How deep to nest", default=3, ge=1, le=20)


@record
class OutlineOutput:
    file: str
    symbols: list[Symbol] = output_field(brief=True)


async def run(service: CodeService, call: Call, args: OutlineInput) -> Outcome[OutlineOutput]:
    view, path = await service.navigator.view_of_file(call, args.file)
    symbols = await view.outline(path, args.depth)
    return Outcome(
        output=OutlineOutput(file=view.paths.display(path), symbols=symbols),
        evidence=view.evidence(f"one file, {args.depth} levels"),
        server_id=view.server_id,
    )


def _first(symbols: Sequence[Symbol], left: list[int]) -> Iterator[Symbol]:
    """The first so many symbols in the order of the file, each still inside its parents."""
    for each in symbols:
        if not left[0]:
            return
        left[0] -= 1
        yield replace(each, children=list(_first(each.children, left)))


def _keep(output: OutlineOutput, count: int) -> OutlineOutput:
    return replace(output, symbols=list(_first(output.symbols, [count])))


def _total(output: OutlineOutput) -> int:
    return sum(1 for _ in walk(output.symbols))


def render(output: OutlineOutput) -> str:
    return "\n".join([f"{output.file}: {counted(_total(output), 'symbol')}", *_lines(output.symbols, "")])


def _lines(symbols: Sequence[Symbol], indent: str) -> Iterator[str]:
    for each in symbols:
        yield f"{indent}{each.name} ({each.kind}) {each.name_path} {each.line}:{each.column}-{each.end_line}"
        yield from _lines(each.children, indent + "  ")


GET_OUTLINE = Tool(
    name="get_outline",
    title="Outline",
    description="Classes, functions and variables of a file, nested, with lines. Use it before reading a long file.",
    toolset="code",
    input=OutlineInput,
    output=OutlineOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=Cut(_total, _keep, "ask with a smaller `depth`, or larger `max_results` and `max_total_chars`"),
    default_max_results=300,
    example={"file": "shop/catalogue.py"},
)
