"""Fixture tools that Sightline's own boundary can serve: text, an error, progress."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sightline.contract import Evidence, Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.status import StatusService
from sightline.tool import AnyTool, Call, Hints, Tool, ToolInput, record


@record
class Said:
    text: str


def _outcome(text: str) -> Outcome[Said]:
    return Outcome(output=Said(text=text), evidence=Evidence(method="fixture"))


async def _say(_service: StatusService, _call: Call, _args: ToolInput) -> Outcome[Said]:
    return _outcome("This is a simple text response for testing.")


async def _fail(_service: StatusService, _call: Call, _args: ToolInput) -> Outcome[Said]:
    message = "This tool intentionally returns an error for testing"
    raise ToolFailure(ErrorKind.UNSUPPORTED, message, NextStep("doc", "expect it"))


async def _progress(_service: StatusService, call: Call, _args: ToolInput) -> Outcome[Said]:
    for done in (0, 50, 100):
        await call.progress(done, 100, f"{done} of 100")
    return _outcome("Told three times how far it is.")


def _tool(name: str, run: Callable[[StatusService, Call, ToolInput], Awaitable[Outcome[Said]]]) -> AnyTool:
    return Tool(
        name=name,
        title=name,
        description="A fixture of the conformance suite.",
        toolset="always",
        input=ToolInput,
        output=Said,
        run=run,
        render=lambda output: output.text,
        hints=Hints(read_only=True),
    )


BOUNDARY_TOOLS = (
    _tool("test_simple_text", _say),
    _tool("test_logging_tool", _say),
    _tool("test_error_handling", _fail),
    _tool("test_tool_with_progress", _progress),
)
