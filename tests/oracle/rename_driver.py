"""Applies a rename in a process of its own, which a test kills."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio

from tests.support.apps import app_over

_WHERE: dict[str, Any] = {"file": "target.py", "line": 1, "column": 5, "new_name": "renamed"}


async def rename(root: str, home: str) -> None:
    async with app_over(Path(root), Path(home)) as app:
        preview = await app.boundary.call("rename_symbol", _WHERE)
        arguments = {**_WHERE, "apply": True, "plan_id": preview.data["plan_id"]}
        applied = await app.boundary.call("rename_symbol", arguments)
        assert applied.ok, applied.text


if __name__ == "__main__":
    anyio.run(rename, sys.argv[1], sys.argv[2])
