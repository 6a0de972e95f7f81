"""Anthropic Messages, as Claude Code speaks it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.clients.scripted_model import DONE, SERVER_NAME, Asked, Json, Reply, ToolCall, event_stream

_PREFIX = f"mcp__{SERVER_NAME}__"


class AnthropicMessages:
    """Tools are loaded by `ToolSearch` first; only then can they be called."""

    def reply(self, asked: Asked, script: Sequence[ToolCall]) -> Reply | None:
        if "count_tokens" in asked.path:
            return Reply.of_json({"input_tokens": 10})
        return event_stream(_message(self._block(asked, script))) if "/v1/messages" in asked.path else None

    def results(self, asked: Asked) -> list[str]:
        ours = {use["id"] for use in _blocks(asked, "tool_use") if use["name"].startswith(_PREFIX)}
        return [_text(each["content"]) for each in _blocks(asked, "tool_result") if each["tool_use_id"] in ours]

    def surroundings(self, asked: Asked) -> str:
        texts = [block["text"] for block in _blocks(asked, "text")]
        system = asked.body.get("system", [])
        return "\n".join([_text(system), *texts, json.dumps(asked.body.get("tools", []))])

    def _block(self, asked: Asked, script: Sequence[ToolCall]) -> Json:
        if not asked.body.get("tools"):
            return {"type": "text", "text": "a title"}
        uses = _blocks(asked, "tool_use")
        searched = [use for use in uses if use["name"] == "ToolSearch"]
        if not searched and any(tool["name"] == "ToolSearch" for tool in asked.body["tools"]):
            names = ",".join(sorted({_PREFIX + each.tool for each in script}))
            return _use("search", "ToolSearch", {"query": f"select:{names}", "max_results": 50})
        step = len(uses) - len(searched)
        if step == len(script):
            return {"type": "text", "text": DONE}
        return _use(f"call-{step}", _PREFIX + script[step].tool, script[step].arguments)


def _blocks(asked: Asked, kind: str) -> list[Json]:
    contents: list[Any] = [message["content"] for message in asked.body.get("messages", [])]
    lists = [[{"type": "text", "text": each}] if isinstance(each, str) else each for each in contents]
    return [block for blocks in lists for block in blocks if block["type"] == kind]


def _text(content: str | list[Json]) -> str:
    return content if isinstance(content, str) else "\n".join(each.get("text", json.dumps(each)) for each in content)


def _use(identity: str, name: str, arguments: object) -> Json:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def _message(block: Json) -> list[tuple[str | None, object]]:
    is_use = block["type"] == "tool_use"
    start: Json = {**block, "input": {}} if is_use else {**block, "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if is_use
        else {"type": "text_delta", "text": block["text"]}
    )
    message: Json = {
        "id": "msg",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    end = {"stop_reason": "tool_use" if is_use else "end_turn", "stop_sequence": None}
    events: list[Json] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]
