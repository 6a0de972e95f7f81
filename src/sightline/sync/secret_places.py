"""The line of a file in which a secret stands: texts are read with imports and comments resolved, which moves lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sightline.sync.model_values import Provenance
from sightline.sync.secrets import written_forms


def line_in_file(read: Callable[[Path], bytes], provenance: Provenance, value: str) -> int:
    """The first line from the item's own on that holds the value, or begins it; the item's own if the file has none."""
    try:
        lines = read(provenance.file).decode("utf-8", errors="replace").split("\n")
    except OSError:
        return provenance.line
    forms = written_forms(value.split("\n", 1)[0].strip("\r"))
    holding = [number for number, line in enumerate(lines, 1) if any(form in line for form in forms)]
    return next((number for number in holding if number >= provenance.line), min(holding, default=provenance.line))
