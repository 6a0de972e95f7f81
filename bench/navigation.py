"""`navigation`: hover, definition and references through Sightline against the language server spoken to directly.

Warm: both servers know the project and have answered the question before. Cold: from starting the process to the
first hover. The project is a copy of an installed package.
"""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.commands import serve_command
from bench.measure import Bench, Budget, Comparison, Contender
from bench.raw_server import RawServer, raw_server
from bench.stdio_client import StdioClient, serving

_PACKAGE = "click"
_FILE = "click/core.py"
_NAME = "class Command"
_CALLS = 20
_WARM = Budget(1.5, or_added=3.0)


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        project = copy_of(_PACKAGE, Path(folder).resolve())
        place = place_of(project / _FILE, _NAME)
        with serving(serve_command(project)) as client, raw_server(project) as server:
            client.initialize()
            client.call("check_types", {"path": _FILE})
            server.start()
            yield [*(_warm(kind, client, server, project, place) for kind in _METHODS), _cold(project, place)]


_METHODS = {
    "hover": ("get_hover", "textDocument/hover"),
    "definition": ("go_to_definition", "textDocument/definition"),
    "references": ("find_references", "textDocument/references"),
}


def copy_of(package: str, folder: Path) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"the package {package} is not installed")
    shutil.copytree(spec.submodule_search_locations[0], folder / package)
    (folder / "pyproject.toml").write_text("[project]\nname = 'bench'\n")
    return folder


def place_of(file: Path, text: str) -> tuple[int, int]:
    """The line and column, from 1, of the last word before the parenthesis."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if (at := line.find(text)) >= 0:
            return number, at + len("class ") + 1
    raise RuntimeError(f"{text} is not in {file.name}")


def _warm(kind: str, client: StdioClient, server: RawServer, project: Path, place: tuple[int, int]) -> Comparison:
    tool, method = _METHODS[kind]
    return Comparison(
        f"{kind.capitalize()}, warm",
        "ms",
        [
            Contender("the language server itself", partial(_raw_ms, server, method, _params(project, place))),
            Contender(f"`{tool}` through Sightline", partial(_tool_ms, client, tool, place), _WARM),
        ],
    )


def _cold(project: Path, place: tuple[int, int]) -> Comparison:
    return Comparison(
        "First hover, cold",
        "ms",
        [
            Contender("the language server itself", partial(_raw_cold_ms, project, place)),
            Contender("`get_hover` through Sightline", partial(_tool_cold_ms, project, place), Budget(1.3)),
        ],
    )


def _params(project: Path, place: tuple[int, int]) -> dict[str, Any]:
    return {
        "textDocument": {"uri": (project / _FILE).as_uri()},
        "position": {"line": place[0] - 1, "character": place[1] - 1},
        "context": {"includeDeclaration": True},
    }


def _raw_ms(server: RawServer, method: str, params: dict[str, Any]) -> float:
    started = time.perf_counter()
    for _ in range(_CALLS):
        if not server.request(method, params):
            raise RuntimeError(f"no answer to {method}")
    return (time.perf_counter() - started) * 1000 / _CALLS


def _tool_ms(client: StdioClient, tool: str, place: tuple[int, int]) -> float:
    arguments = {"file": _FILE, "line": place[0], "column": place[1]}
    started = time.perf_counter()
    for _ in range(_CALLS):
        if not client.call(tool, arguments)["structuredContent"]["ok"]:
            raise RuntimeError(f"{tool} failed")
    return (time.perf_counter() - started) * 1000 / _CALLS


def _raw_cold_ms(project: Path, place: tuple[int, int]) -> float:
    started = time.perf_counter()
    with raw_server(project) as server:
        server.start()
        server.request("textDocument/hover", _params(project, place))
        return (time.perf_counter() - started) * 1000


def _tool_cold_ms(project: Path, place: tuple[int, int]) -> float:
    """From the call on: Sightline itself runs already, as it does in a session."""
    with serving(serve_command(project)) as client:
        client.initialize()
        started = time.perf_counter()
        client.call("get_hover", {"file": _FILE, "line": place[0], "column": place[1]})
        return (time.perf_counter() - started) * 1000


NAVIGATION = Bench("navigation", "What does our layer add to a question to the language server?", prepare)
