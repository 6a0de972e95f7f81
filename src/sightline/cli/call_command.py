"""`sightline call TOOL key=value …`: any tool, with its answer as text or JSON."""

from __future__ import annotations

import json
from typing import Any

import click

from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.cli.tool_call import EXIT_FAILED, call_tool
from sightline.tool import AnyTool


@click.command("call", help="Call any tool: `sightline call check_types path=src`. Lists and objects are JSON.")
@click.argument("tool_name", metavar="TOOL")
@click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the JSON form of the answer.")
@project_option
@settings_option
def command(
    tool_name: str, pairs: tuple[str, ...], as_json: bool, project: str | None, assignments: tuple[str, ...]
) -> None:
    tool = _find(tool_name)
    arguments = dict(_argument(pair, tool) for pair in pairs)
    root = project_root(project)
    answer = call_tool(tool.name, arguments, root, settings_for(root, assignments))
    click.echo(json.dumps(answer.data, ensure_ascii=False, indent=2) if as_json else answer.text)
    if not answer.ok:
        raise SystemExit(EXIT_FAILED)


def _find(name: str) -> AnyTool:
    from sightline.app import ALL_TOOLS
    from sightline.arguments import nearest

    names = {known: tool for tool in ALL_TOOLS for known in (tool.name, *tool.aliases)}
    if name not in names:
        guess = nearest(name, list(names))
        hint = f"did you mean `{guess}`?" if guess else "`sightline tools` lists them"
        raise click.UsageError(f"unknown tool: {name}\nhint: {hint}")
    return names[name]


def _argument(pair: str, tool: AnyTool) -> tuple[str, Any]:
    name, equals, text = pair.partition("=")
    if not equals:
        raise click.UsageError(f"not an argument: {pair}\nhint: write KEY=VALUE")
    if text[:1] in ("[", "{") and not _is_text(tool, name):
        try:
            return name, json.loads(text)
        except ValueError as error:
            raise click.UsageError(f"`{name}` is not valid JSON: {error}") from None
    return name, text


def _is_text(tool: AnyTool, name: str) -> bool:
    from typing import get_type_hints

    return get_type_hints(tool.input).get(name) in (str, str | None)
