"""Sightline's own HTTP service, over the product's MCP server with the suite's fixtures added; a process of its own.

The socket, the checks of every request, the sessions, the eras and the product's tools are what
`sightline serve --http` runs. Fixtures that Sightline's tools can express pass its boundary; the others stand before
it as middleware.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from sightline.app import ALL_TOOLS, App, open_app
from sightline.cli.log_setup import logging_by
from sightline.cli.project_options import settings_for
from sightline.places import standard_places
from sightline.selection import select_tools
from sightline.server.http.endpoints import Endpoint
from sightline.server.http.entrance import open_entrance
from sightline.server.http.serving import HttpService, serve_http
from sightline.server.http.sessions import Sessions
from sightline.server.mcp_server import McpServer, build_server
from tests.clients.conformance.asking_fixtures import ASKING, CALLING_BACK, Context, text_result
from tests.clients.conformance.boundary_tools import BOUNDARY_TOOLS
from tests.clients.conformance.plain_fixtures import (
    CONTENTS,
    SCHEMAS,
    prompt,
    prompts,
    resource,
    resource_templates,
    resources,
)

PATH = "/fixtures"
_ANY = {"type": "object"}


def fixture_server(app: App) -> McpServer:
    """The product's server over its tools and the boundary's fixtures, with the other fixtures before it."""
    selection = select_tools((*ALL_TOOLS, *BOUNDARY_TOOLS), app.settings.values.server)
    server = build_server(replace(app, boundary=replace(app.boundary, selection=selection)))
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="fixtures"))
    server.middleware.append(_fixture_tools)
    server.get_tool_input_schema = SCHEMAS.get
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, _list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, _get_prompt)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, _list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, _list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, _read_resource)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, _nothing)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, _nothing)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _nothing)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, _complete)
    return server


async def _fixture_tools(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Fixture tools are listed after the product's, and called before it could say that it has none such."""
    if ctx.method == "tools/list":
        listed = types.ListToolsResult.model_validate(await call_next(ctx))
        names = [*CONTENTS, *CALLING_BACK, *(name for name in ASKING if not name.endswith("_prompt"))]
        added = [{"name": name, "description": "A fixture.", "inputSchema": SCHEMAS.get(name, _ANY)} for name in names]
        tools = [*listed.tools, *(types.Tool.model_validate(each) for each in added)]
        return listed.model_copy(update={"tools": tools})
    params = ctx.params or {}
    if ctx.method == "tools/call" and (answer := await _fixture_answer(ctx, params)):
        return answer
    return await call_next(ctx)


async def _fixture_answer(ctx: Context, params: Mapping[str, Any]) -> HandlerResult:
    name: str = params["name"]
    arguments: dict[str, Any] = params.get("arguments") or {}
    if content := CONTENTS.get(name):
        return types.CallToolResult.model_validate({"content": content})
    if call_back := CALLING_BACK.get(name):
        return await call_back(ctx, arguments)
    if rounds := ASKING.get(name):
        said = rounds.next(types.CallToolRequestParams.model_validate(params))
        return text_result(said) if isinstance(said, str) else said
    return None


async def _list_prompts(_ctx: Context, _params: types.PaginatedRequestParams) -> types.ListPromptsResult:
    return prompts()


async def _get_prompt(
    _ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    if (rounds := ASKING.get(params.name)) and not isinstance(asked := rounds.next(params), str):
        return asked
    return prompt(params.name, params.arguments or {})


async def _list_resources(_ctx: Context, _params: types.PaginatedRequestParams) -> types.ListResourcesResult:
    return resources()


async def _list_templates(_ctx: Context, _params: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
    return resource_templates()


async def _read_resource(_ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    return resource(str(params.uri))


async def _complete(_ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [each for each in ("paris", "park", "party") if each.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values))


async def _nothing(_ctx: Context, _params: types.RequestParams) -> types.EmptyResult:
    return types.EmptyResult()


async def _serve(root: Path) -> None:
    places = standard_places()
    loaded = settings_for(root, (), {"server.transport": "http", "server.port": 0}, None)
    with (
        open_entrance(loaded.values.server, os.environ, places.data, may_generate_key=False) as entrance,
        logging_by(loaded.values.logging),
    ):
        async with open_app(
            root, loaded, environment=os.environ, home=Path.home(), places=places, is_long_lived=True
        ) as app:
            sessions = Sessions(fixture_server(app))

            def endpoint(service: HttpService) -> list[Endpoint]:
                return [Endpoint(PATH, sessions.handle_request, service.authenticator, ("POST", "GET", "DELETE"))]

            async with sessions.run():
                await serve_http(app, entrance, [endpoint])


if __name__ == "__main__":
    anyio.run(_serve, Path(sys.argv[1]))
