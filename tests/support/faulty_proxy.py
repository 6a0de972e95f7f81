"""Sits between a client and a real language server, and does to the server's output what a control file says.

    python -S faulty_proxy.py CONTROL COMMAND ...

What the client sends passes untouched. The server's messages pass untouched too, unless the control file holds a
fault (`{"fault": "slow", "seed": 1}`):

  slow      each message is held back for a while
  garbage   noise between messages, at once and before each: text, half headers, frames that are no message
  corrupt   frames with wrong lengths: messages are lost, or the stream is past repair
  errors    results are replaced by errors
  drop      results are never delivered

Only the standard library, and nothing of Sightline's. It ends with either of its ends, and takes the server along.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

CONTROL_POLL_S = 0.02
HELD_BACK_S = (0.05, 1.5)
HUGE = 2_000_000
ERROR_CODES = (-32603, -32800, -32801, -32802, -32000)

# Nothing here is a message, and none of it hides the message behind it.
STRAY: tuple[bytes, ...] = (
    "(node:1) Warning: café 😀 is deprecated\n".encode(),
    b"\r\n\r\n\r\n",
    b"Content-Length: 77\r\nnot a header\n",
    b"Content-Length: seven\r\n\r\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
    b"\x00\xff\xfe{]" * 100 + b"\n",
    b"x" * HUGE,
    b"Content-Length: \n" * 5_000,
)
NO_MESSAGES: tuple[bytes, ...] = (
    b"",
    b"not json",
    b"\xff\xfe\x00",
    b"[" * 50_000,
    b"null",
    b"[1, 2]",
    b"{}",
    b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}',
    b'{"jsonrpc": "2.0", "id": 999999, "result": []}',
    b'{"jsonrpc": "2.0", "id": "1", "result": []}',
    b'{"jsonrpc": "2.0", "id": [1], "result": []}',
    b'{"jsonrpc": "2.0", "method": "window/logMessage", "params": null}',
    b'{"jsonrpc": "2.0", "method": "window/logMessage", "params": {"message": 5}}',
    b'{"jsonrpc": "2.0", "method": ["odd"], "params": {}}',
    b'{"jsonrpc": "2.0", "id": "odd", "method": "client/registerCapability", "params": {"registrations": [{}]}}',
    b'{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": "?"}',
)


def framed(body: bytes, length: int | None = None) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body) if length is None else length, body)


class Proxy:
    def __init__(self, control: Path, server: subprocess.Popen[bytes]) -> None:
        self.control = control
        self.server = server
        self.chance = random.Random()
        self.seed: int | None = None
        self.writing = threading.Lock()

    def fault(self) -> str | None:
        """The fault of this moment; each new one begins its own sequence of chances."""
        try:
            order = json.loads(self.control.read_bytes())
        except OSError:
            return None
        if order["seed"] != self.seed:
            self.seed = order["seed"]
            self.chance.seed(self.seed)
        return order["fault"]

    def run(self) -> None:
        for work in (self.pass_input, self.flood):
            threading.Thread(target=work, daemon=True).start()
        assert self.server.stdout
        while (body := read_frame(self.server.stdout)) is not None:
            self.deliver(body)

    def pass_input(self) -> None:
        """Client to server, until the client closes its end."""
        assert self.server.stdin
        try:
            while data := os.read(0, 65_536):
                self.server.stdin.write(data)
                self.server.stdin.flush()
        except OSError:
            pass
        self.end()

    def flood(self) -> None:
        """Noise at the moment that it is asked for, whatever else is going on."""
        done: int | None = None
        while True:
            time.sleep(CONTROL_POLL_S)
            if self.fault() == "garbage" and self.seed != done:
                done = self.seed
                self.write(b"".join(self.noise() for _ in range(10)))

    def deliver(self, body: bytes) -> None:
        match self.fault():
            case "slow":
                time.sleep(self.chance.uniform(*HELD_BACK_S))
                self.write(framed(body))
            case "garbage":
                self.write(self.noise() + self.noise() + framed(body))
            case "corrupt":
                self.write(self.corrupted(body))
            case "errors" if is_result(body):
                self.write(framed(self.refusal(json.loads(body)["id"])))
            case "drop" if is_result(body):
                pass
            case _:
                self.write(framed(body))

    def noise(self) -> bytes:
        return self.chance.choice(STRAY) if self.chance.random() < 0.5 else framed(self.chance.choice(NO_MESSAGES))

    def corrupted(self, body: bytes) -> bytes:
        wrong = self.chance.choice(("short", "long", "half", "endless", "right", "right", "right", "right"))
        lengths = {"short": len(body) // 2, "long": len(body) + self.chance.randrange(1, 5_000), "endless": 10**11}
        if wrong == "half":
            return b"Content-Length: 3\r\n" + framed(body)
        return framed(body, lengths.get(wrong))

    def refusal(self, request_id: Any) -> bytes:
        error: Any = {"code": self.chance.choice(ERROR_CODES), "message": "not today"}
        if self.chance.random() < 0.2:
            error = self.chance.choice(("not today", {"code": "odd"}, [], 0))
        return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()

    def write(self, data: bytes) -> None:
        with self.writing:
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except OSError:
                self.end()

    def end(self) -> None:
        self.server.kill()
        os._exit(0)


def read_frame(stream: IO[bytes]) -> bytes | None:
    length = None
    while line := stream.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return None if length is None else stream.read(length)


def is_result(body: bytes) -> bool:
    message = json.loads(body)
    return "id" in message and "method" not in message


if __name__ == "__main__":
    started = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    proxy = Proxy(Path(sys.argv[1]), started)
    proxy.run()
    proxy.end()
