"""Renaming a symbol: planned with proof, applied only if nothing moved since.

A plan is the server's edit, held against the references and a text scan, and tried in memory together with all
files that depend on it. Its id is a hash over the old and new content of every file, so nothing is kept between
preview and apply: the plan is made again, and must come out the same.
"""

from __future__ import annotations

import hashlib
import keyword
import os
import re
import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio.to_thread

from sightline.code.catalogue import is_python
from sightline.code.diagnostic_delta import Delta, delta
from sightline.code.diagnostics import Diagnostic
from sightline.code.keywords import untied_keywords
from sightline.code.language_servers import LanguageServers
from sightline.code.leftovers import Leftover, documents_below, leftovers
from sightline.code.line_mapping import LineMapping
from sightline.code.navigation import View
from sightline.code.other_projects import uses_elsewhere
from sightline.code.overrides import NotAsked, Spot, parted_members
from sightline.code.places import Place
from sightline.code.pulled_check import CheckBudget, evaluate_quotes, pull_check
from sightline.code.source_lines import SourceLines
from sightline.code.tried_edit import TriedEdit, try_edits
from sightline.code.workspace_edits import EditedFile, edited_files
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.lsp.connection import ErrorResponse
from sightline.lsp.uris import path_of
from sightline.lsp.workspace import Workspace
from sightline.transactions import (
    Busy,
    FileChange,
    FileTransactions,
    NotRestored,
    StaleContent,
    TransactionFailed,
)

_NAME = re.compile(r"[^\W\d][\w$]*")
MOST_LEFTOVERS = 200
"""One more is listed if there are more, so that nobody takes the list for whole."""


@dataclass(frozen=True, slots=True)
class RenamePlan:
    """What a rename would do, and how far it is proved.

    `missed` are references that the server's edit does not cover; `captured` are uses of the new name that would
    come to mean the renamed symbol, or the other way round; `parted` are members that override a renamed one, or
    are overridden by one, and keep the old name; `untied` are keywords that may mean it; `elsewhere` are files of other
    projects that may use it; `expected` is what each file will be found to hold.
    """

    old_name: str
    new_name: str
    root: Path
    files: Sequence[EditedFile]
    delta: Delta
    leftovers: Sequence[tuple[Path, Leftover]]
    missed: Sequence[Spot]
    captured: Sequence[Spot]
    parted: Sequence[Spot]
    untied: Sequence[Spot]
    elsewhere: Sequence[str]
    dependents_checked: int
    dependents: int
    expected: Mapping[str, Sequence[Diagnostic]]
    unknown_because: str | None = None

    @property
    def count(self) -> int:
        return sum(len(each.spans) for each in self.files)

    @property
    def id(self) -> str:
        """Over everything that is written and everything that it was made for."""
        digest = hashlib.sha256(f"{self.old_name}\0{self.new_name}\0{self.root}".encode())
        for each in self.files:
            for part in (os.fsencode(each.path), each.old_bytes, each.new_bytes):
                digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()[:16]


@dataclass(slots=True)
class _Draft:
    """What is learnt while the server is shown the edit."""

    files: list[EditedFile] = field(default_factory=list[EditedFile])
    references: set[Spot] = field(default_factory=set[Spot])
    references_after: set[Spot] | None = None
    tried: TriedEdit = field(default_factory=TriedEdit)
    sources: list[str] = field(default_factory=list[str])
    quotes: list[str] = field(default_factory=list[str])
    parted: list[Spot] = field(default_factory=list[Spot])
    untied: list[Spot] = field(default_factory=list[Spot])
    elsewhere: list[str] = field(default_factory=list[str])
    ignorance: str | None = None


