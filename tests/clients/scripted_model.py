"""A model on loopback that follows a script: it asks for one tool call after the other, then says that it is done.

It keeps no state of a conversation: how far it is, is read from the request, as with a real model. What differs
between the vendors is in `dialects/`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, cast

SERVER_NAME = "sl"
DONE = "The script is at its end."

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asks for; `taken` are arguments that it reads out of the results so far."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    taken: Callable[[Sequence[str]], Mapping[str, Any]] | None = None

    def after(self, results: Sequence[str]) -> ToolCall:
        """The call with all of its arguments, for a model that was shown these results."""
        return self if self.taken is None else ToolCall(self.tool, {**self.arguments, **self.taken(results)})


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of an HTTP answer."""

    content: bytes
    content_type: str = "application/json"

    @classmethod
    def of_json(cls, value: object) -> Reply:
        return cls(json.dumps(value).encode())


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a client sent to the model."""

    path: str
    body: Json


class Dialect(Protocol):
    """One vendor's format."""

    def reply(self, asked: Asked, script: Sequence[ToolCall]) -> Reply | None:
        """The next step of the script in this conversation; None for what a client can do without."""
        ...

    def results(self, asked: Asked) -> list[str]:
        """The tool results that the model is shown in this request, as text, in order."""
        ...

    def surroundings(self, asked: Asked) -> str:
        """All else that the model is shown: prompts, and names and descriptions of tools."""
        ...


class ScriptedModel:
    """What clients asked, in order, and the base address at which they ask."""

    def __init__(self, dialect: Dialect, script: Sequence[ToolCall], port: int) -> None:
        self.dialect = dialect
        self.script = script
        self.base = f"http://127.0.0.1:{port}"
        self.asked: list[Asked] = []
        self._lock = threading.Lock()

    def answer(self, asked: Asked) -> Reply | None:
        with self._lock:
            self.asked.append(asked)
        results = self.dialect.results(asked)
        known, to_come = self.script[: len(results) + 1], self.script[len(results) + 1 :]
        return self.dialect.reply(asked, [*(each.after(results) for each in known), *to_come])

    @property
    def last(self) -> Asked:
        """The request in which all results had come back."""
        complete = [each for each in self.asked if len(self.dialect.results(each)) >= len(self.script)]
        assert complete, f"the script was not followed to its end: {[each.path for each in self.asked]}"
        return complete[-1]


@contextmanager
def scripted_model(dialect: Dialect, script: Sequence[ToolCall]) -> Generator[ScriptedModel]:
    """A model that listens on a free port of loopback until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        model = ScriptedModel(dialect, script, server.server_port)
        setattr(server, "model", model)  # noqa: B010 - the standard library hands handlers nothing but the server
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        reply = self._model.answer(Asked(self.path, cast("Json", json.loads(body or b"{}"))))
        self._send(200 if reply else 404, reply or Reply.of_json({"error": {"message": "no such thing"}}))

    def do_GET(self) -> None:
        self._send(404, Reply.of_json({"error": {"message": "no such thing"}}))

    def do_HEAD(self) -> None:
        self._send(200, Reply(b""))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the standard library's
        """Nothing: what was asked is in the model."""

    @property
    def _model(self) -> ScriptedModel:
        return getattr(self.server, "model")  # noqa: B009 - set above

    def _send(self, status: int, reply: Reply) -> None:
        self.send_response(status)
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(reply.content)))
        self.end_headers()
        self.wfile.write(reply.content)


def event_stream(events: Sequence[tuple[str | None, object]], *, separator: str = "\n") -> Reply:
    """Server-sent events in one piece; an event without a name has only its data."""
    lines: list[str] = []
    for name, data in events:
        lines += [f"event: {name}"] if name else []
        lines += [f"data: {data if isinstance(data, str) else json.dumps(data)}", ""]
    return Reply((separator.join(lines) + separator).encode(), "text/event-stream")
