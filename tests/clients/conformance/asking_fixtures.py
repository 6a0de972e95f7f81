"""Tools that ask the client back: by requests of their own in the older era, by rounds of a call in the newer one."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata

Json = Mapping[str, Any]
Context = ServerRequestContext[dict[str, Any], Any]
Params = types.CallToolRequestParams | types.GetPromptRequestParams


def text_result(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


async def _log(ctx: Context, _arguments: Json) -> types.CallToolResult:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        params = types.LoggingMessageNotificationParams(level="info", data=text)
        await ctx.session.send_notification(types.LoggingMessageNotification(params=params), ctx.request_id)
    return text_result("Logged three times.")


async def _sample(ctx: Context, arguments: Json) -> types.CallToolResult:
    params = {
        "messages": [{"role": "user", "content": {"type": "text", "text": arguments["prompt"]}}],
        "maxTokens": 100,
    }
    request = types.CreateMessageRequest(params=types.CreateMessageRequestParams.model_validate(params))
    metadata = ServerMessageMetadata(related_request_id=ctx.request_id)
    answer = await ctx.session.send_request(request, types.CreateMessageResult, metadata=metadata)
    return text_result(f"LLM response: {answer.model_dump_json()}")


async def _elicit(ctx: Context, message: str, properties: Json, required: Sequence[str] = ()) -> types.CallToolResult:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    answer = await ctx.session.elicit_form(message, schema, ctx.request_id)
    content = json.dumps(answer.content)
    return text_result(f"Elicitation completed: action={answer.action}, content={content}")


async def _elicit_user(ctx: Context, arguments: Json) -> types.CallToolResult:
    text = {"type": "string", "description": "Text"}
    return await _elicit(ctx, arguments["message"], {"username": text, "email": text}, ["username", "email"])


async def _elicit_with_defaults(ctx: Context, _arguments: Json) -> types.CallToolResult:
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicit(ctx, "Defaults", properties)


async def _elicit_with_enums(ctx: Context, _arguments: Json) -> types.CallToolResult:
    names = ["option1", "option2", "option3"]
    titled = [{"const": f"value{each}", "title": f"Choice {each}"} for each in (1, 2, 3)]
    properties = {
        "untitledSingle": {"type": "string", "enum": names},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": names}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await _elicit(ctx, "Enums", properties)


async def _need_capability(ctx: Context, _arguments: Json) -> types.CallToolResult:
    """It cannot work with a client that does not sample; the suite's does not say that it does."""
    data: Json = {"requiredCapabilities": {"sampling": {}}}
    raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message="sampling is needed", data=data)


CALLING_BACK: Mapping[str, Callable[[Context, Json], Awaitable[types.CallToolResult]]] = {
    "test_tool_with_logging": _log,
    "test_sampling": _sample,
    "test_elicitation": _elicit_user,
    "test_elicitation_sep1034_defaults": _elicit_with_defaults,
    "test_elicitation_sep1330_enums": _elicit_with_enums,
    "test_missing_capability": _need_capability,
}


@dataclass(frozen=True, slots=True)
class Rounds:
    """What is asked in each round of a call; how far it is, is in the state that the client brings back."""

    asked: Sequence[Json]
    has_state: bool = False

    def next(self, params: Params) -> types.InputRequiredResult | str:
        """The next questions, or the last words when all are answered."""
        done = int(params.request_state or 0) if self.has_state else 0
        answers = params.input_responses or {}
        if self.asked[done].keys() <= answers.keys():
            done += 1
        if done == len(self.asked):
            said = {name: answer.model_dump(mode="json") for name, answer in answers.items()}
            return f"state-ok, all answered: {json.dumps(said)}"
        state = str(done) if self.has_state else None
        return types.InputRequiredResult.model_validate({"inputRequests": self.asked[done], "requestState": state})


def _form(message: str, field: str, kind: str = "string") -> Json:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def _sampling(text: str) -> Json:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


_NAME = _form("What is your name?", "name")
_ROOTS: Json = {"method": "roots/list", "params": {}}
_CONFIRM = _form("Please confirm", "ok", "boolean")
_TOOL = "test_input_required_result"

ASKING: Mapping[str, Rounds] = {
    "test_streaming_elicitation": Rounds([{"user_name": _NAME}]),
    f"{_TOOL}_elicitation": Rounds([{"user_name": _NAME}]),
    f"{_TOOL}_sampling": Rounds([{"capital_question": _sampling("What is the capital of France?")}]),
    f"{_TOOL}_list_roots": Rounds([{"client_roots": _ROOTS}]),
    f"{_TOOL}_request_state": Rounds([{"confirm": _CONFIRM}], has_state=True),
    f"{_TOOL}_tampered_state": Rounds([{"confirm": _CONFIRM}], has_state=True),
    f"{_TOOL}_multiple_inputs": Rounds(
        [{"user_name": _NAME, "greeting": _sampling("Generate a greeting"), "client_roots": _ROOTS}], has_state=True
    ),
    f"{_TOOL}_multi_round": Rounds(
        [
            {"step1": _form("Step 1: What is your name?", "name")},
            {"step2": _form("Step 2: What is your favorite color?", "color")},
        ],
        has_state=True,
    ),
    f"{_TOOL}_capabilities": Rounds([{"question": _sampling("Anything?")}]),
    f"{_TOOL}_prompt": Rounds([{"user_context": _form("What context should the prompt use?", "context")}]),
}
