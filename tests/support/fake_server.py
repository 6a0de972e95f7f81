"""A scripted language server: a real process that speaks LSP over stdio and misbehaves as its arguments say.

Only the standard library, and nothing of Sightline's: it is run by any Python, as a server of its own would be.
It answers any request with what it was asked, except for a few of its own:

  fake/received   everything it has received so far, its own request included
  fake/ask        sends the request in the params to the client, and answers with the client's answer
  fake/print      writes the params to stdout, outside of any frame
  fake/exit       ends at once, without an answer
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

VERSION = "1.2.3"
READY = "Found 1 source file"
CAPABILITIES = {"hoverProvider": True, "definitionProvider": False}


class FakeServer:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.received: list[Any] = []
        self.requests = 0
        self.ballast = b"x" * (options.allocate_mb * 1_000_000)

    def serve(self) -> None:
        while (message := self.read()) is not None:
            if "method" not in message:
                continue
            if message["method"] == "exit" and not self.options.ignore_shutdown:
                self.say_farewell()
                return
            if "id" in message:
                self.answer(message)
            else:
                self.take_notice(message)
        while self.options.ignore_shutdown:
            time.sleep(60)

    def say_farewell(self) -> None:
        """Leave a note of how the end was asked for."""
        if self.options.farewell:
            methods = [message.get("method", "") for message in self.received]
            Path(self.options.farewell).write_text(" ".join(methods))

    def read(self) -> dict[str, Any] | None:
        length = None
        while line := sys.stdin.buffer.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        if length is None:
            return None
        message = json.loads(sys.stdin.buffer.read(length))
        self.received.append(message)
        return message

    def answer(self, request: dict[str, Any]) -> None:
        self.requests += 1
        method = request["method"]
        if self.options.crash_after is not None and self.requests > self.options.crash_after:
            end_at_once()
        if method in self.options.never or (method == "shutdown" and self.options.ignore_shutdown):
            return
        if method in self.options.slow:
            time.sleep(self.options.slow_s)
        if method in self.options.error:
            error = {"code": -32000, "message": f"no {method} today"}
            self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})
            return
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": self.result(method, request.get("params"))})

    def result(self, method: str, params: Any) -> Any:
        if method == "initialize":
            return self.initialized()
        if method == "fake/received":
            return self.received
        if method == "fake/ask":
            return self.ask(params)
        if method == "fake/print":
            write(params.encode())
        if method == "fake/exit":
            end_at_once()
        return None if method == "shutdown" else {"method": method, "params": params}

    def initialized(self) -> dict[str, Any]:
        if self.options.die_at_start:
            sys.stderr.write("cannot start today\n")
            end_at_once()
        if self.options.huge_frame:
            write(b"Content-Length: 999999999999\r\n\r\n")
        for number in range(self.options.stderr_lines):
            sys.stderr.write(f"complaint {number}: {'x' * 100}\n")
        sys.stderr.flush()
        self.log(f"Fake language server {VERSION} starting")
        return {"capabilities": CAPABILITIES}

    def take_notice(self, notification: dict[str, Any]) -> None:
        is_file_event = notification["method"] == "workspace/didChangeWatchedFiles"
        is_event = is_file_event or notification["method"] in ("initialized", "workspace/didChangeConfiguration")
        if is_file_event:
            time.sleep(self.options.late_s)
        if is_event and not self.options.never_ready and not (is_file_event and self.options.silent):
            self.log(READY)

    def ask(self, request: dict[str, Any]) -> Any:
        self.send({"jsonrpc": "2.0", **request})
        while (message := self.read()) is not None:
            if "method" not in message and message.get("id") == request["id"]:
                return message
        return end_at_once()

    def log(self, text: str) -> None:
        self.send({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"type": 3, "message": text}})

    def send(self, message: Any) -> None:
        if self.options.garbage:
            write("Warning: café 😀\r\n\r\nContent-Length\r\n{not json}\n".encode())
        body = json.dumps(message, ensure_ascii=False).encode()
        write(
            b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(body) + body
        )


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def end_at_once() -> NoReturn:
    sys.stderr.flush()
    os._exit(7)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--crash-after", type=int, help="end at the request after so many")
    parser.add_argument("--never", action="append", default=[], help="a method that is never answered")
    parser.add_argument("--error", action="append", default=[], help="a method that is answered with an error")
    parser.add_argument("--slow", action="append", default=[], help="a method that is answered late")
    parser.add_argument("--late-s", type=float, default=0.0, help="how late the news of files is announced")
    parser.add_argument("--slow-s", type=float, default=0.3, help="how late")
    parser.add_argument("--stderr-lines", type=int, default=0, help="how much to complain at the start")
    parser.add_argument("--allocate-mb", type=int, default=0, help="memory to take at the start")
    parser.add_argument("--farewell", help="a file to write at an orderly end")
    for flag in ("garbage", "huge-frame", "ignore-shutdown", "die-at-start", "never-ready", "silent"):
        parser.add_argument(f"--{flag}", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    chosen = parse_options()
    if chosen.ignore_shutdown:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    FakeServer(chosen).serve()