@dataclass(frozen=True, slots=True)
class Renamer:
    """Plans renames and carries them out."""

    servers: LanguageServers
    transactions: FileTransactions
    budget_s: float
    ready_within_s: float

    async def plan(self, view: View, place: Place, new_name: str) -> RenamePlan:
        """The plan for the name at a place; raises `ToolFailure` if it cannot be renamed."""
        old_name = place.name
        if old_name is None:
            raise invalid_params("there is no name at this place", "give the position of a name, or `symbol`")
        _require_name(old_name, new_name, view)

        async def work(workspace: Workspace) -> _Draft:
            view.workspace = workspace
            return await self._draft(workspace, view, place, old_name, new_name)

        draft = await self.servers.with_workspace(view.served, work, alone=True)
        uses = (*(str(each.path) for each in draft.files), *(file for file, _, _ in draft.references))
        draft.elsewhere = await uses_elsewhere(old_name, uses, view)
        return _plan_of(draft, view, old_name, new_name)

    async def apply(self, plan: RenamePlan, view: View) -> str | None:
        """Write the plan, all or nothing, and look again; what is not as planned, or None. Raises `ToolFailure`."""
        await self._write(plan)
        expected = {path: sorted(map(repr, found)) for path, found in plan.expected.items()}

        async def work(workspace: Workspace) -> str | None:
            await workspace.sync(self.ready_within_s)
            check = await pull_check(workspace, list(expected), CheckBudget(self.budget_s, self.ready_within_s))
            if check.unreached:
                return f"{len(check.unreached)} files were not checked again in time"
            found = {path: sorted(map(repr, each.diagnostics)) for path, each in check.reports.items()}
            odd = [path for path, each in expected.items() if found.get(path, each) != each]
            return f"the files do not check as planned, such as {view.paths.display(Path(odd[0]))}" if odd else None

        try:
            return await self.servers.with_workspace(view.served, work)
        except ToolFailure as failure:  # the files are written: that must not read as a failure
            return f"it was written, but could not be checked again: {failure.message}"

    async def _write(self, plan: RenamePlan) -> None:
        changes = [FileChange(each.path, each.old_bytes, each.new_bytes) for each in plan.files]
        try:
            await anyio.to_thread.run_sync(self.transactions.apply, changes)
        except StaleContent:
            raise stale_plan("a file changed since the plan was made") from None
        except Busy as error:
            step = NextStep("doc", "ask again")
            raise ToolFailure(ErrorKind.BUSY, str(error), step, retryable=True, retry_after_ms=1000) from None
        except NotRestored as error:
            step = NextStep("command", "a person has to look at the files named here; their old content is kept")
            raise ToolFailure(ErrorKind.CONFLICT, str(error), step) from None
        except TransactionFailed as error:
            step = NextStep("doc", "nothing was changed; mend the cause and ask again")
            raise ToolFailure(ErrorKind.PERMISSION_DENIED, f"the files could not be written: {error}", step) from None

    async def _draft(self, workspace: Workspace, view: View, place: Place, old_name: str, new_name: str) -> _Draft:
        deadline = time.monotonic() + self.budget_s
        budget = CheckBudget(self.budget_s, self.ready_within_s)
        draft = _Draft()
        await workspace.sync(self.ready_within_s)
        draft.ignorance = _ignorance(workspace)
        draft.sources = workspace.sources
        if workspace.spec.knows_quotes_late:
            draft.quotes = await evaluate_quotes(workspace, old_name, str(place.path), self.ready_within_s)
        await workspace.make_known(str(place.path), self.ready_within_s)
        at = view.at(place)
        await _require_renamable(workspace, at)
        if workspace.offers("textDocument/references"):
            draft.references = await _references(workspace, at)
        edit = await _asked(workspace, "textDocument/rename", {**at, "newName": new_name})
        draft.files = edited_files(edit or {}, replaced=old_name)
        _require_writable(draft.files, view)
        if is_python(workspace.spec) and workspace.spec.overlay == "all":
            await _look_around(draft, workspace, old_name, deadline)
        texts = {str(each.path): each.after.removeprefix("\ufeff") for each in draft.files}
        budget.seconds = max(0.1, deadline - time.monotonic())

        async def inside(_index: int, _tried: TriedEdit) -> None:
            draft.references_after = await _references(workspace, _moved(at, place, draft.files, new_name), draft.files)

        if workspace.spec.overlay == "all":
            (draft.tried,) = await try_edits(workspace, [texts], budget, inside)
        return draft


