"""A type check by the command, turned into diagnostics: our positions, our paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from sightline.code.diagnostics import Diagnostic, in_reading_order
from sightline.code.pyright_command import CheckReport
from sightline.paths import PathPolicy
from sightline.positions import column_from_utf16


def diagnostics_of(report: CheckReport, paths: PathPolicy) -> list[Diagnostic]:
    """The report's diagnostics in reading order."""
    lines = _Lines()
    return in_reading_order(_diagnostic(raw, paths, lines) for raw in report.diagnostics)


@dataclass(slots=True)
class _Lines:
    """The lines of the files that diagnostics point into; needed where a line is not plain ASCII."""

    files: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def column(self, file: str, position: Mapping[str, int]) -> int:
        if file not in self.files:
            self.files[file] = _split_lines(file)
        lines = self.files[file]
        if position["line"] >= len(lines):
            return position["character"] + 1
        return column_from_utf16(lines[position["line"]], position["character"])


def _split_lines(file: str) -> list[str]:
    try:
        text = Path(file).read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return []
    if text.isascii():
        return []
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _diagnostic(raw: Mapping[str, Any], paths: PathPolicy, lines: _Lines) -> Diagnostic:
    place = cast("dict[str, dict[str, int]]", raw.get("range") or {})
    start = place.get("start", {"line": 0, "character": 0})
    end = place.get("end", start)
    file = str(raw["file"])
    return Diagnostic(
        file=paths.display(Path(file)),
        line=start["line"] + 1,
        column=lines.column(file, start),
        end_line=end["line"] + 1,
        end_column=lines.column(file, end),
        severity=raw["severity"],
        message=str(raw["message"]).replace("\xa0", " "),
        rule=raw.get("rule"),
    )
