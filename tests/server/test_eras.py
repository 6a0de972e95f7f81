"""The official client drives every tool, in both protocol eras, in memory and over real stdio."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters

from sightline.app import ALL_TOOLS
from sightline.server.instructions import LONGEST
from sightline.server.mcp_server import build_server
from tests.support.apps import app_over
from tests.support.sample_environment import install_click
from tests.support.wire import SIGHTLINE, environment_in

pytestmark = pytest.mark.anyio

Era = Literal["auto", "legacy"]
ERAS: dict[Era, str] = {"auto": "2026-07-28", "legacy": "2025-11-25"}
both_eras = pytest.mark.parametrize("era", ERAS)


@both_eras
async def test_every_tool_answers_in_memory(era: Era, shop: Path, tmp_path: Path) -> None:
    install_click(shop)
    async with app_over(shop, tmp_path) as app, Client(build_server(app), mode=era) as client:
        assert client.protocol_version == ERAS[era]
        await _drive_every_tool(client)


@both_eras
async def test_every_tool_answers_over_stdio(era: Era, shop: Path, tmp_path: Path) -> None:
    install_click(shop)
    async with Client(_command(shop, tmp_path), mode=era) as client:
        assert client.protocol_version == ERAS[era]
        await _drive_every_tool(client)


@both_eras
async def test_work_over_a_second_reports_progress(era: Era, shop: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(Path(types.__file__).parent, shop / "shop" / "large")
    messages: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        messages.append(message)

    async with Client(_command(shop, tmp_path), mode=era) as client:
        arguments = {"path": "shop/large", "python_version": "3.12"}
        result = await client.call_tool("check_types", arguments, progress_callback=on_progress)
    assert not result.is_error
    assert messages[0] == "pyright is checking shop/large (1 s)"


@both_eras
async def test_an_unknown_tool_is_a_protocol_error(era: Era, shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path) as app, Client(build_server(app), mode=era) as client:
        with pytest.raises(MCPError, match="did you mean `check_types`"):
            await client.call_tool("check_type", {})


async def test_text_format_leaves_the_json_and_its_schema_out(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path, output__format="text") as app, Client(build_server(app)) as client:
        assert all(tool.output_schema is None for tool in (await client.list_tools()).tools)
        result = await client.call_tool("get_current_config", {})
        assert result.structured_content is None
        assert _text(result).startswith("writable; ")


async def test_the_listing_stays_small_and_marks_core_tools(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path) as app, Client(build_server(app)) as client:
        listing = await client.list_tools()
        assert len(listing.model_dump_json(by_alias=True, exclude_none=True)) < 32_000
        marked = [tool.name for tool in listing.tools if (tool.meta or {}).get("anthropic/alwaysLoad")]
        assert marked == [tool.name for tool in ALL_TOOLS if tool.is_core]
        assert "check_types" in marked


async def test_instructions_are_short_and_name_only_offered_tools(shop: Path, tmp_path: Path) -> None:
    async with app_over(shop, tmp_path) as app, Client(build_server(app)) as client:
        assert client.instructions
        assert len(client.instructions) <= LONGEST
        assert "check_types" in client.instructions
    async with app_over(shop, tmp_path, server__toolsets=["docs"]) as app, Client(build_server(app)) as client:
        assert "check_types" not in (client.instructions or "")


async def _drive_every_tool(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in ALL_TOOLS]
    for tool in ALL_TOOLS:
        result = await client.call_tool(tool.name, dict(tool.example))
        assert not result.is_error, _text(result)
        data: Any = result.structured_content
        assert data["ok"] is True
        assert data["tool"] == tool.name
        failed = await client.call_tool(tool.name, {**tool.example, "bogus": 1})
        assert failed.is_error
        assert "bogus" in _text(failed)
        assert failed.structured_content is not None


def _command(project: Path, home: Path) -> StdioServerParameters:
    arguments = ["serve", "--project", str(project)]
    return StdioServerParameters(command=str(SIGHTLINE), args=arguments, env=environment_in(home))


def _text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