async def _look_around(draft: _Draft, workspace: Workspace, old_name: str, deadline: float) -> None:
    """Look for what belongs to the symbol in Python and is not one of its references."""
    renamed = {(str(each.path), span.line, span.start) for each in draft.files for span in each.spans}
    try:
        draft.parted = await parted_members(workspace, old_name, {spot[:2] for spot in renamed}, deadline)
        draft.untied = await untied_keywords(workspace, old_name, renamed, deadline)
    except NotAsked as error:
        draft.ignorance = draft.ignorance or f"{error}: which of them belong together was not asked"


def _ignorance(workspace: Workspace) -> str | None:
    """Why the server does not know the whole project, if that is so."""
    readiness, spec = workspace.session.readiness, workspace.spec
    if readiness.trouble:
        return f"{spec.id} does not know the project as it should: {readiness.trouble}"
    if readiness.is_partial(workspace.session.launch.root):
        return f"{spec.id} knows only the files that are open: {' or '.join(spec.ready.only_with)} is missing"
    return None


def stale_plan(reason: str) -> ToolFailure:
    step = NextStep("doc", "ask again without `apply`, look at the new plan, and apply that")
    return ToolFailure(ErrorKind.STALE_PLAN, f"nothing was written: {reason}", step)


def _plan_of(draft: _Draft, view: View, old_name: str, new_name: str) -> RenamePlan:
    """An old problem may name the symbol in its message: it is the same problem with the new name."""
    edits = {(str(each.path), span.line, span.start): span for each in draft.files for span in each.spans}
    tried = draft.tried
    edited = {str(each.path) for each in draft.files}
    word = re.compile(rf"(?<!\w){re.escape(old_name)}(?!\w)")
    before = [replace(found, message=word.sub(new_name, found.message)) for found in tried.found_before]
    mappings = {str(each.path): LineMapping.between(each.before, each.after) for each in draft.files}
    checked, dependents = tried.dependents(edited)
    left = _leftovers(draft, view, old_name)
    return RenamePlan(
        old_name=old_name,
        new_name=new_name,
        root=view.served.root,
        files=draft.files,
        delta=delta(before, tried.found_after, mappings),
        leftovers=left,
        missed=sorted(draft.references - edits.keys()),
        captured=_captured(draft, new_name),
        parted=draft.parted,
        untied=draft.untied,
        elsewhere=draft.elsewhere,
        dependents_checked=checked,
        dependents=dependents,
        expected=tried.after,
        unknown_because=_doubt(draft, view, old_name, new_name) or _unchecked(draft, left),
    )


def _doubt(draft: _Draft, view: View, old_name: str, new_name: str) -> str | None:
    spec = view.served.spec
    if is_python(spec) and _is_mangled(old_name) != _is_mangled(new_name):
        return "Python changes names that begin with `__` inside a class, which the server does not look at"
    if draft.ignorance:
        return draft.ignorance
    if spec.is_single_file:
        return f"{spec.id} looks at one file only"
    if spec.overlay != "all":
        return f"{spec.id} cannot be shown the change together with the files that depend on it"
    if draft.quotes:
        return f"{len(draft.quotes)} files that hold the name in quotes were not evaluated in time"
    return f"{len(draft.tried.unreached)} files were not reached in time" if draft.tried.unreached else None


def _unchecked(draft: _Draft, left: Sequence[tuple[Path, Leftover]]) -> str | None:
    """Why code that the server does not check may break."""
    unchecked = frozenset(draft.tried.untracked)
    found = sorted({each.file for path, each in left if each.kind == "code" and str(path) in unchecked})
    return f"the server does not check {found[0]}, which holds the name" if found else None


def _leftovers(draft: _Draft, view: View, old_name: str) -> list[tuple[Path, Leftover]]:
    renamed = {each.path: each.spans for each in draft.files}
    sources = [*draft.sources, *(path for path in draft.elsewhere if path not in draft.sources)]
    places = [*sources, *documents_below(view.served.root, draft.sources)]
    found: list[tuple[Path, Leftover]] = []
    for path, each in leftovers(old_name, places, renamed):
        found.append((path, replace(each, file=view.paths.display(path))))
        if len(found) > MOST_LEFTOVERS:
            break
    return found


def _captured(draft: _Draft, new_name: str) -> list[Spot]:
    """Where the new name, in the new texts, means something else than the edit intends."""
    if draft.references_after is None:
        return []
    expected = {
        (str(each.path), *place)
        for each in draft.files
        for span, place in zip(each.spans, _places_after(each, new_name), strict=True)
        if not draft.references or (str(each.path), span.line, span.start) in draft.references
    }  # gopls renames in comments, too
    return sorted(draft.references_after ^ expected)


