"""A language server for recipes, a language of one rule: a line that begins with `burn` is an error.

Only the standard library, as a stranger's server would be run. It knows only documents that are open, and publishes
diagnostics without being asked; with `--pull KIND` it gives them when asked, in a report of that kind. `--version`
is what it says of itself; `--deaf N` leaves the first N hovers empty.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Document = dict[str, Any]


def read() -> Document | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(message: Document) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def place(line: int, length: int) -> Document:
    return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": length}}


class RecipeServer:
    def __init__(self, pull_kind: str | None, version: str, deaf: int) -> None:
        self.pull_kind = pull_kind
        self.version = version
        self.deaf = deaf
        self.texts: dict[str, str] = {}

    def serve(self) -> None:
        while (message := read()) is not None and message.get("method") != "exit":
            if "id" in message:
                self.answer(message)
            elif message["method"] in ("textDocument/didOpen", "textDocument/didChange"):
                self.take(message["params"])

    def answer(self, request: Document) -> None:
        found = getattr(self, request["method"].rpartition("/")[2], None)
        if found is None:
            error = {"code": -32601, "message": f"no {request['method']}"}
            send({"id": request["id"], "error": error})
        else:
            send({"id": request["id"], "result": found(request.get("params"))})

    def initialize(self, _params: Any) -> Document:
        offers: Document = {"hoverProvider": True, "documentSymbolProvider": False, "textDocumentSync": 1}
        if self.pull_kind is not None:
            offers["diagnosticProvider"] = {"interFileDependencies": False, "workspaceDiagnostics": False}
        return {"capabilities": offers, "serverInfo": {"name": "recipes", "version": self.version}}

    def shutdown(self, _params: Any) -> None:
        return None

    def hover(self, params: Any) -> Document | None:
        if self.deaf:
            self.deaf -= 1
            return None
        lines: list[str] = self.texts[params["textDocument"]["uri"]].splitlines()
        line = lines[int(params["position"]["line"])]
        return {"contents": f"a step of {len(line.split())} words"}

    def diagnostic(self, params: Any) -> Document:
        return {"kind": self.pull_kind, "items": self.findings(params["textDocument"]["uri"])}

    def take(self, params: Any) -> None:
        document = params["textDocument"]
        changes = params.get("contentChanges") or [document]
        self.texts[document["uri"]] = changes[-1]["text"]
        if self.pull_kind is None:
            found = {"uri": document["uri"], "diagnostics": self.findings(document["uri"])}
            send({"method": "textDocument/publishDiagnostics", "params": found})

    def findings(self, uri: str) -> list[Document]:
        lines = self.texts[uri].splitlines()
        return [
            {"range": place(number, len(line)), "severity": 1, "message": "never burn anything"}
            for number, line in enumerate(lines)
            if line.startswith("burn")
        ]


if __name__ == "__main__":
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    RecipeServer(options.get("--pull"), options.get("--version", "9"), int(options.get("--deaf", "0"))).serve()
