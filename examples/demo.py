"""What an agent sees: the real server over stdio, the official MCP client, the real Pyright.

Run it with `make demo`. Each block shows one call and the text that comes back.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

EXAMPLES = Path(__file__).resolve().parent
SIGHTLINE = Path(sys.executable).with_name("sightline")


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve() / "shop"
        shutil.copytree(EXAMPLES / "shop", project)
        venv.create(project / ".venv", with_pip=False, symlinks=os.name != "nt")
        arguments = ["serve", "--project", str(project), "--set", "logging.level=WARNING"]
        async with Client(StdioServerParameters(command=str(SIGHTLINE), args=arguments)) as client:
            await show_tools(client)
            await show_work(client, project)


async def show_tools(client: Client) -> None:
    heading(f"connected, protocol {client.protocol_version}")
    print(client.instructions)
    for tool in (await client.list_tools()).tools:
        print(f"  {tool.name}: {tool.description}")


async def show_work(client: Client, project: Path) -> None:
    await show(client, "check_types", path=".")
    await show(client, "find_references", symbol="Catalogue.find")
    await show(client, "get_hover", file="shop/basket.py", symbol="Basket.put")
    heading("an edit outside: the receipt is mended")
    basket = project / "shop" / "basket.py"
    basket.write_text(basket.read_text().replace("+ self.total_cents()", "+ str(self.total_cents())"))
    await show(client, "check_types", path="shop/basket.py", severity="error")
    heading("a mistake is answered with what to do next")
    await show(client, "check_types", path="shop/basked.py")
    await show(client, "resolve_library", query="clik")
    await show(client, "get_library_docs", library_id="python:shlex", topic="shlex.quote")
    heading("Claude Code's configuration for another agent CLI: shown first")
    await show(client, "sync_target", target="codex")
    await show(client, "get_sync_status")
    await show(client, "get_current_config", section="output")
    await show(client, "health_check")


async def show(client: Client, name: str, **arguments: Any) -> None:
    heading(f"{name} {json.dumps(arguments)}")
    result = await client.call_tool(name, arguments)
    for block in result.content:
        if isinstance(block, types.TextContent):
            print(block.text)


def heading(text: str) -> None:
    print(f"\n\033[1m--- {text}\033[0m" if sys.stdout.isatty() else f"\n--- {text}")


if __name__ == "__main__":
    anyio.run(main)
