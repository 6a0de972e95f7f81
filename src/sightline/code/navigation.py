"""Questions about places, answered by the language server: what the navigation tools share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sightline.code.language_servers import LanguageServers
from sightline.code.places import FoundPlace, PlaceInput, place_at, place_of_name
from sightline.code.pyright_command import find_entry_file
from sightline.code.python_files import require_python_file
from sightline.code.source_lines import SourceLines
from sightline.code.symbols import Symbol, matching, outline_of
from sightline.contract import Evidence, Notice
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.lsp.uris import path_of, uri_of
from sightline.lsp.workspace import Workspace
from sightline.paths import PathPolicy
from sightline.projects import Project, ProjectFinder
from sightline.projects.search_paths import SearchPaths
from sightline.source_files import read_source
from sightline.tool import Call, output_field, record

_MOST_FILES = 30


@record
class Candidate:
    """One of several symbols that fit a name."""

    name_path: str
    kind: str
    file: str
    line: int
    column: int


@record
class Location:
    """A place in code with its source line."""

    file: str
    line: int
    column: int
    preview: str = output_field()


@dataclass(frozen=True, slots=True)
class Navigator:
    """Finds projects, places and symbols for a call."""

    projects: ProjectFinder
    servers: LanguageServers
    search_paths: SearchPaths
    ready_within_s: float

    async def view(self, call: Call, path: Path | None = None) -> View:
        """What a call may see: the project of a path, else of the call's root."""
        start = path if path and _is_allowed(path, call) else call.root
        within = next(
            (root for root in (call.root, *call.paths.allowed_roots) if start.is_relative_to(root)), call.root
        )
        project = self.projects.find(start, within=within)
        readable = (*await self.search_paths.of(project.interpreter), find_entry_file().parent)
        return View(self, call, project, replace(call.paths, readable=readable))

    async def view_of_file(self, call: Call, text: str) -> tuple[View, Path]:
        """The view and the file; installed packages and the standard library may be read."""
        try:
            path = call.paths.resolve_file(text)
            view = await self.view(call, path)
        except ToolFailure as failure:
            if failure.kind is not ErrorKind.PATH_NOT_ALLOWED:
                raise
            view = await self.view(call)
            path = view.paths.resolve_file(text, for_reading_only=True)
        require_python_file(path, text)
        source = read_source(path, text)
        view.lines.keep(path, source.text, is_marked=source.is_marked)
        return view, path


@dataclass(slots=True)
class View:
    """One call's view of a project; the lines it shows are read once, for this call only.

    `workspace` is the one that answered last.
    """

    navigator: Navigator
    call: Call
    project: Project
    paths: PathPolicy
    lines: SourceLines = field(default_factory=SourceLines)
    workspace: Workspace | None = None

    async def ask(self, method: str, params: Any, about: Path | None = None) -> Any:
        """Ask the project's server about the files as they are on disk now; raises `ToolFailure`."""

        async def work(workspace: Workspace) -> Any:
            self.workspace = workspace
            return await workspace.ask(
                method,
                params,
                ready_within_s=self.navigator.ready_within_s,
                about=None if about is None else str(about),
            )

        return await self.navigator.servers.with_workspace(self.project, work)

    async def ask_at(self, method: str, found: FoundPlace, **more: Any) -> Any:
        params = {"textDocument": {"uri": uri_of(found.place.path)}, "position": found.place.lsp_position(), **more}
        return await self.ask(method, params, found.place.path)

    async def outline(self, path: Path, depth: int = 99) -> list[Symbol]:
        params = {"textDocument": {"uri": uri_of(path)}}
        raws = await self.ask("textDocument/documentSymbol", params, path)
        return outline_of(path, raws or [], self.lines, depth=depth)

    def location(self, raw: Mapping[str, Any]) -> Location:
        """A Location or LocationLink of the server."""
        path = path_of(raw.get("targetUri") or raw["uri"])
        where = raw.get("targetSelectionRange") or raw["range"]
        line, column = self.lines.place(path, where["start"])
        return Location(file=self.paths.display(path), line=line, column=column, preview=self.lines.preview(path, line))

    def evidence(self, scope: str, **details: Any) -> Evidence:
        interpreter = self.project.interpreter
        return Evidence(
            method="lsp",
            engine=self.server_id,
            engine_version=self.workspace.session.version if self.workspace else None,
            scope=scope,
            details={
                "project_root": self.paths.display(self.project.root.path),
                "interpreter_reason": interpreter.reason,
                **details,
            },
        )

    @property
    def server_id(self) -> str | None:
        return self.workspace.session.launch.spec.id if self.workspace else None


@dataclass(frozen=True, slots=True)
class Target:
    """What a caller's place turned out to be: one place, or several candidates."""

    view: View
    found: FoundPlace | None
    candidates: tuple[Candidate, ...] = ()

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.found.notices if self.found else ()


async def find_target(navigator: Navigator, call: Call, args: PlaceInput) -> Target:
    """The place that the arguments name; raises `ToolFailure` if they name none."""
    if args.file is not None:
        view, path = await navigator.view_of_file(call, args.file)
        if args.line is not None and args.symbol:
            return Target(view, place_of_name(path, view.lines.of(path), args.line, args.symbol))
        if args.line is not None and args.column is not None:
            return Target(view, place_at(path, view.lines.of(path), args.line, args.column))
        if args.symbol:
            return _chosen(
                view, [(path, each) for each in matching(await view.outline(path), args.symbol)], args.symbol
            )
    elif args.symbol and args.symbol.strip():
        view = await navigator.view(call)
        return _chosen(view, await _symbols_named(view, args.symbol), args.symbol)
    raise invalid_params(
        "the place is not complete",
        "give `file`, `line` and `column`; or `symbol`, alone or with `file`; or `file`, `line` and `symbol`",
    )


async def _symbols_named(view: View, name_path: str) -> list[tuple[Path, Symbol]]:
    """Symbols of the project with this name path: by name from the server, then by path from each file."""
    name = name_path.rpartition(".")[2]
    raws: list[Any] = await view.ask("workspace/symbol", {"query": name}) or []
    files = {path_of(raw["location"]["uri"]) for raw in raws if raw["name"] == name}
    inside = sorted(path for path in files if _is_allowed(path, view.call))
    found: list[tuple[Path, Symbol]] = []
    for path in inside[:_MOST_FILES]:
        found += [(path, each) for each in matching(await view.outline(path), name_path)]
    exact = [pair for pair in found if pair[1].name_path == name_path]
    return exact or found


def _chosen(view: View, found: Sequence[tuple[Path, Symbol]], name_path: str) -> Target:
    if not found:
        step = NextStep(
            "tool", "look for it by part of its name", tool="find_symbol", arguments={"query": name_path[:100]}
        )
        raise ToolFailure(ErrorKind.NO_MATCH, f"no symbol `{name_path[:100]}` in the project", step)
    if len(found) > 1:
        return Target(view, None, tuple(_candidate(view, path, each) for path, each in found))
    path, symbol = found[0]
    return Target(view, place_at(path, view.lines.of(path), symbol.line, symbol.column))


def _candidate(view: View, path: Path, symbol: Symbol) -> Candidate:
    return Candidate(
        name_path=symbol.name_path,
        kind=symbol.kind,
        file=view.paths.display(path),
        line=symbol.line,
        column=symbol.column,
    )


def _is_allowed(path: Path, call: Call) -> bool:
    return any(path.is_relative_to(root) for root in call.paths.allowed_roots)
