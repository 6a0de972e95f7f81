"""Tools as MCP tools, for both protocol eras: one server object serves them all.

The SDK's low-level server is used because arguments, errors and answers are ours: it validates nothing, wraps
nothing, and hands a full result through. A failure is a result; only an unknown tool is a protocol error.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Any
from uuid import uuid4

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from sightline import __version__
from sightline.answers import Answer
from sightline.app import App
from sightline.arguments import nearest
from sightline.boundary import UnknownTool
from sightline.schemas import input_schema, output_schema
from sightline.server.instructions import instructions_for
from sightline.tool import AnyTool

McpServer = Server[dict[str, Any]]
Context = ServerRequestContext[dict[str, Any], Any]

_LARGEST_INLINE = 500_000
_LONGEST_NAME = 80


def build_server(app: App) -> McpServer:
    """An MCP server over an application's tools."""
    has_json = app.settings.values.output.format == "both"

    @cache  # made when first asked for: schemas take time, and the hand-shake does not need them
    def listing() -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[_tool_listing(tool, app, has_json=has_json) for tool in app.selection.offered]
        )

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listing()

    @cache  # asked for at every call over HTTP: without it the SDK would list all tools to find one
    def schema_of(name: str) -> dict[str, Any] | None:
        tool = app.selection.find(name)
        return input_schema(tool.input) if tool else None

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            answer = await app.boundary.call(
                params.name, params.arguments or {}, ctx.session.report_progress, _client_of(ctx), _name_of_client(ctx)
            )
        except UnknownTool:
            raise _unknown_tool(params.name, list(app.selection.names)) from None
        return _result(answer, has_json=has_json)

    return Server(
        "sightline",
        title="Sightline",
        version=__version__,
        instructions=instructions_for(app.selection.offered),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=schema_of,
    )


def _client_of(ctx: Context) -> str:
    """Whose call it is: over stdio there is one client; over HTTP a session, or nobody that would be known again."""
    if ctx.request is None:
        return ""
    session = ctx.request.headers.get(MCP_SESSION_ID_HEADER)
    if session is None or ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return f"request {uuid4().hex[:12]}"
    # Who has the id has the session: it is not for logs and pages.
    return f"session {sha256(session.encode()).hexdigest()[:12]}"


def _name_of_client(ctx: Context) -> str:
    """What the client calls itself, for people to read; it proves nothing."""
    params = ctx.session.client_params
    return f"{params.client_info.name} {params.client_info.version}"[:_LONGEST_NAME] if params else ""


def _tool_listing(tool: AnyTool, app: App, *, has_json: bool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.input),
        output_schema=output_schema(tool.output) if has_json else None,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.hints.read_only,
            destructive_hint=tool.hints.destructive,
            idempotent_hint=tool.hints.idempotent,
            open_world_hint=tool.hints.open_world,
        ),
        _meta=_marks(tool, app.settings.values.server.context),
    )


def _marks(tool: AnyTool, context: str | None) -> dict[str, Any] | None:
    """What Claude Code honours: load a core tool's schema at once, show a long answer inline."""
    marks: dict[str, Any] = {}
    if tool.is_core:
        marks["anthropic/alwaysLoad"] = True
    if tool.cut and context == "claude":
        marks["anthropic/maxResultSizeChars"] = _LARGEST_INLINE
    return marks or None


def _result(answer: Answer, *, has_json: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=answer.data if has_json else None,
        is_error=not answer.ok,
    )


def _unknown_tool(name: str, known: list[str]) -> MCPError:
    guess = nearest(name, known)
    hint = f"; did you mean `{guess}`?" if guess else ""
    return MCPError(code=types.INVALID_PARAMS, message=f"unknown tool: `{name[:100]}`{hint}")
