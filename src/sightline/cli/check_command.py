"""`sightline check PATH`: a type check for people."""

from __future__ import annotations

from typing import Any

import click

from sightline.answers import Answer
from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.cli.tool_call import EXIT_FAILED, call_tool

_COLORS = {"error": "red", "warning": "yellow", "information": "blue"}
_EXIT_CODES = {"clean": 0, "warnings": 0, "errors": 1, "unknown": EXIT_FAILED}
_ALL = 100_000
_WIDEST = 2_000_000


@click.command("check", help="Type-check a file or folder. Exit code: 0 no errors, 1 errors, 3 not known.")
@click.argument("path", default=".")
@click.option("--python-version", metavar="X.Y", help="Check for this Python.")
@click.option("--severity", type=click.Choice(list(_COLORS)), help="Least severity to list.")
@project_option
@settings_option
def command(
    path: str,
    python_version: str | None,
    severity: str | None,
    project: str | None,
    assignments: tuple[str, ...],
) -> None:
    root = project_root(project)
    arguments = {"path": path, "python_version": python_version, "severity": severity}
    given: dict[str, Any] = {name: value for name, value in arguments.items() if value}
    limits = {"max_results": _ALL, "max_total_chars": _WIDEST}
    answer = call_tool("check_types", {**given, **limits}, root, settings_for(root, assignments))
    if not answer.ok:
        click.echo(answer.body, err=True)
        raise SystemExit(EXIT_FAILED)
    _print(answer)
    raise SystemExit(_EXIT_CODES[answer.data["verdict"]])


def _print(answer: Answer) -> None:
    data = answer.data
    for each in data["diagnostics"]:
        place = click.style(f"{each['file']}:{each['line']}:{each['column']}", bold=True)
        severity = click.style(each["severity"], fg=_COLORS[each["severity"]])
        rule = click.style(f" [{each['rule']}]", dim=True) if "rule" in each else ""
        message = each["message"].replace("\n", "\n    ")
        click.echo(f"{place}: {severity}: {message}{rule}")
    for notice in data["warnings"]:
        click.secho(f"warning: {notice['message']}", fg="yellow", err=True)
    color = {"clean": "green", "errors": "red"}.get(data["verdict"], "yellow")
    click.echo(f"{click.style(data['verdict'], fg=color, bold=True)}: {data['summary']} ({data['time_ms']} ms)")
