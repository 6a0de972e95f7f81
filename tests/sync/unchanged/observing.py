"""Runs `sightline` and writes down every path that Python asks the system about, and what was imported.

    python -P observing.py REPORT ARGUMENTS…

The report is JSON: `seen` (stat, lstat, readlink), `used` (opened or listed), `modules`. The interpreter's own audit
events tell what is opened and listed; there are none for stat, so that those functions are wrapped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def observe(report: Path, arguments: list[str]) -> None:
    seen: set[str] = set()
    used: set[str] = set()

    def note(path: Any, where: set[str]) -> None:
        if path is not None and not isinstance(path, int):
            where.add(str(Path(os.fsdecode(path)).absolute()))

    def audit(event: str, details: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir"):
            note(details[0], used)

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        def ask(path: Any, *more: Any, **named: Any) -> Any:
            note(path, seen)
            return function(path, *more, **named)

        return ask

    for name in ("stat", "lstat", "readlink"):
        setattr(os, name, wrapped(getattr(os, name)))
    sys.addaudithook(audit)
    from sightline.cli.main import main

    try:
        main(arguments)
    finally:
        content = {"seen": sorted(seen), "used": sorted(used), "modules": sorted(sys.modules)}
        report.write_text(json.dumps(content))


if __name__ == "__main__":
    observe(Path(sys.argv[1]), sys.argv[2:])
