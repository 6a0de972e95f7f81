"""What a sync uses of Claude Code's state file, which a running Claude Code rewrites all the time.

Light: it is also asked whether that part has changed where nothing else has to be read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn, cast

_USED_OF_PROJECT = (
    "mcpServers",
    "enabledMcpjsonServers",
    "disabledMcpjsonServers",
    "disabledMcpServers",
    "hasTrustDialogAccepted",
)


def used_part(value: object, project_keys: Sequence[str]) -> str:
    """The servers of the user, and of the first of these projects that stands there; as text, in their order."""
    table = _table(value)
    projects = _table(table.get("projects"))
    project = next((key for key in project_keys if key in projects), None)
    entry = _table(projects.get(project))
    return json.dumps([table.get("mcpServers"), project, [entry.get(key) for key in _USED_OF_PROJECT]])


def used_part_of_text(text: str, project_keys: Sequence[str]) -> str | None:
    """The same of a file's text; none where only a whole reading can tell what is in it."""
    if "\\ud" in text.lower():  # perhaps half of a character, which is an error
        return None
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_refuse_duplicates)
    except (ValueError, RecursionError):
        return None
    return used_part(cast("object", value), project_keys) if isinstance(value, dict) else None


def _table(value: object) -> dict[Any, Any]:
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else {}


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key given twice is reported."""
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError
    return table
