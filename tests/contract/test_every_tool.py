"""The contract that every tool keeps, those to come included: it runs over all of them.

A tool's `example` works on the sample project; everything else is derived from its schema.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sightline.answers import Answer
from sightline.app import ALL_TOOLS, App
from sightline.config.schema import OutputSettings, ServerSettings
from sightline.schemas import input_schema, output_schema
from sightline.selection import select_tools
from sightline.tool import AnyTool
from tests.conftest import EXAMPLES
from tests.support.apps import app_over
from tests.support.sample_environment import install_click

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample project that all tests of this module ask about and none changes; a link in it leads outside."""
    folder = tmp_path_factory.mktemp("contract").resolve()
    shutil.copytree(EXAMPLES / "shop", folder / "shop")
    (folder / "shop" / "shop" / "many.py").write_text("".join(f"name_{i}: int = 'text {i}'\n" for i in range(200)))
    (folder / "outside" / "secret_folder").mkdir(parents=True)
    (folder / "shop" / "link").symlink_to(folder / "outside" / "secret_folder")
    install_click(folder / "shop")
    return folder / "shop"


@pytest.fixture(scope="module")
async def app(project: Path) -> AsyncGenerator[App]:
    async with app_over(project, project.parent) as opened:
        yield opened


every_tool = pytest.mark.parametrize("tool", ALL_TOOLS, ids=lambda tool: tool.name)

ENVELOPE = {"schema_version", "ok", "tool", "server_id", "input", "root", "warnings", "truncated"}


@every_tool
async def test_its_name_title_and_description_fit_clients(tool: AnyTool) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", tool.name)
    assert 3 <= len(tool.title) <= 40
    assert 40 <= len(tool.description) <= 300
    assert tool.description.endswith(".")


@every_tool
async def test_every_parameter_is_described_and_limited(tool: AnyTool) -> None:
    schema = input_schema(tool.input)
    assert schema["additionalProperties"] is False
    assert "project" in schema["properties"]
    assert "project" not in schema.get("required", [])
    for name, declared in schema["properties"].items():
        assert 8 <= len(declared["description"]) <= 120, name
        assert _is_limited(declared), name


