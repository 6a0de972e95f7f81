"""`sightline hover|def|refs|outline|symbols|complete`: the navigation tools for people.

A place is `FILE:LINE:COL`, `FILE:LINE:NAME`, `FILE:NAME.PATH` or just `NAME.PATH`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from sightline.answers import Answer
from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.cli.tool_call import EXIT_FAILED, call_tool

WIDEST = {"max_results": 100_000, "max_total_chars": 2_000_000}


def place_arguments(text: str, root: Path) -> dict[str, Any]:
    """The arguments of a place; a name alone if it names no file."""
    file, *rest = text.split(":")
    if not rest:
        return {"file": file} if (root / file).is_file() else {"symbol": text}
    if not rest[0].isdigit():
        return {"file": file, "symbol": rest[0]}
    arguments: dict[str, Any] = {"file": file, "line": int(rest[0])}
    if len(rest) > 1:
        arguments.update({"column": int(rest[1])} if rest[1].isdigit() else {"symbol": rest[1]})
    return arguments


def show(answer: Answer) -> None:
    """The body of an answer, its head in bold; warnings go to stderr, how we know is for agents."""
    if not answer.ok:
        click.echo(answer.body, err=True)
        raise SystemExit(EXIT_FAILED)
    head, *lines = answer.body.split("\n")
    click.secho(head, bold=True)
    for line in lines:
        click.secho(line, fg="cyan" if line and not line.startswith(" ") and "/" in line else None)
    for notice in answer.data["warnings"]:
        click.secho(f"warning: {notice['message']}", fg="yellow", err=True)
    if answer.data["truncated"]:
        click.secho("warning: this is not all: the answer was cut", fg="yellow", err=True)


def _call(tool: str, arguments: Mapping[str, Any], project: str | None, assignments: tuple[str, ...]) -> None:
    root = project_root(project)
    show(call_tool(tool, {**arguments, **WIDEST}, root, settings_for(root, assignments)))


def _place_command(name: str, tool: str, text: str) -> click.Command:
    @click.command(name, help=f"{text} PLACE: FILE:LINE:COL, FILE:LINE:NAME, FILE:NAME or NAME.")
    @click.argument("place")
    @project_option
    @settings_option
    def command(place: str, project: str | None, assignments: tuple[str, ...]) -> None:
        _call(tool, place_arguments(place, project_root(project)), project, assignments)

    return command


hover = _place_command("hover", "get_hover", "Type and documentation of a name.")
definition = _place_command("def", "go_to_definition", "Where a name is defined.")
references = _place_command("refs", "find_references", "Every use of a name.")
complete = _place_command("complete", "get_completions", "What can stand at a position.")


@click.command("outline", help="The symbols of a file.")
@click.argument("file")
@click.option("--depth", default=3, show_default=True, help="How deep to nest.")
@project_option
@settings_option
def outline(file: str, depth: int, project: str | None, assignments: tuple[str, ...]) -> None:
    _call("get_outline", {"file": file, "depth": depth}, project, assignments)


@click.command("symbols", help="Symbols of the project by name.")
@click.argument("query")
@click.option("--kind", help="Only this kind, e.g. class.")
@project_option
@settings_option
def symbols(query: str, kind: str | None, project: str | None, assignments: tuple[str, ...]) -> None:
    _call("find_symbol", {"query": query, **({"kind": kind} if kind else {})}, project, assignments)
