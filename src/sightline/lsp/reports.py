"""The diagnostics of one file, however its server gives them; in the form of a diagnostic report of the protocol.

- asked for by `textDocument/diagnostic`, which may answer that nothing changed;
- published by the server when it likes (`published.py`);
- asked for by TypeScript's own commands, because its language server publishes nothing for a file that stays clean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from sightline.lsp.connection import ErrorResponse, RequestTimedOut
from sightline.lsp.uris import uri_of
from sightline.lsp.workspace import Workspace

Mode = Literal["pull", "push", "tsserver"]

_TSSERVER = "typescript.tsserverRequest"
_COMMANDS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync")
_SEVERITIES = {"error": 1, "warning": 2, "message": 3, "suggestion": 4}
_FULL = ("full", "")  # gopls leaves the kind empty
LEFT_OUT = "left out"
"""The kind of a report on a file that the server does not check."""


def mode_of(workspace: Workspace) -> Mode:
    mode = workspace.spec.diagnostics.mode
    if mode == "auto":
        return "pull" if workspace.session.supports("textDocument/diagnostic", "diagnosticProvider") else "push"
    return mode


async def report_of(workspace: Workspace, path: str, previous: str | None, timeout_s: float) -> Mapping[str, Any]:
    """A report of one file; lets interactive requests go first. The caller has synchronised."""
    await workspace.let_others_first()
    await workspace.make_known(path if workspace.spec.needs_open else None, timeout_s)
    match mode_of(workspace):
        case "push":
            return {"kind": "full", "items": await _published(workspace, path, timeout_s)}
        case "tsserver":
            return {"kind": "full", "items": await _by_tsserver(workspace, path, timeout_s)}
        case "pull":
            return await _pulled(workspace, path, previous, timeout_s)


async def _pulled(workspace: Workspace, path: str, previous: str | None, timeout_s: float) -> Mapping[str, Any]:
    params: dict[str, Any] = {"textDocument": {"uri": uri_of(path)}}
    if previous is not None:
        params["previousResultId"] = previous
    try:
        answer = await workspace.request("textDocument/diagnostic", params, timeout_s)
    except ErrorResponse as error:
        if not _is_left_out(workspace, error):
            raise
        return {"kind": LEFT_OUT}
    return {**answer, "kind": "full"} if answer.get("kind") in _FULL else answer


def _is_left_out(workspace: Workspace, error: ErrorResponse) -> bool:
    pattern = workspace.spec.diagnostics.left_out
    return bool(pattern) and re.search(pattern, error.message) is not None


async def _published(workspace: Workspace, path: str, timeout_s: float) -> list[Any]:
    form, published = workspace.spec.diagnostics, workspace.session.published
    after = published.count
    version = await workspace.documents.touch(path)
    items = await published.settled(
        uri_of(path),
        after=after,
        version=version if form.has_version else None,
        quiet_s=form.settle_s,
        timeout_s=timeout_s,
    )
    if items is None:
        raise RequestTimedOut("nothing was published in time")
    return items


async def _by_tsserver(workspace: Workspace, path: str, timeout_s: float) -> list[Any]:
    items: list[Any] = []
    for command in _COMMANDS:
        answer = await workspace.request(*tsserver_request(command, {"file": path}), timeout_s)
        found: list[Any] = answer.get("body") or []
        items += map(_as_item, found)
    return items


def _as_item(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "range": {"start": lsp_position(raw["start"]), "end": lsp_position(raw["end"])},
        "severity": _SEVERITIES.get(raw.get("category", ""), 1),
        "code": raw.get("code"),
        "message": raw["text"],
    }


def tsserver_request(command: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """One of TypeScript's own commands, as method and parameters of the protocol."""
    return "workspace/executeCommand", {"command": _TSSERVER, "arguments": [command, arguments]}


def lsp_position(raw: Mapping[str, int]) -> dict[str, int]:
    return {"line": raw["line"] - 1, "character": raw["offset"] - 1}