def _places_after(edited: EditedFile, new_name: str) -> list[tuple[int, int]]:
    """Where the new name is in the new text: a rename leaves lines where they are, and shifts columns.

    A piece may hold more than the name: TypeScript writes `{ old }` anew as `{ old: new }`.
    """
    places: list[tuple[int, int]] = []
    line, shift = 0, 0
    for span in edited.spans:
        shift = shift if span.line == line else 0
        line = span.line
        places.append((span.line, span.start + shift + max(0, span.text.find(new_name))))
        shift += span.growth
    return places


def _moved(at: Mapping[str, Any], place: Place, files: Sequence[EditedFile], new_name: str) -> Mapping[str, Any]:
    """The same name's position in the new texts: pieces before it in its line have shifted it."""
    own = next((each for each in files if each.path == place.path), None)
    if own is None:
        return at
    in_line = [span for span in own.spans if span.line == place.line]
    growth = sum(span.growth for span in in_line if span.start < place.column)
    growth += sum(max(0, span.text.find(new_name)) for span in in_line if span.start == place.column)
    position = place.lsp_position()  # the document is open now, without a byte order mark
    return {**at, "position": {**position, "character": position["character"] + growth}}


async def _references(workspace: Workspace, at: Mapping[str, Any], files: Sequence[EditedFile] = ()) -> set[Spot]:
    """Where the symbol is used, as the server sees it now: with these files edited."""
    params = {**at, "context": {"includeDeclaration": True}}
    raws: list[Any] = await _asked(workspace, "textDocument/references", params) or []
    lines = SourceLines(counts_marks=not workspace.spec.needs_open)
    for each in files:
        lines.keep(each.path, each.after.removeprefix("\ufeff"), is_marked=False)
    return {(str(path := path_of(raw["uri"])), *lines.place(path, raw["range"]["start"])) for raw in raws}


async def _require_renamable(workspace: Workspace, at: Mapping[str, Any]) -> None:
    offered = workspace.session.capabilities.get("renameProvider")
    if not offered:
        raise _not_renamable(f"{workspace.spec.name or workspace.spec.id} does not rename")
    can_prepare = isinstance(offered, dict) and "prepareProvider" in offered
    if can_prepare and await _asked(workspace, "textDocument/prepareRename", at) is None:
        raise _not_renamable("the server says that there is nothing to rename at this place")


async def _asked(workspace: Workspace, method: str, params: Mapping[str, Any]) -> Any:
    """A request whose refusal is the server's word on the rename."""
    try:
        return await workspace.request(method, params)
    except ErrorResponse as error:
        raise _not_renamable(f"the server refuses: {error.message[:200]}") from None


def _not_renamable(reason: str) -> ToolFailure:
    step = NextStep("doc", "name the symbol where it is defined, or another symbol")
    return ToolFailure(ErrorKind.UNSUPPORTED, reason, step)


def _require_name(old_name: str, new_name: str, view: View) -> None:
    if new_name == old_name:
        raise invalid_params("the new name is the old one", "give another `new_name`")
    python = is_python(view.served.spec)
    is_name = _is_plain_identifier(new_name) if python else bool(_NAME.fullmatch(new_name))
    if not is_name or (python and keyword.iskeyword(new_name)):
        raise invalid_params(f"`{new_name[:100]}` cannot be a name here", "give a valid identifier as `new_name`")


def _is_plain_identifier(name: str) -> bool:
    """Python reads a name in its compatibility form, which may be another name than the server sees."""
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _require_writable(files: Collection[EditedFile], view: View) -> None:
    if not files:
        raise _not_renamable("the server would change nothing: it does not rename this symbol")
    roots = view.call.paths.allowed_roots
    if outside := [each.path for each in files if not any(each.path.is_relative_to(root) for root in roots)]:
        raise ToolFailure(
            ErrorKind.PATH_NOT_ALLOWED,
            f"the rename would change files outside the project, such as `{outside[0].name}`",
            NextStep("doc", "rename only symbols that the project itself defines"),
        )
