"""`get_call_hierarchy`: who calls a function, or what it calls, level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sightline.code.navigation import Candidate, View, find_target
from sightline.code.other_projects import elsewhere_notice, uses_elsewhere
from sightline.code.places import FoundPlace, PlaceInput
from sightline.code.server_trouble import in_trouble
from sightline.code.service import CodeService
from sightline.code.symbols import kind_word
from sightline.code.tools.disambiguation import candidate_lines
from sightline.contract import Notice, Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.lsp.uris import path_of
from sightline.tool import Call, Hints, Tool, cut_list, output_field, param, record

_MOST_FUNCTIONS = 300
_ENDS = {"incoming": "from", "outgoing": "to"}

Direction = Literal["incoming", "outgoing"]


@record
class CallHierarchyInput(PlaceInput):
    direction: Direction = param("`incoming`: its callers; `outgoing`: what it calls", default="incoming")
    depth: int = param("How many levels", default=1, ge=1, le=5)


@record
class CallEntry:
    """A function that calls another, or is called."""

    name: str
    kind: str
    file: str
    line: int
    column: int
    depth: int
    of: str = output_field("The function one level nearer to the one asked about")
    call_lines: list[int] = output_field("Lines of the calls, in the caller's file")


@record
class CallHierarchyOutput:
    name: str
    direction: Direction
    calls: list[CallEntry] = output_field(brief=True)
    needs_disambiguation: bool | None = None
    candidates: list[Candidate] | None = output_field(default=None, brief=True)


async def run(service: CodeService, call: Call, args: CallHierarchyInput) -> Outcome[CallHierarchyOutput]:
    target = await find_target(service.navigator, call, args)
    view = target.view
    if target.found is None:
        output = CallHierarchyOutput(
            name=args.symbol or "",
            direction=args.direction,
            calls=[],
            needs_disambiguation=True,
            candidates=list(target.candidates),
        )
        return Outcome(output=output, evidence=view.evidence("no place was chosen"), server_id=view.server_id)
    start = await _start(view, target.found)
    walk = _Walk(view, args.direction, args.depth)
    entries, is_whole = await walk.from_(start)
    cut = Notice(
        "hierarchy_cut", f"only the first {_MOST_FUNCTIONS} functions were followed; ask for a smaller `depth`"
    )
    elsewhere = await _elsewhere(start, entries, view) if args.direction == "incoming" else ()
    return Outcome(
        output=CallHierarchyOutput(name=start["name"], direction=args.direction, calls=entries),
        evidence=view.evidence(f"{args.depth} levels"),
        warnings=(
            *target.notices,
            *in_trouble(view.server_id, view.trouble),
            *(() if is_whole else (cut,)),
            *elsewhere,
        ),
        server_id=view.server_id,
    )


async def _start(view: View, found: FoundPlace) -> Mapping[str, Any]:
    raws = await view.ask_at("textDocument/prepareCallHierarchy", found)
    if not raws:
        raise ToolFailure(
            ErrorKind.NO_MATCH,
            f"there is no function at {view.paths.display(found.place.path)}:{found.place.line}",
            NextStep("doc", "name a function or a method, best where it is defined"),
        )
    return raws[0]


async def _elsewhere(start: Mapping[str, Any], entries: Sequence[CallEntry], view: View) -> tuple[Notice, ...]:
    """Callers in projects that this server does not read."""
    uses = [str(path_of(start["uri"])), *(str(view.call.root / each.file) for each in entries if each.depth == 1)]
    return elsewhere_notice(start["name"], await uses_elsewhere(start["name"], uses, view), view.call)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk outwards, each function followed once."""

    view: View
    direction: Direction
    depth: int

    async def from_(self, start: Mapping[str, Any]) -> tuple[list[CallEntry], bool]:
        """The calls level by level, and whether all could be followed."""
        entries: list[CallEntry] = []
        ring, seen = [start], {_identity(start)}
        for level in range(1, self.depth + 1):
            reached: list[Mapping[str, Any]] = []
            for item in ring:
                for found in await self._calls(item):
                    other = found[_ENDS[self.direction]]
                    entries.append(self._entry(item, other, found.get("fromRanges") or [], level))
                    if _identity(other) not in seen:
                        seen.add(_identity(other))
                        reached.append(other)
                if len(seen) > _MOST_FUNCTIONS:
                    return entries, False
            ring = reached
        return entries, True

    async def _calls(self, item: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        path = path_of(item["uri"])
        return await self.view.ask(f"callHierarchy/{self.direction}Calls", {"item": item}, path) or []

    def _entry(self, item: Mapping[str, Any], other: Mapping[str, Any], calls: Sequence[Any], level: int) -> CallEntry:
        path = path_of(other["uri"])
        line, column = self.view.lines.place(path, other["selectionRange"]["start"])
        return CallEntry(
            name=other["name"],
            kind=kind_word(other.get("kind")),
            file=self.view.paths.display(path),
            line=line,
            column=column,
            depth=level,
            of=item["name"],
            call_lines=sorted({each["start"]["line"] + 1 for each in calls}),
        )


def _identity(item: Mapping[str, Any]) -> tuple[str, int, int]:
    start = item["selectionRange"]["start"]
    return item["uri"], start["line"], start["character"]


def render(output: CallHierarchyOutput) -> str:
    lines = [f"{len(output.calls)} {output.direction} calls of {output.name}"]
    if output.candidates:
        return "\n".join([*lines, *candidate_lines(output.candidates)])
    for each in output.calls:
        calls = ", ".join(map(str, each.call_lines))
        place = f"{each.file}:{each.line}:{each.column}"
        lines.append(f"{'  ' * each.depth}{each.name} ({each.kind}) {place} of {each.of}; calls in lines {calls}")
    return "\n".join(lines)


GET_CALL_HIERARCHY = Tool(
    name="get_call_hierarchy",
    title="Get call hierarchy",
    description="Who calls a function, or what it calls, over several levels, resolved by the language server.",
    toolset="code",
    input=CallHierarchyInput,
    output=CallHierarchyOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("calls", narrower="ask for a smaller `depth`, or with larger `max_results` and `max_total_chars`"),
    default_max_results=100,
    example={"symbol": "Catalogue.find"},
)
