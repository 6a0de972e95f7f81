"""`find_symbol`: symbols of the project by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.code.navigation import View
from sightline.code.server_trouble import in_trouble
from sightline.code.service import CodeService
from sightline.code.symbols import kind_word
from sightline.contract import Outcome
from sightline.lsp.uris import path_of
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record
from sightline.wording import counted


@record
class FindSymbolInput(LongToolInput):
    query: str = param("Name or part of it; letters in order are enough", max_length=200, min_length=1)
    kind: str | None = param("Only this kind, e.g. `class`, `function`", default=None, max_length=40)


@record
class FoundSymbol:
    name: str
    kind: str
    container: str | None = None
    file: str
    line: int
    column: int


@record
class FindSymbolOutput:
    symbols: list[FoundSymbol] = output_field(brief=True)
    query: str


async def run(service: CodeService, call: Call, args: FindSymbolInput) -> Outcome[FindSymbolOutput]:
    answers, notices = await service.navigator.symbols(call, args.query)
    symbols = [_symbol(view, raw) for view, raws in answers for raw in raws]
    view = answers[0][0]
    wanted = [each for each in symbols if args.kind in (None, each.kind)]
    return Outcome(
        output=FindSymbolOutput(symbols=sorted(wanted, key=lambda each: _rank(each, args.query)), query=args.query),
        evidence=view.evidence("the whole project", servers=", ".join(view.server_id for view, _ in answers)),
        warnings=(*notices, *(told for each, _ in answers for told in in_trouble(each.server_id, each.trouble))),
        server_id=view.server_id,
    )


def _symbol(view: View, raw: Mapping[str, Any]) -> FoundSymbol:
    path = path_of(raw["location"]["uri"])
    line, column = view.lines.place(path, raw["location"]["range"]["start"])
    return FoundSymbol(
        name=raw["name"],
        kind=kind_word(raw.get("kind")),
        container=raw.get("containerName") or None,
        file=view.paths.display(path),
        line=line,
        column=column,
    )


def _rank(each: FoundSymbol, query: str) -> tuple[int, int, str, int]:
    """Exact first, then by case, prefix and containment; what is left is a mere sequence of letters."""
    name, wanted = each.name, query.rpartition(".")[2]
    tests = (name == wanted, name.lower() == wanted.lower(), name.startswith(wanted), wanted.lower() in name.lower())
    return tests.index(True) if True in tests else len(tests), len(name), each.file, each.line


def render(output: FindSymbolOutput) -> str:
    lines = [f"{counted(len(output.symbols), 'symbol')} for {output.query}"]
    for each in output.symbols:
        container = f" in {each.container}" if each.container else ""
        lines.append(f"  {each.name} ({each.kind}){container} {each.file}:{each.line}:{each.column}")
    return "\n".join(lines)


FIND_SYMBOL = Tool(
    name="find_symbol",
    title="Find symbol",
    description="Classes, functions and variables of the project by name, exact first. Use it instead of grep.",
    toolset="code",
    input=FindSymbolInput,
    output=FindSymbolOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("symbols", narrower="ask for a longer `query`, a `kind`, or with a larger `max_results`"),
    default_max_results=50,
    example={"query": "Catalogue"},
)
