"""Diagnostics as the engines write them, turned into ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from sightline.code.diagnostics import Diagnostic, Severity
from sightline.code.source_lines import SourceLines

_START = {"line": 0, "character": 0}
_SEVERITIES: Mapping[Any, Severity] = {1: "error", 2: "warning", 3: "information"}
_HINT = 4


def from_command(raws: Iterable[Mapping[str, Any]], lines: SourceLines) -> Iterable[tuple[Path, Diagnostic]]:
    """Of the command's JSON: severities are words, the rule has a key of its own."""
    for raw in raws:
        file = Path(str(raw["file"]))
        yield file, _diagnostic(file, raw, raw["severity"], raw.get("rule"), lines)


def from_server(file: Path, raws: Iterable[Mapping[str, Any]], lines: SourceLines) -> list[Diagnostic]:
    """Of a server's report: severities are numbers or missing, the rule is the code. Hints are not findings."""
    return [
        _diagnostic(file, raw, _SEVERITIES.get(raw.get("severity"), "error"), _rule(raw.get("code")), lines)
        for raw in raws
        if raw.get("severity") != _HINT
    ]


def _rule(code: Any) -> str | None:
    return None if code is None else str(code)


def _diagnostic(
    file: Path, raw: Mapping[str, Any], severity: Severity, rule: str | None, lines: SourceLines
) -> Diagnostic:
    place = cast("dict[str, dict[str, int]]", raw.get("range") or {})
    start = place.get("start", _START)
    line, column = lines.place(file, start)
    end_line, end_column = lines.place(file, place.get("end", start))
    return Diagnostic(
        file=str(file),
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        severity=severity,
        message=str(raw["message"]).replace("\xa0", " "),
        rule=rule,
    )
