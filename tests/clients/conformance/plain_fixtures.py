"""Tools, resources and prompts with fixed content, in the words that the suite asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError

Json = Mapping[str, Any]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

_IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _resource(uri: str, text: str, kind: str = "text/plain") -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}}


CONTENTS: Mapping[str, list[Json]] = {
    "test_image_content": [_IMAGE],
    "test_audio_content": [{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}],
    "test_embedded_resource": [_resource("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _IMAGE,
        _resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "json_schema_2020_12_tool": [_text("Its schema is what counts.")],
    "tool_with_headers": [_text("Its headers are what counts.")],
}

SCHEMAS: Mapping[str, Json] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "tool_with_headers": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
}

_PROMPTS: Mapping[str, tuple[list[str], list[Json]]] = {
    "test_simple_prompt": ([], [_text("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (
        ["arg1", "arg2"],
        [_text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")],
    ),
    "test_prompt_with_embedded_resource": (
        ["resourceUri"],
        [
            _resource("{resourceUri}", "Embedded resource content for testing."),
            _text("Please process the embedded resource above."),
        ],
    ),
    "test_prompt_with_image": ([], [_IMAGE, _text("Please analyze the image above.")]),
    "test_input_required_result_prompt": ([], [_text("Use the context that was given.")]),
}


def prompts() -> types.ListPromptsResult:
    listed = [
        {
            "name": name,
            "description": f"The fixture {name}",
            "arguments": [{"name": each, "description": each, "required": True} for each in arguments],
        }
        for name, (arguments, _) in _PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": listed})


def prompt(name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    if name not in _PROMPTS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"unknown prompt: {name}")
    written = json.dumps(_PROMPTS[name][1])
    for each, value in arguments.items():
        written = written.replace(f"{{{each}}}", json.dumps(value)[1:-1])
    messages = [{"role": "user", "content": content} for content in json.loads(written)]
    return types.GetPromptResult.model_validate({"messages": messages})


def resources() -> types.ListResourcesResult:
    listed = [
        {"uri": "test://static-text", "name": "text", "description": "Fixed text", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "binary", "description": "Fixed bytes", "mimeType": "image/png"},
    ]
    return types.ListResourcesResult.model_validate({"resources": listed})


def resource_templates() -> types.ListResourceTemplatesResult:
    template = {"uriTemplate": "test://template/{id}/data", "name": "template", "description": "Text by number"}
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [template]})


def resource(uri: str) -> types.ReadResourceResult:
    contents = {
        "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
        "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
    }
    if uri.startswith("test://template/") and uri.endswith("/data"):
        number = uri.removeprefix("test://template/").removesuffix("/data")
        text = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        contents[uri] = {"mimeType": "application/json", "text": text}
    if uri not in contents:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, **contents[uri]}]})
