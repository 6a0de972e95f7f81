"""The page of tools, and the table of them in the README."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from reference.markdown import code, code_block, code_json, page, table, yes_or_no
from sightline.app import ALL_TOOLS
from sightline.schemas import input_schema, output_schema
from sightline.selection import ALWAYS
from sightline.tool import AnyTool

_TABLE_START = "<!-- tools: start, made by scripts/make_docs.py -->"
_TABLE_END = "<!-- tools: end -->"

_OPENING = """
Every answer has the same envelope around the fields below: see [answers](../concepts/answers.md).
`max_results` and `max_total_chars` have defaults that [settings](settings.md) can change.
"""

_LIMITS = {
    "minimum": "≥ {:,}",
    "maximum": "≤ {:,}",
    "exclusiveMinimum": "> {:,}",
    "exclusiveMaximum": "< {:,}",
    "minLength": "at least {:,} characters",
    "maxLength": "at most {:,} characters",
    "minItems": "at least {:,} items",
    "maxItems": "at most {:,} items",
    "pattern": "matches `{}`",
}


def tools_page() -> str:
    return page("Tools", _OPENING, *(block for tool in ALL_TOOLS for block in _blocks(tool)))


def with_tool_table(readme: str) -> str:
    """The README with the table between its markers made anew; raises `ValueError` if they are missing."""
    before, start, rest = readme.partition(_TABLE_START)
    _, end, after = rest.partition(_TABLE_END)
    if not (start and end):
        raise ValueError(f"README.md lacks the markers `{_TABLE_START}` and `{_TABLE_END}`")
    rows = [(_link(tool), _toolset(tool), yes_or_no(not tool.hints.read_only), tool.description) for tool in ALL_TOOLS]
    made = table(["Tool", "Toolset", "Writes", "What it is for"], rows)
    return f"{before}{start}\n\n{made}\n\n{end}{after}"


def _link(tool: AnyTool) -> str:
    return f"[`{tool.name}`](docs/reference/tools.md#{tool.name})"


def _toolset(tool: AnyTool) -> str:
    return "always there" if tool.toolset == ALWAYS else code(tool.toolset)


def _blocks(tool: AnyTool) -> Iterator[str]:
    yield f"## `{tool.name}`"
    yield f"**{tool.title}.** {tool.description}"
    yield "\n".join(_facts(tool))
    yield "Parameters:"
    yield table(["Name", "Type", "Default", "Limits", "Meaning"], _parameter_rows(tool))
    yield "Answer:"
    yield table(["Field", "Type", "Meaning"], _field_rows(output_schema(tool.output)["properties"]))
    yield "Example, as arguments and on the command line:"
    yield code_block(json.dumps(dict(tool.example), ensure_ascii=False), "json")
    yield code_block(" ".join(["sightline call", tool.name, *_pairs(tool.example)]), "sh")


def _facts(tool: AnyTool) -> Iterator[str]:
    hints = tool.hints
    yield f"- toolset: {_toolset(tool)}"
    yield (
        f"- hints: read-only {yes_or_no(hints.read_only)}, destructive {yes_or_no(hints.destructive)}, "
        f"idempotent {yes_or_no(hints.idempotent)}, open world {yes_or_no(hints.open_world)}"
    )
    if tool.is_core:
        yield "- marked as core: a client that loads tools on demand is asked to load this one at once"
    if tool.aliases:
        yield "- former names: " + ", ".join(code(name) for name in tool.aliases)


def _parameter_rows(tool: AnyTool) -> Iterator[tuple[str, ...]]:
    schema = input_schema(tool.input)
    required = schema.get("required", [])
    for name, each in schema["properties"].items():
        default = "required" if name in required else _default(tool, name, each)
        yield code(name), _type_name(each), default, ", ".join(_limits(each)), each.get("description", "")


def _default(tool: AnyTool, name: str, schema: Mapping[str, Any]) -> str:
    if name == "max_results":
        return code_json(tool.default_max_results) if tool.default_max_results else "all"
    if name == "max_total_chars":
        return code("output.max_total_chars")
    return code_json(schema["default"]) if "default" in schema else "unset"


def _limits(schema: Mapping[str, Any]) -> list[str]:
    return [form.format(schema[name]) for name, form in _LIMITS.items() if name in schema]


def _field_rows(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, ...]]:
    """One row per field; the fields inside a list or an object follow it, as `diagnostics[].file`."""
    for name, schema in properties.items():
        yield code(prefix + name), _type_name(schema), schema.get("description") or ""
        inner, mark = (schema.get("items", {}), "[].") if schema.get("type") == "array" else (schema, ".")
        yield from _field_rows(inner.get("properties", {}), f"{prefix}{name}{mark}")


def _type_name(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(code(each) for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type_name(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type_name(schema.get('items', {}))}"
    return str(schema.get("type", "string"))


def _pairs(example: Mapping[str, Any]) -> Iterator[str]:
    for name, value in example.items():
        yield f"{name}={value}" if isinstance(value, str) else f"'{name}={json.dumps(value, ensure_ascii=False)}'"
