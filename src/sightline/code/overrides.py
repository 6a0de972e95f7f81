"""Members of classes that override one another: a server renames one of them and leaves the others as they are.

What a member overrides is asked of the server itself: every class with a member of the name is shown with one more
method, in which `super()` leads to the overridden one, in the project or outside. For Python only.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from anyio import to_thread

from sightline.lsp.uris import path_of, uri_of
from sightline.lsp.workspace import Workspace

_MOST_CLASSES = 200
_PROBE = "def __sightline_probe(self): return super()."
LINE_END = re.compile(r"\r\n|\r|\n")

Line = tuple[str, int]
Spot = tuple[str, int, int]


class NotAsked(Exception):
    """The server could not be asked about every place: there are too many, or they cannot be told from the text."""


@dataclass(frozen=True, slots=True)
class Member:
    """A class's own member: the lines that define it, and where the body of the class begins (from 1)."""

    path: str
    spots: tuple[Spot, ...]
    body_line: int
    indent: str

    def is_among(self, lines: Collection[Line]) -> bool:
        return any(spot[:2] in lines for spot in self.spots)


async def parted_members(workspace: Workspace, name: str, renamed: Collection[Line], deadline: float) -> list[Spot]:
    """Members that keep the old name, and override one in the lines `renamed` or are overridden by one.

    The caller has the workspace alone. Raises `NotAsked`.
    """
    sources = workspace.sources
    members = await to_thread.run_sync(_members_to_ask, name, renamed, sources)
    if len(members) > _MOST_CLASSES:
        raise NotAsked(f"{len(members)} classes have a member `{name}`")
    overridden = await _overridden(workspace, name, members, deadline)
    pairs = zip(members, overridden, strict=True)
    return sorted({spot for each, found in pairs for spot in _keeping(each, found, renamed)})


def _members_to_ask(name: str, renamed: Collection[Line], sources: Iterable[str]) -> list[Member]:
    """Of all classes that have a member of the name, if the renamed one is such a member."""
    paths = {path for path, _ in renamed}
    if not any(each.is_among(renamed) for path in paths for each in _members(path, name)):
        return []
    return [each for path in sorted(paths.union(sources)) for each in _members(path, name)]


def _keeping(member: Member, overridden: Collection[Spot], renamed: Collection[Line]) -> Iterable[Spot]:
    """Of a member and what it overrides, the one that keeps its name while the other gets a new one."""
    is_renamed_there = any(spot[:2] in renamed for spot in overridden)
    if member.is_among(renamed):
        return () if is_renamed_there else overridden
    return member.spots[:1] if is_renamed_there else ()


async def _overridden(workspace: Workspace, name: str, members: Sequence[Member], deadline: float) -> list[set[Spot]]:
    """What each member overrides, by its place on disk."""
    probes = _Probes(name, members)
    found: list[set[Spot]] = []
    async with workspace.trying(probes.texts):
        for member in members:
            require_time(deadline, f"{len(members)} classes have a member `{name}`")
            raws = await workspace.request("textDocument/definition", probes.question(member))
            found.append({probes.on_disk(raw) for raw in _as_list(raws)})
    return found


def require_time(deadline: float, what: str) -> None:
    if time.monotonic() > deadline:
        raise NotAsked(what)


class _Probes:
    """The texts with a probe in each class, and what their lines are on disk."""

    def __init__(self, name: str, members: Sequence[Member]) -> None:
        self._begins = {
            path: sorted({each.body_line for each in members if each.path == path})
            for path in {each.path for each in members}
        }
        indents = {(each.path, each.body_line): each.indent for each in members}
        self.texts: Mapping[str, str] = {
            path: _with_lines(path, {begin: f"{indents[path, begin]}{_PROBE}{name}" for begin in begins})
            for path, begins in self._begins.items()
        }

    def question(self, member: Member) -> dict[str, Any]:
        line = member.body_line - 1 + self._begins[member.path].index(member.body_line)
        position = {"line": line, "character": len(member.indent) + len(_PROBE)}
        return {"textDocument": {"uri": uri_of(member.path)}, "position": position}

    def on_disk(self, raw: Mapping[str, Any]) -> Spot:
        path = str(path_of(raw.get("targetUri") or raw["uri"]))
        start = (raw.get("targetSelectionRange") or raw["range"])["start"]
        shown = start["line"] + 1
        before = sum(begin + index < shown for index, begin in enumerate(self._begins.get(path, ())))
        return path, shown - before, start["character"] + 1


