"""The contract that every tool keeps, those to come included: it runs over all of them.

A tool's `example` works on the sample project; everything else is derived from its schema.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sightline.answers import Answer
from sightline.app import ALL_TOOLS
from sightline.schemas import input_schema, output_schema
from sightline.tool import AnyTool
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

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
    assert len(json.dumps([input_schema(tool.input), output_schema(tool.output)])) < 2_200


@every_tool
async def test_its_hints_do_not_contradict_each_other(tool: AnyTool) -> None:
    assert not (tool.hints.read_only and tool.hints.destructive)


@every_tool
async def test_its_example_succeeds_and_fits_its_output_schema(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    answer = await _call(tool, tool.example, shop, tmp_path)
    assert answer.ok, answer.text
    assert set(answer.data) >= ENVELOPE | {"evidence"}
    assert answer.data["tool"] == tool.name
    assert answer.data["root"] == str(shop)
    assert answer.data["input"] == dict(tool.example)
    jsonschema.validate(answer.data, output_schema(tool.output))
    undeclared = set(answer.data) - ENVELOPE - {"evidence", "returned_results", "total_estimate"}
    assert undeclared <= set(output_schema(tool.output)["properties"])


@every_tool
async def test_text_and_json_say_the_same_whole_thing(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    _assert_same(await _call(tool, tool.example, shop, tmp_path))
    _assert_same(await _call(tool, {**tool.example, "bogus": 1}, shop, tmp_path))


@every_tool
async def test_its_text_opens_with_a_one_line_summary(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    first = (await _call(tool, tool.example, shop, tmp_path)).text.splitlines()[0]
    assert 10 <= len(first) <= 200


@every_tool
async def test_an_unknown_argument_is_refused_by_name(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    answer = await _call(tool, {**tool.example, "bogus_argument": 1}, shop, tmp_path)
    assert answer.data["error"]["kind"] == "invalid_params"
    assert "bogus_argument" in answer.data["error"]["message"]
    _assert_explains_itself(answer)


@every_tool
async def test_a_missing_argument_is_named(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    for name in input_schema(tool.input).get("required", []):
        arguments = {key: value for key, value in tool.example.items() if key != name}
        answer = await _call(tool, arguments, shop, tmp_path)
        assert answer.data["error"]["kind"] == "invalid_params"
        assert f"`{name}`" in answer.data["error"]["message"]


@every_tool
async def test_a_value_of_the_wrong_type_is_refused_by_name(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    for name in input_schema(tool.input)["properties"]:
        answer = await _call(tool, {**tool.example, name: {"not": ["this"]}}, shop, tmp_path)
        assert answer.data["error"]["kind"] == "invalid_params", name
        assert f"`{name}" in answer.data["error"]["message"]
        _assert_explains_itself(answer)


@every_tool
async def test_a_megabyte_for_any_string_is_refused_with_the_limit(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    for name, declared in input_schema(tool.input)["properties"].items():
        if declared.get("type") == "string":
            answer = await _call(tool, {**tool.example, name: "x" * 1_000_000}, shop, tmp_path)
            assert answer.data["error"]["kind"] == "invalid_params", name
            assert len(answer.text) < 5_000


@every_tool
@pytest.mark.parametrize("chars", [1_000, 1_500, 2_500, 5_000])
async def test_its_answers_keep_the_cap_at_every_size(tool: AnyTool, chars: int, shop: Path, tmp_path: Path) -> None:
    (shop / "shop" / "many.py").write_text("".join(f"name_{i}: int = 'text {i}'\n" for i in range(200)))
    async with app_over(shop, tmp_path, output__max_total_chars=chars) as app:
        for arguments in (tool.example, {**tool.example, "bogus" * 200: "x" * 10_000}):
            answer = await app.boundary.call(tool.name, arguments)
            assert len(answer.text) <= chars
            assert len(answer.json()) <= chars
            _assert_same(answer)


@every_tool
async def test_no_answer_holds_a_path_from_outside(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "secret_folder"
    secret.mkdir(parents=True)
    (shop / "link").symlink_to(secret)
    calls = [tool.example]
    for name in ("path", "file", "project"):
        if name in input_schema(tool.input)["properties"]:
            calls += [{**tool.example, name: text} for text in ("link", "link/x.py", "../outside")]
    for arguments in calls:
        answer = await _call(tool, arguments, shop, tmp_path)
        assert "secret_folder" not in answer.text + answer.json()
        assert not list(_foreign_paths(answer, shop, tmp_path))


@every_tool
async def test_a_foreign_project_is_refused(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    answer = await _call(tool, {**tool.example, "project": str(tmp_path / "other")}, shop, tmp_path)
    assert answer.data["error"]["kind"] == "path_not_allowed"
    _assert_explains_itself(answer)


@every_tool
async def test_a_disabled_tool_refuses_and_names_the_setting(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path, server__exclude_tools=[tool.name]) as app:
        assert tool not in app.selection.offered
        answer = await app.boundary.call(tool.name, tool.example)
    assert answer.data["error"]["kind"] == "unsupported"
    assert "server.exclude_tools" in answer.data["error"]["message"]
    _assert_explains_itself(answer)


@every_tool
async def test_read_only_hides_exactly_the_tools_that_write(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path, server__read_only=True) as app:
        assert (tool in app.selection.offered) is tool.hints.read_only
        if not tool.hints.read_only:
            answer = await app.boundary.call(tool.name, tool.example)
            assert answer.data["error"]["kind"] == "read_only"


@every_tool
async def test_former_names_keep_working(tool: AnyTool, shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path) as app:
        assert all(app.selection.find(name) is tool for name in (tool.name, *tool.aliases))


async def test_names_and_former_names_are_unique() -> None:
    names = [name for tool in ALL_TOOLS for name in (tool.name, *tool.aliases)]
    assert len(names) == len(set(names))


async def _call(tool: AnyTool, arguments: Any, shop: Path, home: Path) -> Answer:
    async with app_over(shop, home) as app:
        return await app.boundary.call(tool.name, arguments)


def _is_limited(schema: dict[str, Any]) -> bool:
    limits: dict[str, set[str]] = {
        "string": {"maxLength", "enum", "pattern"},
        "integer": {"maximum"},
        "number": {"maximum"},
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


def _foreign_paths(answer: Answer, shop: Path, home: Path) -> Iterator[str]:
    """Absolute paths that are neither the project's, nor an environment's, nor what the caller sent."""
    public = [str(shop), sys.prefix, sys.base_prefix, str(home / "config")]
    sent = json.dumps(answer.data["input"])
    for path in re.findall(r"(?<![\w.<>/])/[\w.-]+(?:/[\w.-]+)+", answer.text + answer.json()):
        if not any(path.startswith(each) for each in public) and path not in sent:
            yield path
