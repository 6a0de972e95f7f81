"""`sightline doctor`: what works here, what does not, and what to do."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sightline import __version__
from sightline.cli.project_options import project_option, project_root
from sightline.cli.terminal_text import printable
from sightline.places import standard_places

if TYPE_CHECKING:
    from sightline.doctor import Finding, Report

EXIT_ILL = 1
_MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "error": ("✗", "red")}


@click.command("doctor")
@project_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--fix", "is_fixing", is_flag=True, help="Mend what is safe to mend, and say what was done.")
def command(project: str | None, as_json: bool, is_fixing: bool) -> None:
    """Say what works here, what does not, and what to do. Language servers are really started; no network is used.

    Exit code: 0 no errors (there may be warnings), 1 errors.
    """
    import anyio

    from sightline.cli.log_setup import logging_by
    from sightline.doctor import examine
    from sightline.doctor.subject import subject_at

    root = project_root(project)
    places = standard_places()
    subject = subject_at(root, os.environ, Path.home(), places, sys.platform, Path(sys.executable))

    async def run() -> Report:
        return await examine(subject, is_fixing=is_fixing)

    level = "ERROR" if subject.settings.logging.mode == "stderr" else None
    with logging_by(subject.settings.logging, level=level):
        report = anyio.run(run)
    if as_json:
        click.echo(json.dumps(_as_json(report, root), ensure_ascii=False, indent=2))
    else:
        _print(report)
    raise SystemExit(0 if report.is_well else EXIT_ILL)


def _as_json(report: Report, root: Path) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "ok": report.is_well,
        "version": __version__,
        "root": str(root),
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "findings": [_finding(name, each) for name, each in report.findings],
        "done": list(report.done),
    }


def _finding(name: str, each: Finding) -> dict[str, Any]:
    told: dict[str, Any] = {"check": name, "level": each.level, "message": each.message}
    if each.remedy:
        told["remedy"] = each.remedy
    return {**told, **({"fix": each.fix.label} if each.fix else {})}


def _print(report: Report) -> None:
    before = None
    for name, each in report.findings:
        if name != before:
            click.secho(name, bold=True)
        before = name
        mark, colour = _MARKS[each.level]
        click.echo(f"  {click.style(mark, fg=colour)} {printable(each.message)}")
        if each.remedy:
            click.echo(f"    {click.style('remedy:', dim=True)} {printable(each.remedy)}")
    for each in report.done:
        click.secho(each, bold=True)
    errors, warnings = report.count("error"), report.count("warning")
    told = ((errors, "error"), (warnings, "warning"))
    colour = "red" if errors else "yellow" if warnings else "green"
    counts = ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in told)
    click.secho(f"{'not well' if errors else 'well'}: {counts}", fg=colour, bold=True)
