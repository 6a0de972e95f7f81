"""Who can be asked the same questions of code, and Sightline as one of them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.commands import serve_command
from bench.stdio_client import StdioClient, ToolFailed, serving

Finding = tuple[int, str | None, str]
"""Line, rule, and the first line of the message."""

Spot = tuple[str, int, int]
"""File, line and column."""

_LIFE_S = 1800.0


@dataclass(frozen=True, slots=True)
class Asked:
    """The symbol that is asked about, and where its name stands in its definition."""

    file: str
    symbol: str
    line: int
    column: int


class Contestant(Protocol):
    """One server under questions; None is no answer: it says that it does not know."""

    @property
    def name(self) -> str: ...
    def diagnostics(self, file: str) -> frozenset[Finding] | None: ...
    def references(self, asked: Asked) -> frozenset[Spot] | None: ...
    def definition(self, asked: Asked) -> frozenset[Spot] | None: ...
    def hover(self, asked: Asked) -> str | None: ...


def finding(line: int, rule: str | None, message: str) -> Finding:
    return line, rule, message.partition("\n")[0].strip()


@contextmanager
def sightline(project: Path) -> Generator[Sightline]:
    """A running server for a project."""
    with serving(serve_command(project), life_s=_LIFE_S) as client:
        client.initialize()
        yield Sightline(client)


class Sightline:
    """Our tools."""

    name = "Sightline"

    def __init__(self, client: StdioClient) -> None:
        self._client = client

    def diagnostics(self, file: str) -> frozenset[Finding] | None:
        answer = self._answer("check_types", {"path": file})
        if answer is None or answer["verdict"] == "unknown":
            return None
        return frozenset(finding(each["line"], each.get("rule"), each["message"]) for each in answer["diagnostics"])

    def references(self, asked: Asked) -> frozenset[Spot] | None:
        answer = self._answer("find_references", {"file": asked.file, "symbol": asked.symbol})
        return None if answer is None else _spots(answer["references"])

    def definition(self, asked: Asked) -> frozenset[Spot] | None:
        answer = self._answer("go_to_definition", {"file": asked.file, "symbol": asked.symbol})
        return None if answer is None else _spots(answer["definitions"])

    def hover(self, asked: Asked) -> str | None:
        answer = self._answer("get_hover", {"file": asked.file, "line": asked.line, "column": asked.column})
        return None if answer is None else str(answer)

    def _answer(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        try:
            return self._client.call(tool, arguments)["structuredContent"]
        except ToolFailed:
            return None


def _spots(locations: list[dict[str, Any]]) -> frozenset[Spot]:
    return frozenset((each["file"], each["line"], each["column"]) for each in locations)