def _as_list(raws: Any) -> list[Any]:
    return cast("list[Any]", raws) if isinstance(raws, list) else [raws] if raws else []


def _with_lines(path: str, added: Mapping[int, str]) -> str:
    """The file's text with lines put before those that have the numbers."""
    lines = LINE_END.split(source_text(path))
    shown = [part for number, line in enumerate(lines, 1) for part in (added.get(number), line) if part is not None]
    return "\n".join(shown)


def _members(path: str, name: str) -> list[Member]:
    """Of all classes of a file; raises `NotAsked` if it may define the name in a class and cannot be parsed."""
    text = source_text(path)
    if not re.search(rf"\bdef\s+{re.escape(name)}\b|(?<!\w){re.escape(name)}\s*[:=,)\]]", text):
        return []  # most files that hold the name do not define it, and parsing takes its time
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        if _may_have_member(text, name):  # written for a newer Python than the one that runs this, or broken
            raise NotAsked(f"`{Path(path).name}` may have a member `{name}` and could not be parsed") from None
        return []
    lines = LINE_END.split(text)
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return [member for node in classes if (member := _member(node, path, name, lines))]


def _may_have_member(text: str, name: str) -> bool:
    """By the looks of the text: defined in an indented line, in the line of a class, or on `self`."""
    word = rf"{re.escape(name)}\b"
    indented = rf"^[ \t]+(?:(?:async\s+)?def\s+{word}|{word}\s*[:=])"
    return re.search(rf"(?m){indented}|^[ \t]*class\b.*:.*\b{word}|\bself\.{word}\s*[:=]", text) is not None


def _member(node: ast.ClassDef, path: str, name: str, lines: Sequence[str]) -> Member | None:
    """None if the class has no such member; raises `NotAsked` if there is no line to show before its body."""
    numbers = sorted(set(_definitions(node.body, name, in_method=False)))
    first = node.body[0]
    begin = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", []))])
    indent = lines[begin - 1][: len(lines[begin - 1]) - len(lines[begin - 1].lstrip(" \t\f"))]
    is_own_line = begin > node.lineno and lines[begin - 1].encode()[: first.col_offset].strip(b" \t\f@") == b""
    if not numbers:
        return None
    if not is_own_line:
        raise NotAsked(f"`{Path(path).name}` has a class with `{name}` in one line")
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found = [(number, word.search(lines[number - 1])) for number in numbers]
    return Member(path, tuple((path, at, match.start() + 1 if match else 1) for at, match in found), begin, indent)


def _definitions(body: Iterable[ast.AST], name: str, *, in_method: bool) -> Iterator[int]:
    """Lines that define a member: `def` and assignments in the class, assignments to `self` in its methods."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if node.name == name and not in_method:
                    yield node.lineno
                yield from _definitions(node.body, name, in_method=True)
            case ast.Name(id=found, ctx=ast.Store()) if found == name and not in_method:
                yield node.lineno
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=found, ctx=ast.Store()) if found == name:
                yield node.end_lineno or node.lineno
            case ast.ClassDef() | ast.Lambda():
                continue
            case _:
                yield from _definitions(ast.iter_child_nodes(node), name, in_method=in_method)


def source_text(path: str) -> str:
    """What is not UTF-8 is replaced; empty if it cannot be read."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return ""
