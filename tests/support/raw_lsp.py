"""Pyright's language server with nothing of Sightline's around it: a process that knows no past, asked once.

Blocking, one request at a time; positions stay as the server writes them: from 0, in UTF-16 units.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sightline.code.pyright_command import find_entry_file, find_node

DEADLINE_S = 60.0

_READY = re.compile(r"Found \d+ source files?|No source files found")
_ANALYSIS = {
    "autoSearchPaths": True,
    "useLibraryCodeForTypes": True,
    "diagnosticMode": "workspace",
    "logLevel": "Information",
}
_SETTINGS: dict[str, Any] = {"python": {"analysis": _ANALYSIS}, "python.analysis": _ANALYSIS}
# Diagnostics on request only: the server has nothing to do but to answer.
_CAPABILITIES = {
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {"diagnostic": {"dynamicRegistration": True}},
}


class RawServer:
    """A conversation with a server process."""

    def __init__(self, process: subprocess.Popen[bytes], root: Path) -> None:
        self._process = process
        self._root = root
        self._next_id = 0
        self._is_ready = False

    def start(self) -> None:
        """Shake hands, and wait until the server has listed the project."""
        folder = {"uri": self._root.as_uri(), "name": self._root.name}
        params = {
            "processId": None,
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": _CAPABILITIES,
        }
        self.request("initialize", params)
        self._write({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        while not self._is_ready:
            self._take(self._read())

    def request(self, method: str, params: Any) -> Any:
        self._next_id += 1
        self._write({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        while "method" in (message := self._read()) or message.get("id") != self._next_id:
            self._take(message)
        assert "error" not in message, message
        return message["result"]

    def open(self, path: Path) -> None:
        """As an editor does; the server then knows also a file that it does not list."""
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text(encoding="utf-8")}
        self._write({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}})

    def _take(self, message: dict[str, Any]) -> None:
        """What the server says or asks on its own."""
        if message.get("method") == "workspace/configuration":
            answer = [_SETTINGS.get(item.get("section"), {}) for item in message["params"]["items"]]
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        elif "method" in message and "id" in message:
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif message.get("method") == "window/logMessage" and _READY.search(message["params"]["message"]):
            self._is_ready = True

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        length: int | None = None
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        assert length is not None, "the server ended"
        return json.loads(self._process.stdout.read(length))

    def _write(self, message: Any) -> None:
        assert self._process.stdin
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()


@contextmanager
def raw_server(root: Path) -> Generator[RawServer]:
    """A server that has listed the project; killed with the block, and after `DEADLINE_S` in any case."""
    command = [str(find_node()), str(find_entry_file().with_name("langserver.index.js")), "--stdio"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
    )
    overdue = threading.Timer(DEADLINE_S, process.kill)
    overdue.start()
    try:
        server = RawServer(process, root)
        server.start()
        yield server
    finally:
        overdue.cancel()
        process.kill()
        process.communicate()


def path_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))
