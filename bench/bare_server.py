"""The yardstick: the SDK's own server with as many tools as asked for, which do nothing.

Run in a process of its own; what it costs is what any server on this SDK costs.
"""

from __future__ import annotations

import sys

from mcp.server import MCPServer

TOOL_NAME = "bare_{}"


def do_nothing(path: str, limit: int = 100, recursive: bool = False) -> str:
    """Return the path."""
    return path


def main() -> None:
    server = MCPServer("bare", log_level="WARNING")
    for number in range(int(sys.argv[1])):
        server.add_tool(do_nothing, name=TOOL_NAME.format(number), description="A tool that does nothing.")
    server.run("stdio")
