"""`sightline tools`: what an agent is offered."""

from __future__ import annotations

import json
from typing import Any

import click

from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.tool import AnyTool


@click.command("tools", help="List the tools that an agent would be offered here.")
@click.option("--json", "as_json", is_flag=True, help="With schemas, as JSON.")
@project_option
@settings_option
def command(as_json: bool, project: str | None, assignments: tuple[str, ...]) -> None:
    from sightline.app import ALL_TOOLS
    from sightline.selection import select_tools

    root = project_root(project)
    selection = select_tools(ALL_TOOLS, settings_for(root, assignments).values.server)
    if as_json:
        click.echo(json.dumps([_as_json(tool) for tool in selection.offered], indent=2))
        return
    for tool in selection.offered:
        click.echo(f"{click.style(tool.name, bold=True)} ({tool.toolset})\n  {tool.description}")
    for name, refusal in selection.hidden.items():
        click.echo(f"{click.style(name, dim=True)} (hidden)\n  {refusal.message}")


def _as_json(tool: AnyTool) -> dict[str, Any]:
    from sightline.contract import to_json
    from sightline.schemas import input_schema, output_schema

    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "toolset": tool.toolset,
        "input_schema": input_schema(tool.input),
        "output_schema": output_schema(tool.output),
        "hints": to_json(tool.hints),
    }
