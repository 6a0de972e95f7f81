"""Looking for a name as text: slow, blunt, and a good witness against a wrong "nothing found"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPILED = (".so", ".pyd")


@dataclass(frozen=True, slots=True)
class TextHit:
    path: Path
    line: int


def scan_for_name(name: str, files: Iterable[str]) -> Iterator[TextHit]:
    """Every line that holds the name as a whole word."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)".encode())
    for file in files:
        if file.endswith(_COMPILED):
            continue
        try:
            content = Path(file).read_bytes()
        except OSError:
            continue
        for found in word.finditer(content):
            yield TextHit(Path(file), content.count(b"\n", 0, found.start()) + 1)
