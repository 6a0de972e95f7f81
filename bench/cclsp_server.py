"""cclsp, another MCP server over language servers: how it is installed, started, asked and understood.

It runs on the same node as Sightline and starts the same Pyright. Its answers are text. What it says when it has
nothing counts as no answer, not as a wrong one; text that is not understood raises, so that it cannot pass for either.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bench.contestant import Asked, Finding, Spot, finding
from bench.stdio_client import StdioClient, serving
from sightline.code.pyright_command import find_entry_file, find_node

PACKAGE = "cclsp@0.7.0"

_LIFE_S = 1800.0
_PRELOAD_S = 6.0
_COUNT = re.compile(r"^Found (\d+) diagnostic", re.MULTILINE)
_DIAGNOSTIC = re.compile(
    r"^• (?P<severity>\w+)(?: \[(?P<rule>[^\]]+)\])?(?: \([^)]*\))?: (?P<message>[^\n]*)"
    r".*?^\s*Location: Line (?P<line>\d+)",
    re.MULTILINE | re.DOTALL,
)
_SPOT = re.compile(r"^(?P<file>/.+|[A-Za-z]:.+):(?P<line>\d+):(?P<column>\d+)$", re.MULTILINE)
_NO_ANSWER = re.compile(r"^Error|No symbols found|could be retrieved|No hover information", re.MULTILINE)


def install(folder: Path) -> Path:
    """Install it below a folder by npm; returns its entry file."""
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not on the PATH, and this bench installs another server with it")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    subprocess.run(command, check=True, timeout=600, stdout=subprocess.DEVNULL)
    return folder / "node_modules" / "cclsp" / "dist" / "index.js"


@contextmanager
def cclsp(entry: Path, project: Path) -> Generator[Cclsp]:
    """A running server for a project, given the time in which it starts its language server ahead of any question."""
    configuration = project.with_name(f"{project.name}.cclsp.json")
    language_server = [str(find_node()), str(find_entry_file().parent / "langserver.index.js"), "--stdio"]
    server = {"extensions": ["py", "pyi"], "command": language_server, "rootDir": str(project)}
    configuration.write_text(json.dumps({"servers": [server]}))
    variables = {"CCLSP_CONFIG_PATH": str(configuration)}
    command = [str(find_node()), str(entry)]
    with serving(command, environment=variables, life_s=_LIFE_S, leaves_by_itself=False) as client:
        client.initialize()
        time.sleep(_PRELOAD_S)
        yield Cclsp(client, project)


class Cclsp:
    """Its tools, asked by absolute path, as its descriptions say."""

    name = "cclsp"

    def __init__(self, client: StdioClient, project: Path) -> None:
        self._client = client
        self._project = project

    def diagnostics(self, file: str) -> frozenset[Finding] | None:
        text = self._text("get_diagnostics", {"file_path": self._path(file)})
        return None if text is None else read_diagnostics(text)

    def references(self, asked: Asked) -> frozenset[Spot] | None:
        return self._spots("find_references", asked)

    def definition(self, asked: Asked) -> frozenset[Spot] | None:
        return self._spots("find_definition", asked)

    def hover(self, asked: Asked) -> str | None:
        place = {"line": asked.line, "character": asked.column}
        return self._text("get_hover", {"file_path": self._path(asked.file), **place})

    def _spots(self, tool: str, asked: Asked) -> frozenset[Spot] | None:
        text = self._text(tool, {"file_path": self._path(asked.file), "symbol_name": asked.symbol})
        return None if text is None else read_spots(text, self._project)

    def _text(self, tool: str, arguments: dict[str, str | int]) -> str | None:
        text = "\n".join(part.get("text", "") for part in self._client.call(tool, arguments)["content"])
        return None if _NO_ANSWER.search(text) else text

    def _path(self, file: str) -> str:
        return str(self._project / file)


def read_diagnostics(text: str) -> frozenset[Finding]:
    """Those in the text, without hints; raises `RuntimeError` if it tells of more than were understood."""
    if text.startswith("No diagnostics found"):
        return frozenset()
    found = list(_DIAGNOSTIC.finditer(text))
    told = _COUNT.search(text)
    if told is None or int(told[1]) != len(found):
        raise RuntimeError(f"not understood: {text[:500]}")
    findings = (each for each in found if each["severity"] != "Hint")
    return frozenset(finding(int(each["line"]), each["rule"], each["message"]) for each in findings)


def read_spots(text: str, project: Path) -> frozenset[Spot]:
    """The places in the text; raises `RuntimeError` if there are none, for then it was not understood."""
    spots = frozenset(
        (Path(each["file"]).relative_to(project).as_posix(), int(each["line"]), int(each["column"]))
        for each in _SPOT.finditer(text)
    )
    if not spots:
        raise RuntimeError(f"not understood: {text[:500]}")
    return spots
