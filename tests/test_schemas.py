"""Schemas that are small and still say all that a caller needs."""

from __future__ import annotations

import json
from typing import Any, Literal, cast

import jsonschema
import pytest

from sightline.arguments import parse_arguments
from sightline.errors import ToolFailure
from sightline.schemas import input_schema, output_schema
from sightline.tool import LongToolInput, output_field, param, record


@record
class Spot:
    """A docstring that callers never see."""

    line: int = param("1-based line", ge=1)


@record
class SampleInput(LongToolInput):
    """Another docstring."""

    path: str = param("File or folder", max_length=100)
    title: str | None = param("A parameter with an awkward name", default=None)
    level: Literal["low", "high"] | None = param("Least level", default=None)
    deep: bool = param("All the way down", default=True)
    spot: Spot | None = param("Where", default=None)
    spots: list[Spot] = param("Where else", default=())


@record
class Branch:
    name: str
    branches: list[Branch] = output_field(default=())


@record
class SampleOutput:
    required: str
    spot: Spot | None = output_field("Where it is", default=None)
    first: Spot = output_field("The first of all")
    count: int | str


def keywords_in(node: Any) -> set[str]:
    """Every schema keyword, names of properties left out."""
    if isinstance(node, list):
        return set[str]().union(*(keywords_in(each) for each in cast("list[Any]", node)))
    if not isinstance(node, dict):
        return set()
    found = set[str]()
    for key, value in cast("dict[str, Any]", node).items():
        inner: list[Any] = list(value.values()) if key == "properties" else [value]
        found |= {key, *keywords_in(inner)}
    return found


def test_nothing_is_in_a_schema_that_tells_a_caller_nothing() -> None:
    for schema in (input_schema(SampleInput), output_schema(SampleOutput)):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert not keywords_in(schema) & {"title", "$ref", "$defs"}
        assert "docstring" not in json.dumps(schema)
        assert "null" not in json.dumps(schema)


def test_parameters_that_all_tools_have_come_last() -> None:
    names = list(input_schema(SampleInput)["properties"])

    assert names[:6] == ["path", "title", "level", "deep", "spot", "spots"]
    assert set(names[6:]) == {"max_results", "max_total_chars", "project"}


def test_limits_descriptions_choices_and_defaults_are_kept() -> None:
    properties = input_schema(SampleInput)["properties"]

    assert properties["path"] == {"type": "string", "maxLength": 100, "description": "File or folder"}
    assert properties["level"] == {"type": "string", "enum": ["low", "high"], "description": "Least level"}
    assert properties["deep"] == {"type": "boolean", "default": True, "description": "All the way down"}
    assert properties["title"]["type"] == "string"


def test_an_optional_record_is_written_out_with_its_description() -> None:
    spot = input_schema(SampleInput)["properties"]["spot"]

    assert spot["description"] == "Where"
    assert spot["properties"]["line"] == {"type": "integer", "minimum": 1, "description": "1-based line"}


def test_a_record_that_is_always_there_keeps_the_description_of_its_field() -> None:
    assert output_schema(SampleOutput)["properties"]["first"]["description"] == "The first of all"


@pytest.mark.parametrize(
    "arguments", ['{"path": "a"}', '{"path": "a", "spot": {"line": 1}, "spots": [{"line": 2}], "max_results": 5}']
)
def test_the_schema_accepts_what_the_tool_accepts(arguments: str) -> None:
    jsonschema.validate(json.loads(arguments), input_schema(SampleInput))
    parse_arguments(SampleInput, json.loads(arguments))


@pytest.mark.parametrize(
    "arguments",
    ["{}", '{"path": "a", "other": 1}', '{"path": "a", "spot": {"line": 0}}', '{"path": "a", "spots": [{}]}'],
)
def test_the_schema_refuses_what_the_tool_refuses(arguments: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(arguments), input_schema(SampleInput))
    with pytest.raises(ToolFailure):
        parse_arguments(SampleInput, json.loads(arguments))


def test_an_error_answer_fits_the_output_schema_of_every_tool() -> None:
    schema = output_schema(SampleOutput)

    jsonschema.validate({"ok": False, "error": {"kind": "timeout"}}, schema)
    assert "required" in schema["properties"]
    assert "required" not in keywords_in(schema)


def test_a_field_of_several_kinds_keeps_them_all() -> None:
    assert output_schema(SampleOutput)["properties"]["count"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]


def test_a_record_that_holds_its_own_kind_has_a_schema_too() -> None:
    schema = output_schema(Branch)

    jsonschema.validate({"name": "a", "branches": [{"name": "b"}]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "a", "branches": [3]}, schema)
