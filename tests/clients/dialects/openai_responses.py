"""OpenAI Responses, as Codex speaks it: tools as functions, or scripts that call them (code mode)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.clients.scripted_model import DONE, SERVER_NAME, Asked, Json, Reply, ToolCall, event_stream

_NAMESPACE = f"mcp__{SERVER_NAME}"


class OpenAiResponses:
    """Classic: one function per tool."""

    call_type = "function_call"

    def reply(self, asked: Asked, script: Sequence[ToolCall]) -> Reply | None:
        if not asked.path.endswith("/responses"):
            return None
        step = len(self._items(asked, self.call_type))
        item = _message() if step == len(script) else self.item(step, script[step])
        return event_stream([(event["type"], event) for event in _events(item)])

    def item(self, step: int, call: ToolCall) -> Json:
        name = {"name": call.tool, "namespace": _NAMESPACE}
        return {**self._identity(step), **name, "arguments": json.dumps(dict(call.arguments))}

    def results(self, asked: Asked) -> list[str]:
        return [_text(item["output"]) for item in self._items(asked, f"{self.call_type}_output")]

    def surroundings(self, asked: Asked) -> str:
        messages = [_text(item["content"]) for item in self._items(asked, "message")]
        return "\n".join([asked.body.get("instructions", ""), *messages, json.dumps(asked.body.get("tools", []))])

    def _identity(self, step: int) -> Json:
        return {"type": self.call_type, "id": f"item-{step}", "call_id": f"call-{step}"}

    def _items(self, asked: Asked, kind: str) -> list[Json]:
        return [item for item in asked.body.get("input", []) if item.get("type") == kind]


class CodeModeResponses(OpenAiResponses):
    """Code mode: one function that runs a script, in which tools are functions."""

    call_type = "custom_tool_call"

    def item(self, step: int, call: ToolCall) -> Json:
        return {**self._identity(step), "name": "exec", "namespace": "functions", "input": self.source(call)}

    def source(self, call: ToolCall) -> str:
        arguments = json.dumps(dict(call.arguments))
        return f"const r = await tools.{_NAMESPACE}__{call.tool}({arguments}); text(r)"


def _text(content: str | list[Json]) -> str:
    return content if isinstance(content, str) else "\n".join(each.get("text", json.dumps(each)) for each in content)


def _message() -> Json:
    content = [{"type": "output_text", "text": DONE}]
    return {"type": "message", "role": "assistant", "id": "end", "content": content}


def _events(item: Json) -> list[Json]:
    usage = {
        "input_tokens": 1,
        "input_tokens_details": None,
        "output_tokens": 1,
        "output_tokens_details": None,
        "total_tokens": 2,
    }
    return [
        {"type": "response.created", "response": {"id": "response"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "response", "usage": usage}},
    ]
