"""Gemini's generateContent, as Gemini CLI speaks it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.clients.scripted_model import DONE, SERVER_NAME, Asked, Json, Reply, ToolCall, event_stream

# What the client's own side questions want back: who speaks next, which model, how hard the task is.
_SIDE_ANSWER = {
    "reasoning": "scripted",
    "next_speaker": "user",
    "model_choice": "flash",
    "complexity_reasoning": "scripted",
    "complexity_score": 1,
}


class GenerateContent:
    """Whole answers and streams of one piece."""

    def reply(self, asked: Asked, script: Sequence[ToolCall]) -> Reply | None:
        if ":countTokens" in asked.path:
            return Reply.of_json({"totalTokens": 10})
        if ":streamGenerateContent" in asked.path:
            return event_stream([(None, _answer(self._part(asked, script)))], separator="\r\n")
        return Reply.of_json(_answer(self._part(asked, script))) if ":generateContent" in asked.path else None

    def results(self, asked: Asked) -> list[str]:
        responses = [part["functionResponse"]["response"] for part in _parts(asked) if "functionResponse" in part]
        return [str(each.get("output", each.get("error"))) for each in responses]

    def surroundings(self, asked: Asked) -> str:
        system = asked.body.get("systemInstruction", {}).get("parts", [])
        texts = [part["text"] for part in [*system, *_parts(asked)] if "text" in part]
        return "\n".join([*texts, json.dumps(asked.body.get("tools", []))])

    def _part(self, asked: Asked, script: Sequence[ToolCall]) -> Json:
        wanted = asked.body.get("generationConfig", {})
        if "responseSchema" in wanted or "responseJsonSchema" in wanted:
            return {"text": json.dumps(_SIDE_ANSWER)}
        step = sum("functionCall" in part for part in _parts(asked))
        if step == len(script):
            return {"text": DONE}
        call = script[step]
        return {"functionCall": {"name": f"mcp_{SERVER_NAME}_{call.tool}", "args": dict(call.arguments)}}


def _parts(asked: Asked) -> list[Json]:
    return [part for content in asked.body.get("contents", []) for part in content["parts"]]


def _answer(part: Json) -> Json:
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "scripted",
    }
