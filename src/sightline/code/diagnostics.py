"""Diagnostics as answers give them: 1-based lines and columns, words for severities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from sightline.tool import output_field, record

Severity = Literal["error", "warning", "information"]
Verdict = Literal["clean", "errors", "warnings", "unknown"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information")


@record
class Fix:
    """A change that the server offers for a finding."""

    title: str
    diff: str


@record
class Diagnostic:
    """One finding of an engine."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    message: str
    rule: str | None = None
    fixes: list[Fix] | None = output_field(default=None, brief=True)


def at_least(diagnostics: Iterable[Diagnostic], severity: Severity) -> list[Diagnostic]:
    """Those of this severity or a graver one."""
    wanted = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return [each for each in diagnostics if each.severity in wanted]


def in_reading_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return sorted(diagnostics, key=lambda each: (each.file, each.line, each.column))


def count_by_severity(diagnostics: Iterable[Diagnostic]) -> Counter[Severity]:
    return Counter(each.severity for each in diagnostics)


def verdict_of(counts: Counter[Severity]) -> Verdict:
    if counts["error"]:
        return "errors"
    return "warnings" if counts["warning"] else "clean"


def diagnostic_lines(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """The text form, grouped by file."""
    lines: list[str] = []
    file = None
    for each in diagnostics:
        if each.file != file:
            file = each.file
            lines += ["", file]
        rule = f" [{each.rule}]" if each.rule else ""
        place = f"{each.line}:{each.column}-{each.end_line}:{each.end_column}"
        message = each.message.replace("\n", "\n    ")
        lines.append(f"  {place} {each.severity}: {message}{rule}")
        for fix in each.fixes or []:
            lines += [f"    fix: {fix.title}", *(f"      {line}" for line in fix.diff.splitlines())]
    return lines
