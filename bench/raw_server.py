"""Pyright's language server, spoken to directly and with as little around it as possible."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sightline.code.pyright_command import find_entry_file, find_node
from sightline.lsp.client_capabilities import capabilities_for
from sightline.lsp.server_spec import builtin_spec

_READY = re.compile(r"Found \d+ source files?")


class RawServer:
    """One request at a time, blocking: the cost is the server's own."""

    def __init__(self, process: subprocess.Popen[bytes], root: Path) -> None:
        self._process = process
        self._root = root
        self._next_id = 0
        self._is_ready = False

    def start(self) -> None:
        """Shake hands and wait until the project is known."""
        params = {
            "processId": None,
            "rootUri": self._root.as_uri(),
            "workspaceFolders": [{"uri": self._root.as_uri(), "name": "bench"}],
            "capabilities": capabilities_for(builtin_spec("pyright")),
        }
        self.request("initialize", params)
        self.notify("initialized", {})
        while not self._is_ready:
            self._take(self._read())

    def request(self, method: str, params: Any) -> Any:
        self._next_id += 1
        self._write({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        while (message := self._read()).get("id") != self._next_id or "method" in message:
            self._take(message)
        return message.get("result")

    def notify(self, method: str, params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "workspace/configuration":
            settings = builtin_spec("pyright").settings
            answer = [settings.get(item.get("section"), {}) for item in message["params"]["items"]]
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        elif "method" in message and "id" in message:
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif _is_ready(message.get("params")):
            self._is_ready = True

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self._process.stdout.read(length))

    def _write(self, message: Any) -> None:
        assert self._process.stdin
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()


def _is_ready(params: Any) -> bool:
    """Whether a notification's parameters, which may be of any type, are the log line that we wait for."""
    return isinstance(params, dict) and bool(_READY.search(str(cast("dict[str, Any]", params).get("message"))))


@contextmanager
def raw_server(root: Path) -> Generator[RawServer]:
    """A started process, not yet spoken to; killed with the block."""
    spec = builtin_spec("pyright")
    places = {"node": str(find_node()), "pyright": str(find_entry_file().parent), "heap_mb": "4096"}
    command = [part.format(**places) for part in (spec.command, *spec.args)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
    )
    try:
        yield RawServer(process, root)
    finally:
        process.kill()
        process.communicate()
