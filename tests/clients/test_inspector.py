"""The MCP Inspector, which is built on another SDK: both protocol eras, over stdio and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sightline.app import ALL_TOOLS
from tests.clients.programs import SIGHTLINE, Ended, Program
from tests.support.http_service import serving_http

VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}

both_eras = pytest.mark.parametrize("era", VERSIONS)
both_transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@contextmanager
def target(transport: str, project: Path, home: Path) -> Generator[list[str]]:
    """What the Inspector is given to reach a server of the project."""
    if transport == "stdio":
        yield [str(SIGHTLINE), "serve", "--project", str(project)]
    else:
        with serving_http(project, home=home) as server:
            yield [server.mcp]


def ask(inspector: Program, project: Path, reached: list[str], era: str, method: str, *options: str) -> Ended:
    command = ["--cli", *reached, "--method", method, "--protocol-era", era, "--format", "json", "--quiet", *options]
    return inspector.run(*command, folder=project)


def result(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.all
    return json.loads(ended.out)["result"]


@both_eras
@both_transports
def test_it_connects_lists_and_calls(inspector: Program, shop: Path, home: Path, era: str, transport: str) -> None:
    with target(transport, shop, home) as reached:
        hello = result(ask(inspector, shop, reached, era, "initialize"))
        tools = result(ask(inspector, shop, reached, era, "tools/list", "--strict"))["tools"]
        checked = result(
            ask(inspector, shop, reached, era, "tools/call", "--tool-name", "check_types", "--tool-arg", "path=.")
        )

    assert (hello["serverInfo"]["name"], hello["protocolVersion"]) == ("sightline", VERSIONS[era])
    assert [tool["name"] for tool in tools] == [tool.name for tool in ALL_TOOLS]
    assert checked["structuredContent"]["error_count"] == 4
    assert "4 errors" in checked["content"][0]["text"]


@both_eras
@both_transports
def test_no_call_fails_under_its_load(inspector: Program, shop: Path, home: Path, era: str, transport: str) -> None:
    options = ["--tool-name", "find_references", "--tool-args-json", '{"symbol": "Item", "file": "shop/catalogue.py"}']
    load = ["--load", "--load-requests", "100", "--load-concurrency", "10"]

    with target(transport, shop, home) as reached:
        summary = result(ask(inspector, shop, reached, era, "tools/call", *options, *load))

    assert (summary["requests"], summary["ok"]) == (100, 100), summary


def test_an_error_is_an_error_to_it_with_its_next_step(inspector: Program, shop: Path, home: Path) -> None:
    options = ["--tool-name", "check_types", "--tool-arg", "path=nowhere.py"]

    with target("stdio", shop, home) as reached:
        ended = ask(inspector, shop, reached, "modern", "tools/call", *options)

    assert ended.code != 0
    assert json.loads(ended.out)["result"]["isError"] is True
    assert "give a path relative to the project root" in ended.out
