"""JSON schemas of dataclasses, made small: clients put every byte of them before the model."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

from sightline.arguments import parameter_names

_AS_GOOD_AS_NONE = 100_000
"""A maximum that no honest caller meets is checked, but not published."""


def input_schema(model: type) -> dict[str, Any]:
    """The schema of a tool's arguments: its own parameters first, then those that every tool has."""
    schema = _schema_of(model, mode="validation")
    ordered = {name: schema["properties"][name] for name in parameter_names(model)}
    return {**schema, "properties": ordered, "additionalProperties": False}


def output_schema(model: type) -> dict[str, Any]:
    """The schema of a tool's own answer fields; the envelope around them is the same for all tools.

    Nothing in it is required: an error answer has the envelope only, and an empty field may be left out.
    """
    schema = cast("dict[str, Any]", _loose(_schema_of(model, mode="serialization")))
    for each in fields(model):
        declared = schema["properties"][each.name]
        if each.metadata.get("null") and "type" in declared:
            declared["type"] = [declared["type"], "null"]
        if each.metadata.get("brief"):
            _leave_out_items(declared)
        for inner in declared.get("items", {}).get("properties", {}).values():
            _leave_out_items(inner)
    return schema


def _leave_out_items(declared: dict[str, Any]) -> None:
    for form in ("items", "additionalProperties"):
        declared.pop(form, None)


def _schema_of(model: type, *, mode: str) -> dict[str, Any]:
    from pydantic import TypeAdapter

    raw = TypeAdapter(model).json_schema(mode=cast("Any", mode))
    definitions = raw.pop("$defs", {})
    return cast("dict[str, Any]", _compact(raw, definitions))


def _compact(node: Any, definitions: dict[str, Any]) -> Any:
    """Without titles, null alternatives, references, and defaults and limits that say nothing."""
    if isinstance(node, list):
        return [_compact(item, definitions) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("dict[str, Any]", node)
    schema = _without_null_choice(schema)
    if reference := schema.pop("$ref", None):
        return {**_expanded(str(reference).rpartition("/")[2], definitions), **_compact(schema, definitions)}
    return {
        key: _compact_properties(value, definitions) if key == "properties" else _compact(value, definitions)
        for key, value in schema.items()
        if not _says_nothing(key, value, schema)
    }


def _says_nothing(key: str, value: Any, schema: dict[str, Any]) -> bool:
    if key == "maximum":
        return value >= _AS_GOOD_AS_NONE
    is_default = (key == "default" and not value) or (key == "additionalProperties" and value is True)
    return key == "title" or is_default or _is_docstring(key, schema)


def _expanded(name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """A definition in its place; inside itself it is just an object."""
    if name not in definitions:
        return {"type": "object"}
    inner = {other: each for other, each in definitions.items() if other != name}
    return cast("dict[str, Any]", _compact(definitions[name], inner))


def _compact_properties(properties: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    return {name: _compact(schema, definitions) for name, schema in properties.items()}


def _without_null_choice(schema: dict[str, Any]) -> dict[str, Any]:
    choices = schema.get("anyOf", [])
    real = [choice for choice in choices if choice != {"type": "null"}]
    if len(real) != 1 or len(real) == len(choices):
        return dict(schema)
    return {**real[0], **{key: value for key, value in schema.items() if key != "anyOf"}}


def _is_docstring(key: str, schema: dict[str, Any]) -> bool:
    """A record's docstring is for readers of the code; only fields have a description for callers."""
    return key == "description" and "properties" in schema


def _loose(node: Any) -> Any:
    """Nothing required; and that a field is text goes without saying."""
    if isinstance(node, list):
        return [_loose(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    pairs = cast("dict[str, Any]", node).items()
    return {
        key: _loose_fields(value) if key == "properties" else _loose(value)
        for key, value in pairs
        if not (key == "required" and isinstance(value, list))
    }


def _loose_fields(fields_by_name: dict[str, Any]) -> dict[str, Any]:
    loose = {name: _loose(declared) for name, declared in fields_by_name.items()}
    return {
        name: {key: value for key, value in declared.items() if (key, value) != ("type", "string")}
        for name, declared in loose.items()
    }
