"""Questions about places, answered by the language server: what the navigation tools share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sightline.code.language_servers import LanguageServers
from sightline.code.places import FoundPlace, Place, PlaceInput, place_at, place_of_name, place_of_use
from sightline.code.pyright_command import find_entry_file
from sightline.code.served import Router, Served
from sightline.code.source_lines import SourceLines
from sightline.code.symbols import Symbol, matching, normal_name, outline_of
from sightline.contract import Evidence, Notice
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.lsp.uris import path_of, uri_of
from sightline.lsp.workspace import Workspace
from sightline.lsp.workspace_symbols import find_symbols
from sightline.paths import PathPolicy
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
    """A place in code with its source line, or with the lines around it."""

    file: str
    line: int
    column: int
    preview: str = output_field()


@dataclass(frozen=True, slots=True)
class Navigator:
    """Finds projects, places and symbols for a call."""

    router: Router
    servers: LanguageServers
    search_paths: SearchPaths
    ready_within_s: float

    async def views(self, call: Call) -> list[View]:
        """What a call may see of the call's root, one for each of its languages."""
        return [await self._view(call, served) for served in self.router.of_project(call)[0]]

    async def symbols(self, call: Call, query: str) -> tuple[list[tuple[View, list[Any]]], list[Notice]]:
        """Ask the servers of all languages of a project; one that cannot answer is told of, unless none can."""
        answers: list[tuple[View, list[Any]]] = []
        failures: list[tuple[View, ToolFailure]] = []
        served, languages = self.router.of_project(call)
        for view in [await self._view(call, each) for each in served]:
            try:
                answers.append((view, await view.symbols(query)))
            except ToolFailure as failure:
                failures.append((view, failure))
        if not answers:
            raise failures[0][1]
        doubts = [] if languages.is_whole else [languages.not_counted()]
        doubts += [_partly(view) for view, _ in answers if view.workspace and view.workspace.is_partly_known]
        return answers, [*doubts, *(_silent(view, failure) for view, failure in failures)]

    async def _view(self, call: Call, served: Served) -> View:
        readable: tuple[Path, ...] = ()
        if served.python:
            readable = (*await self.search_paths.of(served.python.interpreter), find_entry_file().parent)
        lines = SourceLines(counts_marks=not served.spec.needs_open)
        return View(self, call, served, replace(call.paths, readable=readable), lines)

    async def view_of_file(self, call: Call, text: str) -> tuple[View, Path]:
        """The view and the file; installed packages and the standard library may be read."""
        try:
            path = call.paths.resolve_file(text)
            view = await self._view(call, self.router.of_file(path, call, text))
        except ToolFailure as failure:
            if failure.kind is not ErrorKind.PATH_NOT_ALLOWED:
                raise
            view = (await self.views(call))[0]
            path = view.paths.resolve_file(text, for_reading_only=True)
        source = read_source(path, text)
        view.lines.keep(path, source.text, is_marked=source.is_marked)
        return view, path


