"""The few sentences that every client shows the model: which tool to prefer for what."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.tool import AnyTool

LONGEST = 500

_OPENING = "Sightline answers from the files as they are on disk now, or says that it does not know."
_ADVICE = {
    "check_types": "After an edit run `check_types` on the file; only `verdict: clean` means clean.",
    "check_edit": "`check_edit` tells what an edit breaks before it is written; `rename_symbol` renames safely.",
    "find_references": "Use `find_references`, `go_to_definition`, `get_hover`, `find_symbol` instead of grep.",
    "get_library_docs": "Before using an unfamiliar API, `get_library_docs` reads the installed version's.",
}
_CLOSING = "Lines and columns count from 1. Errors carry `next_steps`."


def instructions_for(tools: Sequence[AnyTool]) -> str:
    """Instructions that name only tools which are offered."""
    advice = [_ADVICE[tool.name] for tool in tools if tool.name in _ADVICE]
    return " ".join([_OPENING, *advice, _CLOSING])
