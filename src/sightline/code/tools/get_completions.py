"""`get_completions`: what can stand at a position."""

from __future__ import annotations

import re
from typing import Any, cast

from sightline.code.navigation import View
from sightline.code.places import Place
from sightline.code.service import CodeService
from sightline.contract import Outcome
from sightline.errors import invalid_params
from sightline.lsp.markup import markup_text
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record
from sightline.wording import counted

_KINDS = (
    *("text", "method", "function", "constructor", "field", "variable", "class", "interface", "module", "property"),
    *("unit", "value", "enum", "keyword", "snippet", "color", "file", "reference", "folder", "enum_member"),
    *("constant", "struct", "event", "operator", "type_parameter"),
)
_TYPED = re.compile(r"\w*\Z")
_BY_TRIGGER, _INVOKED = 2, 1
_MOST_DOCUMENTED = 20
_NOTHING: dict[str, Any] = {}


@record
class CompletionsInput(LongToolInput):
    file: str = param("File, from the project root", max_length=4096)
    line: int = param("Line, from 1", ge=1, le=10_000_000)
    column: int = param("Column of the cursor in characters, from 1", ge=1, le=10_000_000)
    trigger_character: str | None = param("Typed character, e.g. `.`", default=None, max_length=1)
    include_documentation: bool = param("Also documentation, for the first 20 items", default=False)


@record
class CompletionItem:
    label: str
    kind: str
    detail: str | None = None
    insert_text: str | None = None
    documentation: str | None = None


@record
class CompletionsOutput:
    items: list[CompletionItem] = output_field(brief=True)
    is_incomplete: bool


async def run(service: CodeService, call: Call, args: CompletionsInput) -> Outcome[CompletionsOutput]:
    view, path = await service.navigator.view_of_file(call, args.file)
    place = cursor_at(view, path, args.line, args.column)
    result = await view.ask("textDocument/completion", _params(view, place, args.trigger_character), path)
    items, is_incomplete = _items(result)
    raws = _matching(items, place)
    if args.include_documentation:
        raws = [await _resolved(view, raw) for raw in raws[:_MOST_DOCUMENTED]] + raws[_MOST_DOCUMENTED:]
    return Outcome(
        output=CompletionsOutput(items=[_item(raw) for raw in raws], is_incomplete=is_incomplete),
        evidence=view.evidence("one position"),
        server_id=view.server_id,
    )


def cursor_at(view: View, path: Any, line: int, column: int) -> Place:
    """A cursor is where it is: nothing is repaired. Raises `ToolFailure` if the file has no such place."""
    lines = view.lines.of(path)
    if line > len(lines):
        raise invalid_params(f"line {line} is past the end: the file has {len(lines)} lines", "read the file again")
    text = lines[line - 1]
    if column > len(text) + 1:
        raise invalid_params(
            f"column {column} is past the end of line {line}: it has {len(text)}", "read the line again"
        )
    return Place(path, line, column, None, text)


def _params(view: View, place: Place, trigger: str | None) -> dict[str, Any]:
    context: dict[str, Any] = {"triggerKind": _BY_TRIGGER if trigger else _INVOKED}
    if trigger:
        context["triggerCharacter"] = trigger
    return {**view.at(place), "context": context}


def _items(result: Any) -> tuple[list[Any], bool]:
    """The items of a list or of a CompletionList, and whether the server has more."""
    if isinstance(result, dict):
        listed = cast("dict[str, Any]", result)
        return list(listed.get("items") or []), bool(listed.get("isIncomplete"))
    return list(result or []), False


def _matching(raws: list[Any], place: Place) -> list[Any]:
    """Those that begin with what is typed, then those that contain it, each in the server's order."""
    typed = _TYPED.search(place.text[: place.column - 1])
    prefix = typed[0].lower() if typed else ""
    ordered = sorted(raws, key=lambda raw: str(raw.get("sortText") or raw["label"]))
    first = [raw for raw in ordered if str(raw["label"]).lower().startswith(prefix)]
    return first + [raw for raw in ordered if prefix in str(raw["label"]).lower() and raw not in first]


async def _resolved(view: View, raw: Any) -> Any:
    return await view.ask("completionItem/resolve", raw) or raw


def _item(raw: Any) -> CompletionItem:
    kind: Any = raw.get("kind")
    edit: Any = raw.get("textEdit") or _NOTHING
    details: Any = raw.get("labelDetails") or _NOTHING
    insert: Any = raw.get("insertText") or edit.get("newText")
    return CompletionItem(
        label=str(raw["label"]),
        kind=_KINDS[kind - 1] if isinstance(kind, int) and 0 < kind <= len(_KINDS) else "text",
        detail=raw.get("detail") or details.get("description"),
        insert_text=insert if insert != raw["label"] else None,
        documentation=markup_text(raw.get("documentation")),
    )


def render(output: CompletionsOutput) -> str:
    more = "; the server has more" if output.is_incomplete else ""
    lines = [f"{counted(len(output.items), 'completion')}{more}"]
    for each in output.items:
        parts = [each.label, f"({each.kind})", each.detail, each.insert_text and f"inserts {each.insert_text}"]
        lines.append("  " + " ".join(part for part in parts if part))
        if each.documentation:
            lines += [f"    {line}" for line in each.documentation.splitlines()]
    return "\n".join(lines)


GET_COMPLETIONS = Tool(
    name="get_completions",
    title="Completions",
    description="What can stand at a position, e.g. the members after a dot: real names instead of guessed ones.",
    toolset="code",
    input=CompletionsInput,
    output=CompletionsOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("items", narrower="type more of the name, or ask with a larger `max_results`"),
    default_max_results=50,
    example={"file": "shop/basket.py", "line": 14, "column": 32},
)
