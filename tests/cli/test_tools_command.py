"""`sightline tools`: what an agent would be offered here."""

from __future__ import annotations

import json

from sightline.app import ALL_TOOLS
from tests.cli.command_line import CommandLine


def test_text_lists_every_tool_with_its_description(sightline: CommandLine) -> None:
    ended = sightline.run("tools")
    assert (ended.code, ended.err) == (0, "")
    for tool in ALL_TOOLS:
        assert f"{tool.name} ({tool.toolset})\n  {tool.description}\n" in ended.out


def test_json_holds_what_a_client_is_told(sightline: CommandLine) -> None:
    ended = sightline.run("tools", "--json")
    tools = {each["name"]: each for each in json.loads(ended.out)}
    assert list(tools) == [tool.name for tool in ALL_TOOLS]
    check = tools["check_types"]
    assert set(check) == {"name", "title", "description", "toolset", "input_schema", "output_schema", "hints"}
    assert check["input_schema"]["required"] == ["path"]
    assert "diagnostics" in check["output_schema"]["properties"]
    assert check["hints"] == {"read_only": True, "destructive": False, "idempotent": True, "open_world": False}


def test_a_hidden_tool_is_listed_with_the_setting_that_hides_it(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", "[server]\nexclude_tools = ['check_types']\n")
    ended = sightline.run("tools")
    assert "check_types (hidden)" in ended.out
    assert "server.exclude_tools" in ended.out
    offered = [each["name"] for each in json.loads(sightline.run("tools", "--json").out)]
    assert "check_types" not in offered
    assert "health_check" in offered


def test_an_unknown_tool_in_the_settings_is_refused_with_the_nearest(sightline: CommandLine) -> None:
    ended = sightline.run("tools", "--set", "server.tools=chek_types")
    assert (ended.code, ended.out) == (2, "")
    assert "hint: did you mean `check_types`?" in ended.err
