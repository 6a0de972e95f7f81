"""An object of a Python API as Markdown: signature, docstring, members, and where it is in the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.library_docs.installed.api_names import Found
from sightline.library_docs.installed.docstring_markdown import docstring_to_markdown, first_sentence

if TYPE_CHECKING:
    import griffe

_LONGEST_VALUE = 300
_MOST_OVERLOADS = 20
_TELLING_DECORATORS = frozenset(
    {"classmethod", "staticmethod", "property", "cached_property", "contextmanager", "asynccontextmanager",
     "abstractmethod", "deprecated", "overload"}
)  # fmt: skip
_SHOWN_DUNDERS = frozenset({"__init__", "__call__", "__enter__", "__aenter__", "__iter__", "__getitem__", "__new__"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of an outline: a public name, its kind, its signature on one line, its summary."""

    path: str
    kind: str
    signature: str = ""
    summary: str = ""

    def __str__(self) -> str:
        shown = f"{self.path}{self.signature}" if self.kind == "function" else self.path
        kind = f" ({self.kind})" if self.kind not in ("function", "attribute") else ""
        return f"- `{shown}`{kind}" + (f": {self.summary}" if self.summary else "")


def entry_of(found: Found, shown: str) -> Entry:
    """The outline's line for an object."""
    item = found.item
    if item is None:
        return Entry(shown, "module", summary=found.module.problem or "")
    docstring = item.docstring.value if item.docstring else ""
    short = short_signature(item) if item.is_function else ""
    kind = "property" if "property" in item.labels else item.kind.value
    return Entry(shown, kind, short, first_sentence(docstring) if docstring else "")


def render_object(found: Found, heading: str, members: Sequence[Entry], notes: Iterable[str]) -> str:
    """The whole page of an object."""
    item = found.item
    parts = [f"# `{heading}`", _placed(found)]
    parts.extend(f"Note: {note}" for note in notes)
    if item is not None:
        if signature := _signature_block(item):
            parts.append(signature)
        docstring = docstring_of(item)
        parts.append(docstring_to_markdown(docstring) if docstring else "(no docstring)")
        if item.is_class and (init := item.members.get("__init__")) and not init.is_alias and init.docstring:
            parts.append("## `__init__`\n\n" + docstring_to_markdown(init.docstring.value))
    if members:
        parts.append("## Members\n\n" + "\n".join(map(str, members)))
    return "\n\n".join(part for part in parts if part)


def docstring_of(item: griffe.Object) -> str:
    return item.docstring.value if item.docstring else ""


def is_shown_member(name: str) -> bool:
    return not name.startswith("_") or name in _SHOWN_DUNDERS


def short_signature(item: griffe.Object) -> str:
    """Names of parameters on one line, without types."""
    return f"({', '.join(_parameters(item, is_short=True))})"[:_LONGEST_VALUE]


def _placed(found: Found) -> str:
    """What it is and where it stands; the source is named relative to the folder of packages."""
    item = found.item
    kind = item.kind.value if item is not None else "module"
    file = found.module.place.source or found.module.place.stub
    line = f":{item.lineno}" if item is not None and item.lineno else ""
    source = f" Source: `{file.relative}{line}`." if file else ""
    defined = f" Defined as `{found.canonical}`." if found.canonical != found.path else ""
    inherited = f" Inherited from `{found.inherited_from}`." if found.inherited_from else ""
    return f"{kind.capitalize()}.{defined}{inherited}{source}"


def _signature_block(item: griffe.Object) -> str:
    if item.is_function:
        lines = [_function_line(each) for each in (_overloads(item) or [item])]
        return "```python\n" + "\n".join(lines) + "\n```"
    if item.is_class:
        bases = ", ".join(map(str, getattr(item, "bases", [])))
        init = item.members.get("__init__")
        made = "" if init is None or init.is_alias or not init.is_function else "\n" + _indented_init(init)
        return f"```python\nclass {item.name}{f'({bases})' if bases else ''}:{made}\n```"
    if item.is_attribute:
        return f"```python\n{_attribute_line(item)}\n```"
    return ""


def _indented_init(init: griffe.Object | griffe.Alias) -> str:
    lines = [_function_line(each) for each in (_overloads(init) or [init])]
    return "\n".join("    " + each for line in lines for each in line.split("\n"))


def _overloads(item: griffe.Object | griffe.Alias) -> Sequence[griffe.Object]:
    """The overloads of a function: its own where it has an implementation, else those that its parent keeps."""
    own: list[griffe.Object] = getattr(item, "overloads", None) or []
    kept: dict[str, list[griffe.Object]] = getattr(item.parent, "overloads", {}) if item.parent is not None else {}
    return (own or kept.get(item.name, []))[:_MOST_OVERLOADS]


def _function_line(item: griffe.Object | griffe.Alias) -> str:
    decorators = [f"@{each.value}\n" for each in getattr(item, "decorators", []) if _is_telling(str(each.value))]
    returns = getattr(item, "returns", None)
    parameters = _parameters(item, is_short=False)
    line = ", ".join(parameters)
    if len(line) > 90:
        line = "\n    " + ",\n    ".join(parameters) + ",\n"
    prefix = "async def" if "async" in item.labels else "def"
    return f"{''.join(decorators)}{prefix} {item.name}({line}){f' -> {returns}' if returns is not None else ''}"


def _is_telling(decorator: str) -> bool:
    return decorator.partition("(")[0].rpartition(".")[2] in _TELLING_DECORATORS


def _parameters(item: griffe.Object | griffe.Alias, *, is_short: bool) -> list[str]:
    shown: list[str] = []
    kind_before = ""
    parameters: Iterable[griffe.Parameter] = getattr(item, "parameters", ())
    for parameter in parameters:
        kind = parameter.kind.value if parameter.kind else ""
        if kind_before == "positional-only" and kind != kind_before:
            shown.append("/")
        if kind == "keyword-only" and kind_before not in (kind, "variadic positional"):
            shown.append("*")
        shown.append(_parameter(parameter, kind, is_short=is_short))
        kind_before = kind
    return [*shown, "/"] if kind_before == "positional-only" else shown


def _parameter(parameter: griffe.Parameter, kind: str, *, is_short: bool) -> str:
    stars = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
    annotation = f": {_cut(parameter.annotation)}" if parameter.annotation is not None and not is_short else ""
    if parameter.default is None or stars:
        return f"{stars}{parameter.name}{annotation}"
    equals = " = " if annotation else "="
    default = _cut(parameter.default)
    return f"{parameter.name}{annotation}{equals}{default if not is_short or len(default) < 20 else '…'}"


def _attribute_line(item: griffe.Object) -> str:
    annotation, value = getattr(item, "annotation", None), getattr(item, "value", None)
    typed = f": {_cut(annotation)}" if annotation is not None else ""
    return f"{item.name}{typed}" + (f" = {_cut(value)}" if value is not None else "")


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