@dataclass(slots=True)
class View:
    """One call's view of a project; the lines it shows are read once, for this call only.

    `workspace` is the one that answered last; `files` are paths by their addresses, real and as shown.
    """

    navigator: Navigator
    call: Call
    served: Served
    paths: PathPolicy
    lines: SourceLines
    workspace: Workspace | None = None
    files: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

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

        return await self.navigator.servers.with_workspace(self.served, work)

    async def symbols(self, query: str) -> list[Any]:
        """Symbols of the whole project, as the server tells them; raises `ToolFailure`."""

        async def work(workspace: Workspace) -> list[Any]:
            self.workspace = workspace
            return await find_symbols(workspace, query, ready_within_s=self.navigator.ready_within_s)

        return await self.navigator.servers.with_workspace(self.served, work)

    async def ask_at(self, method: str, found: FoundPlace, **more: Any) -> Any:
        return await self.ask(method, {**self.at(found.place), **more}, found.place.path)

    def at(self, place: Place) -> dict[str, Any]:
        """A place as the server counts it."""
        position = place.lsp_position()
        position["character"] += self.lines.mark_at(place.path, position["line"])
        return {"textDocument": {"uri": uri_of(place.path)}, "position": position}

    async def outline(self, path: Path, depth: int = 99) -> list[Symbol]:
        params = {"textDocument": {"uri": uri_of(path)}}
        raws = await self.ask("textDocument/documentSymbol", params, path)
        return outline_of(path, raws or [], self.lines, depth=depth)

    def location(self, raw: Mapping[str, Any], around: int = 0) -> Location:
        """A Location or LocationLink of the server, with so many lines around it."""
        uri = raw.get("targetUri") or raw["uri"]
        if uri not in self.files:
            path = path_of(uri)
            self.files[uri] = (str(path), self.paths.display(path))
        path, shown = self.files[uri]
        where = raw.get("targetSelectionRange") or raw["range"]
        line, column = self.lines.place(path, where["start"])
        return Location(file=shown, line=line, column=column, preview=self.lines.preview(path, line, around))

    def evidence(self, scope: str, **details: Any) -> Evidence:
        python = self.served.python
        return Evidence(
            method="lsp",
            engine=self.server_id,
            engine_version=self.workspace.session.version if self.workspace else None,
            scope=scope,
            details={
                "project_root": self.paths.display(self.served.root),
                "trouble": self.trouble,
                "interpreter_reason": python.interpreter.reason if python and self.served.tells_interpreter else None,
                **details,
            },
        )

    @property
    def server_id(self) -> str:
        return self.served.spec.id

    @property
    def trouble(self) -> str | None:
        """Why the answers of the server may not be whole, in its own words."""
        return self.workspace.session.readiness.trouble if self.workspace else None


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
            defined = [(path, each) for each in matching(await view.outline(path), args.symbol)]
            used = None if defined else place_of_use(path, view.lines.of(path), args.symbol)
            return Target(view, used) if used else _chosen(view, defined, args.symbol)
    elif args.symbol and args.symbol.strip():
        return await _target_named(navigator, call, args.symbol)
    raise invalid_params(
        "the place is not complete",
        "give `file`, `line` and `column`; or `symbol`, alone or with `file`; or `file`, `line` and `symbol`",
    )


async def _target_named(navigator: Navigator, call: Call, name_path: str) -> Target:
    """The symbol of this name in whichever language it is; a server that is missing does not hide the others."""
    name = name_path.rpartition(".")[2]
    answers, notices = await navigator.symbols(call, name)
    found = {view.server_id: await _symbols_named(view, raws, name_path) for view, raws in answers}
    if notices and not any(found.values()):
        step = NextStep("doc", "name its `file` too, or see to the server")
        raise ToolFailure(ErrorKind.NO_MATCH, f"`{name_path[:100]}` was not found, but {notices[0].message}", step)
    view = next((view for view, _ in answers if found[view.server_id]), answers[0][0])
    return _chosen(view, [pair for pairs in found.values() for pair in pairs], name_path)


async def _symbols_named(view: View, raws: list[Any], name_path: str) -> list[tuple[Path, Symbol]]:
    """Symbols of the project with this name path: by name from the server, then by path from each file."""
    name = name_path.rpartition(".")[2]
    files = {path_of(raw["location"]["uri"]) for raw in raws if normal_name(raw["name"]) == normal_name(name)}
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


def _partly(view: View) -> Notice:
    message = f"{view.server_id} was asked about some of its many projects here only; ask with another `project`"
    return Notice("projects_not_asked", message)


def _silent(view: View, failure: ToolFailure) -> Notice:
    return Notice("server_silent", f"{view.server_id} did not answer: {failure.message}")


def _is_allowed(path: Path, call: Call) -> bool:
    return any(path.is_relative_to(root) for root in call.paths.allowed_roots)
