"""Symbols as servers tell them, turned into ours: nested, with words for kinds and 1-based ranges."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from sightline.code.source_lines import SourceLines
from sightline.tool import record

_KINDS = (
    *("file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum"),
    *("interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key"),
    *("null", "enum_member", "struct", "event", "operator", "type_parameter"),
)


@record
class Symbol:
    """A symbol of a file: `name_path` is how to name it to other tools."""

    name: str
    kind: str
    name_path: str
    line: int
    column: int
    end_line: int
    children: list[Symbol] = field(default_factory=list["Symbol"])


def kind_word(number: Any) -> str:
    return _KINDS[number - 1] if isinstance(number, int) and 0 < number <= len(_KINDS) else "symbol"


def normal_name(name: str) -> str:
    """The form in which languages compare names: an accent may be a character of its own in a file."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def outline_of(
    path: Path, raws: Sequence[Mapping[str, Any]], lines: SourceLines, parents: str = "", depth: int = 99
) -> list[Symbol]:
    """The nested symbols of a file, in the order of the file."""
    return [_symbol(path, raw, lines, parents, depth) for raw in raws] if depth > 0 else []


def walk(symbols: Sequence[Symbol]) -> Iterator[Symbol]:
    for each in symbols:
        yield each
        yield from walk(each.children)


def matching(symbols: Sequence[Symbol], name_path: str) -> list[Symbol]:
    """Those with this name path; if there are none, those whose path ends with it. One per path."""
    flat, wanted = list(walk(symbols)), normal_name(name_path)
    exact = [each for each in flat if normal_name(each.name_path) == wanted]
    found = exact or [each for each in flat if normal_name(each.name_path).endswith(f".{wanted}")]
    first: dict[str, Symbol] = {}
    for each in found:
        first.setdefault(each.name_path, each)
    return list(first.values())


def _symbol(path: Path, raw: Mapping[str, Any], lines: SourceLines, parents: str, depth: int) -> Symbol:
    name = str(raw["name"])
    name_path = f"{parents}.{name}" if parents else name
    whole = raw.get("range") or raw["location"]["range"]
    line, column = lines.place(path, raw.get("selectionRange", whole)["start"])
    return Symbol(
        name=name,
        kind=kind_word(raw.get("kind")),
        name_path=name_path,
        line=line,
        column=column,
        end_line=lines.place(path, whole["end"])[0],
        children=outline_of(path, raw.get("children") or [], lines, name_path, depth - 1),
    )
