"""Quick fixes that a server offers for its findings, each as a diff; nothing of them is applied.

A fix that the server would only carry out by a command of its own cannot be shown, and is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from pathlib import Path
from typing import Any, cast

from sightline.code.diagnostics import Diagnostic, Fix
from sightline.code.engine_diagnostics import from_server
from sightline.code.source_lines import SourceLines
from sightline.code.workspace_edits import EditedFile, edited_files
from sightline.errors import ToolFailure
from sightline.lsp.connection import ErrorResponse, RequestTimedOut
from sightline.lsp.reports import report_of
from sightline.lsp.uris import uri_of
from sightline.lsp.workspace import Workspace
from sightline.paths import PathPolicy, is_inside

_METHOD = "textDocument/codeAction"
_KIND = "quickfix"
_MOST_ASKED = 20
_MOST_FIXES = 3
_LONGEST_DIFF = 2_000
_REQUEST_S = 5.0


@dataclass(slots=True)
class QuickFixes:
    """Collects fixes for findings, within a number of questions and a time; `left_out` counts findings not asked for.

    `paths` shows the files; a fix that reaches outside the allowed roots is left out.
    """

    paths: PathPolicy
    seconds: float
    left_out: int = 0
    _asked: int = 0
    _started: float = field(default_factory=time.monotonic)

    async def added_to(
        self, found: Sequence[Diagnostic], workspace: Workspace, texts: Mapping[str, str] | None = None
    ) -> list[Diagnostic]:
        """The findings (by real path), with their fixes; `texts` are those that the server is shown now."""
        if not workspace.session.supports(_METHOD, "codeActionProvider"):
            return list(found)
        by_file: dict[str, list[tuple[Diagnostic, Mapping[str, Any]]]] = {}
        fixed: list[Diagnostic] = []
        for each in found:
            if each.file not in by_file:
                by_file[each.file] = await self._raw_findings(each.file, workspace, texts or {})
            raw = next((raw for known, raw in by_file[each.file] if known == each), None)
            fixed.append(replace(each, fixes=await self._fixes(each, raw, workspace, texts or {})))
        return fixed

    async def _raw_findings(
        self, file: str, workspace: Workspace, texts: Mapping[str, str]
    ) -> list[tuple[Diagnostic, Mapping[str, Any]]]:
        """The findings of a file with their form in the protocol, which the server wants to see again."""
        if self._is_spent():
            return []
        try:
            report = await report_of(workspace, file, None, self._left())
        except RequestTimedOut:
            return []
        lines = SourceLines(counts_marks=not workspace.spec.needs_open)
        if file in texts:
            lines.keep(file, texts[file], is_marked=False)
        raws: list[Mapping[str, Any]] = list(report.get("items") or [])
        return [(known, raw) for raw in raws for known in from_server(Path(file), [raw], lines)]

    async def _fixes(
        self, found: Diagnostic, raw: Mapping[str, Any] | None, workspace: Workspace, texts: Mapping[str, str]
    ) -> list[Fix] | None:
        if raw is None or self._is_spent():
            self.left_out += 1
            return None
        self._asked += 1
        params = {
            "textDocument": {"uri": uri_of(Path(found.file))},
            "range": raw["range"],
            "context": {"diagnostics": [raw], "only": [_KIND], "triggerKind": 1},
        }
        try:
            actions: list[Any] = await workspace.session.request(_METHOD, params, self._left()) or []
            shown = [await self._shown(each, workspace, texts) for each in _usable(actions)]
        except (ErrorResponse, RequestTimedOut):
            self.left_out += 1
            return None
        return [fix for fix in shown if fix][:_MOST_FIXES] or None

    async def _shown(self, action: Mapping[str, Any], workspace: Workspace, texts: Mapping[str, str]) -> Fix | None:
        if "edit" not in action and _resolves(workspace):
            action = await workspace.session.request("codeAction/resolve", action, self._left())
        if not (edit := action.get("edit")):
            return None
        try:
            files = edited_files(edit, texts=texts)
        except ToolFailure:  # it wants to create a file, or does not fit
            return None
        if not files or not all(is_inside(each.path, self.paths.allowed_roots) for each in files):
            return None
        diff = "".join(line for each in files for line in self._diff(each))
        return Fix(title=str(action["title"]), diff=diff) if diff and len(diff) <= _LONGEST_DIFF else None

    def _diff(self, file: EditedFile) -> Iterable[str]:
        name = self.paths.display(file.path)
        before, after = file.before.splitlines(keepends=True), file.after.splitlines(keepends=True)
        for line in unified_diff(before, after, name, name, n=1):
            yield line if line.endswith("\n") else line + "\n"

    def _is_spent(self) -> bool:
        return self._asked >= _MOST_ASKED or time.monotonic() - self._started > self.seconds

    def _left(self) -> float:
        return max(0.1, min(_REQUEST_S, self.seconds - (time.monotonic() - self._started)))


def _usable(actions: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Actions proper (a bare command has no kind), those that the server prefers first."""
    usable = [each for each in actions if str(each.get("kind", "")).startswith(_KIND) and not each.get("disabled")]
    return sorted(usable, key=lambda each: not each.get("isPreferred"))[: 2 * _MOST_FIXES]


def _resolves(workspace: Workspace) -> bool:
    provider: Any = workspace.session.capabilities.get("codeActionProvider")
    return isinstance(provider, dict) and bool(cast("dict[str, Any]", provider).get("resolveProvider"))
