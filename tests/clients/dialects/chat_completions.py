"""Chat completions, as OpenCode speaks it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.clients.scripted_model import DONE, SERVER_NAME, Asked, Json, Reply, ToolCall, event_stream


class ChatCompletions:
    """Streams of one piece. The first request of a session has no tools: it wants a title."""

    def reply(self, asked: Asked, script: Sequence[ToolCall]) -> Reply | None:
        if not asked.path.endswith("/chat/completions"):
            return None
        messages: list[Json] = asked.body.get("messages", [])
        step = sum(len(message.get("tool_calls") or []) for message in messages)
        if not asked.body.get("tools") or step == len(script):
            return _stream({"content": DONE}, "stop")
        function = {
            "name": f"{SERVER_NAME}_{script[step].tool}",
            "arguments": json.dumps(dict(script[step].arguments)),
        }
        call = {"index": 0, "id": f"call-{step}", "type": "function", "function": function}
        return _stream({"tool_calls": [call]}, "tool_calls")

    def results(self, asked: Asked) -> list[str]:
        return [_text(each["content"]) for each in asked.body.get("messages", []) if each["role"] == "tool"]

    def surroundings(self, asked: Asked) -> str:
        said = [message for message in asked.body.get("messages", []) if message["role"] in {"system", "user"}]
        return "\n".join([*(_text(each["content"]) for each in said), json.dumps(asked.body.get("tools", []))])


def _text(content: str | list[Any]) -> str:
    return content if isinstance(content, str) else "\n".join(each.get("text", json.dumps(each)) for each in content)


def _stream(delta: Json, reason: str) -> Reply:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    first = _chunk({"role": "assistant", **delta}, None)
    last = {**_chunk({}, reason), "usage": usage}
    return event_stream([(None, first), (None, last), (None, "[DONE]")])


def _chunk(delta: Json, reason: str | None) -> Json:
    return {
        "id": "chunk",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }
