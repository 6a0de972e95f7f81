"""Keywords of calls that no parameter is known for, such as a field's name in `replace(point, x=1)`.

A server renames a field or a parameter with the keywords that it can tie to it. Where a call passes its keywords on
(`**changes`) it ties them to nothing, and finds nothing wrong with an old name either. For Python only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from anyio import to_thread

from sightline.code.overrides import LINE_END, NotAsked, Spot, require_time, source_text
from sightline.lsp.uris import uri_of
from sightline.lsp.workspace import Workspace
from sightline.positions import utf16_from_column

_MOST = 200


async def untied_keywords(workspace: Workspace, name: str, renamed: Collection[Spot], deadline: float) -> list[Spot]:
    """Where the name is a keyword that keeps its name and that the server ties to no parameter.

    If none of the places `renamed` declares a field or a parameter, keywords mean something else. The caller has the
    workspace alone. Raises `NotAsked`.
    """
    kept = await to_thread.run_sync(_keywords_to_ask, name, renamed, workspace.sources)
    if len(kept) > _MOST:
        raise NotAsked(f"{len(kept)} calls have a keyword `{name}`")
    untied: list[Spot] = []
    for spot, text in kept:
        require_time(deadline, f"{len(kept)} calls have a keyword `{name}`")
        if not await workspace.request("textDocument/definition", _at(spot, text)):
            untied.append(spot)
    return untied


def _keywords_to_ask(name: str, renamed: Collection[Spot], sources: Iterable[str]) -> list[tuple[Spot, str]]:
    """Keywords of the name that are not renamed, with their lines, if a field or a parameter is."""
    paths, lines = {spot[0] for spot in renamed}, {spot[:2] for spot in renamed}
    if not any((path, line) in lines for path in paths for line in _declarations(path, name)):
        return []
    spots = [spot for path in sorted(paths.union(sources)) for spot in _keywords(path, name)]
    return [(spot, text) for spot, text in spots if spot not in renamed]


def _at(spot: Spot, text: str) -> dict[str, Any]:
    path, line, column = spot
    position = {"line": line - 1, "character": utf16_from_column(text, column)}
    return {"textDocument": {"uri": uri_of(path)}, "position": position}


def _declarations(path: str, name: str) -> Iterator[int]:
    """Lines that declare a parameter or a variable of a class; those that may, if the file cannot be parsed."""
    nodes, lines = _nodes(path, re.escape(name))
    if nodes is None:
        declared = re.compile(rf"(?:[(,]\s*|^\s+)\*{{0,2}}{re.escape(name)}\s*[:=,)]")
        yield from (number for number, line in enumerate(lines, 1) if declared.search(line))
    for node in nodes or ():
        match node:
            case ast.arg(arg=found, lineno=line) if found == name:
                yield line
            case ast.ClassDef(body=body):
                yield from (
                    each.target.lineno
                    for each in body
                    if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id == name
                )
            case _:
                continue


def _keywords(path: str, name: str) -> Iterator[tuple[Spot, str]]:
    """Keywords with their lines; of a file that cannot be parsed all that may be one: the server ties the rest."""
    pattern = rf"(?<![\w.]){re.escape(name)}\s*=(?!=)"
    nodes, lines = _nodes(path, pattern)
    if nodes is None:
        for number, line in enumerate(lines, 1):
            yield from (((path, number, found.start() + 1), line) for found in re.finditer(pattern, line))
    for node in nodes or ():
        if isinstance(node, ast.keyword) and node.arg == name:
            text = lines[node.lineno - 1]
            yield (path, node.lineno, len(text.encode()[: node.col_offset].decode()) + 1), text


def _nodes(path: str, pattern: str) -> tuple[Sequence[ast.AST] | None, Sequence[str]]:
    """All of a file, none if it cannot be parsed, and its lines; nothing of one that does not hold the pattern."""
    text = source_text(path)
    if not re.search(pattern, text):
        return (), ()
    lines = LINE_END.split(text)
    try:
        return list(ast.walk(ast.parse(text))), lines
    except (SyntaxError, ValueError, RecursionError):
        return None, lines
