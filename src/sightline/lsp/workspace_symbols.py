"""Symbols of a whole project by a part of their name, however its server looks for them.

TypeScript's language server asks only about the project of the file that was opened last; its own command knows all
projects that are open.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.lsp.reports import lsp_position, mode_of, tsserver_request
from sightline.lsp.uris import uri_of
from sightline.lsp.workspace import Workspace

_KINDS = {
    "module": 2,
    "class": 5,
    "local class": 5,
    "method": 6,
    "property": 7,
    "getter": 7,
    "setter": 7,
    "constructor": 9,
    "enum": 10,
    "interface": 11,
    "function": 12,
    "local function": 12,
    "const": 14,
    "enum member": 22,
    "type parameter": 26,
}
_VARIABLE = 13


async def find_symbols(workspace: Workspace, query: str, *, ready_within_s: float) -> list[Any]:
    """What the server finds, in the form of the protocol."""
    if mode_of(workspace) != "tsserver":
        return await workspace.ask("workspace/symbol", {"query": query}, ready_within_s=ready_within_s) or []
    method, params = tsserver_request("navto", {"searchValue": query})
    answer = await workspace.ask(method, params, ready_within_s=ready_within_s)
    found: list[Any] = answer.get("body") or []
    return [_as_symbol(each) for each in found]


def _as_symbol(raw: Mapping[str, Any]) -> dict[str, Any]:
    place = {"start": lsp_position(raw["start"]), "end": lsp_position(raw["end"])}
    return {
        "name": raw["name"],
        "kind": _KINDS.get(raw.get("kind", ""), _VARIABLE),
        "containerName": raw.get("containerName"),
        "location": {"uri": uri_of(Path(raw["file"])), "range": place},
    }