@every_tool
async def test_its_schemas_are_valid_and_compact(tool: AnyTool) -> None:
    for schema in (input_schema(tool.input), output_schema(tool.output)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert "$ref" not in json.dumps(schema)
        assert '"title"' not in json.dumps(schema).replace('"title": {', "")
    assert len(json.dumps([input_schema(tool.input), output_schema(tool.output)])) < 3_000


@every_tool
async def test_its_hints_do_not_contradict_each_other(tool: AnyTool) -> None:
    assert not (tool.hints.read_only and tool.hints.destructive)


@every_tool
async def test_its_example_succeeds_and_fits_its_output_schema(tool: AnyTool, app: App) -> None:
    answer = await _call(app, tool, tool.example)
    assert answer.ok, answer.text
    assert set(answer.data) >= ENVELOPE | {"evidence"}
    assert answer.data["tool"] == tool.name
    assert answer.data["root"] == str(app.boundary.root)
    assert answer.data["input"] == dict(tool.example)
    jsonschema.validate(answer.data, output_schema(tool.output))
    undeclared = set(answer.data) - ENVELOPE - {"evidence", "returned_results", "total_estimate"}
    assert undeclared <= set(output_schema(tool.output)["properties"])


@every_tool
async def test_text_and_json_say_the_same_whole_thing(tool: AnyTool, app: App) -> None:
    for arguments in (tool.example, {**tool.example, "bogus": 1}):
        answer = await _call(app, tool, arguments)
        _assert_same(answer)
        assert answer.ok == ("bogus" not in arguments)


@every_tool
async def test_its_text_opens_with_a_one_line_summary(tool: AnyTool, app: App) -> None:
    first = (await _call(app, tool, tool.example)).text.splitlines()[0]
    assert 10 <= len(first) <= 200


@every_tool
async def test_an_unknown_argument_is_refused_by_name(tool: AnyTool, app: App) -> None:
    answer = await _call(app, tool, {**tool.example, "bogus_argument": 1})
    assert answer.data["error"]["kind"] == "invalid_params"
    assert "bogus_argument" in answer.data["error"]["message"]
    _assert_explains_itself(answer)


@every_tool
async def test_a_missing_argument_is_named(tool: AnyTool, app: App) -> None:
    for name in input_schema(tool.input).get("required", []):
        arguments = {key: value for key, value in tool.example.items() if key != name}
        answer = await _call(app, tool, arguments)
        assert answer.data["error"]["kind"] == "invalid_params"
        assert f"`{name}`" in answer.data["error"]["message"]


@every_tool
async def test_a_value_of_the_wrong_type_is_refused_by_name(tool: AnyTool, app: App) -> None:
    for name in input_schema(tool.input)["properties"]:
        answer = await _call(app, tool, {**tool.example, name: {"not": ["this"]}})
        assert answer.data["error"]["kind"] == "invalid_params", name
        assert f"`{name}" in answer.data["error"]["message"]
        _assert_explains_itself(answer)


@every_tool
async def test_a_megabyte_for_any_string_is_refused_with_the_limit(tool: AnyTool, app: App) -> None:
    for name, declared in input_schema(tool.input)["properties"].items():
        if declared.get("type") == "string":
            answer = await _call(app, tool, {**tool.example, name: "x" * 1_000_000})
            assert answer.data["error"]["kind"] == "invalid_params", name
            assert len(answer.text) < 5_000


@every_tool
@pytest.mark.parametrize("chars", [1_000, 1_500, 2_500, 5_000])
async def test_its_answers_keep_the_cap_at_every_size(tool: AnyTool, chars: int, app: App) -> None:
    settings = replace(app.settings.values, output=OutputSettings(max_total_chars=chars))
    boundary = replace(app.boundary, settings=settings)
    for arguments in (tool.example, {**tool.example, "bogus" * 200: "x" * 10_000}):
        answer = await boundary.call(tool.name, arguments)
        assert len(answer.text) <= chars
        assert len(answer.json()) <= chars
        _assert_same(answer)


@every_tool
async def test_no_answer_holds_a_path_from_outside(tool: AnyTool, app: App) -> None:
    calls = [tool.example]
    for name in ("path", "file", "project"):
        if name in input_schema(tool.input)["properties"]:
            calls += [{**tool.example, name: text} for text in ("link", "link/x.py", "../outside")]
    for arguments in calls:
        answer = await _call(app, tool, arguments)
        assert "secret_folder" not in answer.text + answer.json()
        assert not list(_foreign_paths(answer, app.boundary.root))


@every_tool
async def test_a_foreign_project_is_refused(tool: AnyTool, app: App) -> None:
    answer = await _call(app, tool, {**tool.example, "project": "../outside"})
    assert answer.data["error"]["kind"] == "path_not_allowed"
    _assert_explains_itself(answer)


@every_tool
async def test_a_disabled_tool_refuses_and_names_the_setting(tool: AnyTool, app: App) -> None:
    selection = select_tools(ALL_TOOLS, ServerSettings(exclude_tools=(tool.name,)))
    assert tool not in selection.offered
    answer = await replace(app.boundary, selection=selection).call(tool.name, tool.example)
    assert answer.data["error"]["kind"] == "unsupported"
    assert "server.exclude_tools" in answer.data["error"]["message"]
    _assert_explains_itself(answer)


@every_tool
async def test_read_only_hides_exactly_the_tools_that_write(tool: AnyTool, app: App) -> None:
    selection = select_tools(ALL_TOOLS, ServerSettings(read_only=True))
    assert (tool in selection.offered) is tool.hints.read_only
    if not tool.hints.read_only:
        answer = await replace(app.boundary, selection=selection).call(tool.name, tool.example)
        assert answer.data["error"]["kind"] == "read_only"


@every_tool
async def test_former_names_keep_working(tool: AnyTool, app: App) -> None:
    assert all(app.selection.find(name) is tool for name in (tool.name, *tool.aliases))


async def test_names_and_former_names_are_unique() -> None:
    names = [name for tool in ALL_TOOLS for name in (tool.name, *tool.aliases)]
    assert len(names) == len(set(names))


async def _call(app: App, tool: AnyTool, arguments: Any) -> Answer:
    return await app.boundary.call(tool.name, arguments)


def _is_limited(schema: dict[str, Any]) -> bool:
    limits: dict[str, set[str]] = {
        "string": {"maxLength", "enum", "pattern"},
        "integer": {"minimum", "maximum"},
        "number": {"minimum", "maximum"},
        "array": {"maxItems"},
    }
    kind = schema.get("type")
    return kind in ("boolean", "object") or bool(limits[str(kind)] & set(schema))


def _assert_explains_itself(answer: Answer) -> None:
    """A failure says its kind, its message and every next step in the text too."""
    assert not answer.ok
    error = answer.data["error"]
    assert answer.data["next_steps"]
    assert answer.text.startswith(f"error {error['kind']}: ")
    assert "Traceback" not in answer.text
    assert "pydantic" not in answer.text


def _assert_same(answer: Answer) -> None:
    text = _folded(answer.text)
    for place, value in _leaves(answer.data):
        if place[0] not in ("schema_version", "ok", "truncated"):
            assert _folded(str(value)) in text, (place, value)


def _leaves(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for name, item in value.items():  # pyright: ignore[reportUnknownVariableType] - JSON
            yield from _leaves(item, (*place, str(name)))  # pyright: ignore[reportUnknownArgumentType] - JSON
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType] - JSON
            yield from _leaves(item, (*place, "[]"))
    elif value is not None and not isinstance(value, bool):
        yield place, value


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _foreign_paths(answer: Answer, root: Path) -> Iterator[str]:
    """Absolute paths that are neither the project's, nor an environment's, nor what the caller sent."""
    public = [str(root), sys.prefix, sys.base_prefix, os.devnull]
    sent = json.dumps(answer.data["input"])
    for path in re.findall(r"(?<![\w.<>/])/[\w.-]+(?:/[\w.-]+)+", answer.text + answer.json()):
        if not any(path.startswith(each) for each in public) and path not in sent:
            yield path
