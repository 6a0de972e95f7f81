"""Names to ask references for: functions and classes at the top level of the project's files, as they are now."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFINITION = re.compile(r"^(?:async def|def|class) +(\w+)")


@dataclass(frozen=True, slots=True)
class ReferenceTarget:
    """A name in its `def` or `class` line; `line` and `column` from 1, in characters."""

    path: Path
    root: Path
    name: str
    line: int
    column: int
    before: str

    def __str__(self) -> str:
        return f"{self.name} at {self.path.relative_to(self.root)}:{self.line}:{self.column}"

    def arguments(self) -> dict[str, Any]:
        return {"file": str(self.path.relative_to(self.root)), "line": self.line, "column": self.column}

    def lsp_position(self) -> dict[str, int]:
        return {"line": self.line - 1, "character": len(self.before.encode("utf-16-le")) // 2}


def choose_target(files: Sequence[Path], root: Path, rng: random.Random) -> ReferenceTarget | None:
    """One of all definitions, each as likely; None if there is none."""
    found = [target for file in files for target in _targets_in(file, root)]
    return rng.choice(found) if found else None


def _targets_in(file: Path, root: Path) -> list[ReferenceTarget]:
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    found = [(number, line, match) for number, line in enumerate(lines, 1) if (match := _DEFINITION.match(line))]
    return [
        ReferenceTarget(file, root, match[1], number, match.start(1) + 1, line[: match.start(1)])
        for number, line, match in found
    ]
