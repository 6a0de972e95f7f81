"""Our conversation with one language-server process: start, hand-shake, requests, orderly end.

A session belongs to one server, one root and one interpreter. It starts once; a new one replaces it after a
crash. It holds no knowledge of what is asked.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import anyio
from anyio.abc import Process

from sightline.children import ChildNotStarted, Children
from sightline.logs import leave_request
from sightline.lsp.client_capabilities import capabilities_for
from sightline.lsp.connection import (
    Connection,
    ConnectionClosed,
    ConnectionFailed,
    ErrorResponse,
    NotificationHandler,
    RequestHandler,
)
from sightline.lsp.framing import Decoder, FrameTooLarge
from sightline.lsp.published import Published
from sightline.lsp.readiness import Readiness
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.uris import uri_of
from sightline.lsp.versions import is_older

log = logging.getLogger(__name__)

_STDERR_LINES = 40
_LAST_WORDS = 3
_LAST_WORDS_S = 0.1
_LONGEST_WORDS = 300
_SHUTDOWN_S = 1.0
_CHUNK = 65_536
_STOPPED = "it was stopped"

_VERSION = re.compile(r"(?:language server|intelephense) (\d\S*)")

State = Literal["starting", "running", "ended"]


class ServerNotStarted(ConnectionFailed):
    """The server could not be started, or did not shake hands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Everything a process is started with."""

    spec: ServerSpec
    root: Path
    command: Sequence[str]
    settings: Mapping[str, Any]
    initialization_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    folders: Sequence[Path] = ()
    cwd: Path | None = None
    environment: Mapping[str, str] | None = None
    start_timeout_s: float
    request_timeout_s: float
    request_timeouts: Mapping[str, float] = field(default_factory=dict[str, float])
    max_message_mb: int = 64


class Session:
    """A running language server. `run` owns its process and tasks; everything else may be called meanwhile."""

    def __init__(self, launch: Launch, children: Children) -> None:
        self.launch = launch
        self.state: State = "starting"
        self.readiness = Readiness(launch.spec.ready, launch.root)
        self.published = Published()
        self.version: str | None = None
        self.pid: int | None = None
        self.is_unusable = False
        self.born = time.monotonic()
        self.started = anyio.Event()
        self.finished = anyio.Event()
        self._reason: str | None = None
        self.stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self.capabilities: Mapping[str, Any] = {}
        self._registered: dict[str, str] = {}
        self._children = children
        self._stop = anyio.Event()
        self._stderr_ended = anyio.Event()
        self._connection: Connection | None = None

    def supports(self, method: str, capability: str) -> bool:
        """Whether the server offers a method, told at the start or registered since."""
        return bool(self.capabilities.get(capability)) or method in self._registered.values()

    async def request(self, method: str, params: Any, timeout_s: float | None = None) -> Any:
        """The server's result; raises `ErrorResponse` or `ConnectionFailed`."""
        default = self.launch.request_timeouts.get(method, self.launch.request_timeout_s)
        return await self._talk().request(method, params, timeout_s or default)

    async def notify(self, method: str, params: Any) -> None:
        await self._talk().notify(method, params)

    def stop(self) -> None:
        """Ask the session to end in order; `run` returns when it has."""
        self._stop.set()

    async def run(self) -> None:
        """The session's life, from process start to its end; `started` is set when the hand-shake is done or failed."""
        leave_request()
        try:
            cwd = self.launch.cwd or self.launch.root
            environment = self.launch.environment
            async with self._children.running(self.launch.command, cwd=cwd, environment=environment) as process:
                self.pid = process.pid
                await self._live(process)
        except ChildNotStarted as error:
            self._end(str(error))
        finally:
            self._end(_STOPPED)
            self.started.set()
            self.finished.set()

    async def _live(self, process: Process) -> None:
        connection = self._connection = self._connect(process)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read_stdout, process, connection)
            tasks.start_soon(self._read_stderr, process)
            try:
                await self._shake_hands(connection)
                self.state = "running"
                self.started.set()
                await self._stop.wait()
                await self._say_goodbye(connection)
                with anyio.move_on_after(_SHUTDOWN_S):
                    await process.wait()
            except (ConnectionFailed, ErrorResponse) as error:
                await self._hear_last_words()
                self._end(f"no hand-shake: {error}")
            tasks.cancel_scope.cancel()

    def _connect(self, process: Process) -> Connection:
        async def send(data: bytes) -> None:
            try:
                if process.stdin:
                    await process.stdin.send(data)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                self._end("it closed its input")
                self._stop.set()
                raise

        requests: dict[str, RequestHandler] = {
            "workspace/configuration": self._configuration,
            "workspace/workspaceFolders": self._folders,
            "workspace/applyEdit": _refuse_edit,
            "client/registerCapability": self._register,
            "client/unregisterCapability": self._unregister,
            "window/workDoneProgress/create": _acknowledge,
            "window/showMessageRequest": _acknowledge,
            "workspace/diagnostic/refresh": _acknowledge,
            "workspace/semanticTokens/refresh": _acknowledge,
            "workspace/inlayHint/refresh": _acknowledge,
            "workspace/codeLens/refresh": _acknowledge,
            "vscode/content": _acknowledge,
        }
        notices: dict[str, NotificationHandler] = {
            "window/logMessage": self._hear,
            "$/progress": self.readiness.hear_progress,
            "textDocument/publishDiagnostics": self.published.take,
        }
        if signal := self.launch.spec.ready.method:
            notices[signal] = lambda params: self.readiness.hear_notification(signal, params)
        return Connection(send, requests, notices)

    async def _read_stdout(self, process: Process, connection: Connection) -> None:
        decoder = Decoder(self.launch.max_message_mb * 1_000_000)
        reason = "its output ended"
        try:
            while process.stdout:
                for message in decoder.feed(await process.stdout.receive(_CHUNK)):
                    await connection.receive(message)
        except FrameTooLarge as error:
            reason = str(error)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionClosed):
            pass
        if self._stop.is_set():
            self._end(_STOPPED)
        else:
            await self._hear_last_words()
            self._end(reason)
        self._stop.set()

    async def _hear_last_words(self) -> None:
        with anyio.move_on_after(_LAST_WORDS_S):
            await self._stderr_ended.wait()

    @property
    def ended_because(self) -> str | None:
        """Why it ended, in its own last words if it did so by itself."""
        words = " / ".join(list(self.stderr)[-_LAST_WORDS:])
        if self._reason is None or self._reason == _STOPPED or not words:
            return self._reason
        return f"{self._reason}; its stderr ends: {words[:_LONGEST_WORDS]}"

    async def _read_stderr(self, process: Process) -> None:
        try:
            while process.stderr:
                text = (await process.stderr.receive(_CHUNK)).decode("utf-8", errors="replace")
                lines = [line for line in text.splitlines() if line.strip()]
                self.stderr.extend(lines)
                for line in lines:
                    self.readiness.hear_stderr(line)
                log.info("server stderr", extra={"server": self.launch.spec.id, "lines": lines[-_STDERR_LINES:]})
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._stderr_ended.set()

    async def _shake_hands(self, connection: Connection) -> None:
        params = {
            "processId": os.getpid(),
            "rootUri": uri_of(self.launch.root),
            "workspaceFolders": self._folders(None),
            "capabilities": capabilities_for(self.launch.spec),
            "initializationOptions": dict(self.launch.initialization_options),
        }
        result = await connection.request("initialize", params, self.launch.start_timeout_s)
        self.capabilities = result.get("capabilities", {})
        self.version = _version(result.get("serverInfo") or {}) or self.version
        if is_older(self.version, self.launch.spec.oldest):
            self.is_unusable = True
            raise ConnectionFailed(
                f"it is version {self.version}, and {self.launch.spec.oldest} is the oldest that works"
            )
        await connection.notify("initialized", {})

    async def _say_goodbye(self, connection: Connection) -> None:
        """`shutdown`, `exit`; whoever ignores them is killed by `run`."""
        try:
            await connection.request("shutdown", None, _SHUTDOWN_S)
            await connection.notify("exit", None)
        except (ConnectionFailed, ErrorResponse):
            return

    def _end(self, reason: str) -> None:
        if self.state != "ended":
            self.state = "ended"
            self._reason = reason
            log.info("session ended", extra={"server": self.launch.spec.id, "reason": reason})
        self.readiness.end()
        if self._connection:
            self._connection.close(self.ended_because or reason)

    def _talk(self) -> Connection:
        if self._connection is None or self.state == "ended":
            raise ConnectionClosed(self.ended_because or "not started")
        return self._connection

    def _folders(self, _params: Any) -> list[dict[str, str]]:
        return [{"uri": uri_of(folder), "name": folder.name} for folder in (self.launch.root, *self.launch.folders)]

    def _configuration(self, params: Any) -> list[Any]:
        """One element per asked section; some servers die of a wrong count."""
        return [_section(self.launch.settings, item.get("section") or "") for item in params.get("items", [])]

    def _register(self, params: Any) -> None:
        """By registration id: Pyright registers a method anew before it drops the older registration."""
        self._registered.update({each["id"]: each["method"] for each in params.get("registrations", [])})

    def _unregister(self, params: Any) -> None:
        for each in params.get("unregisterations", []):
            self._registered.pop(each["id"], None)

    def _hear(self, params: Any) -> None:
        message = str(params.get("message", ""))
        self.readiness.hear_log(message)
        if self.version is None and (found := _VERSION.search(message)):
            self.version = found[1]
        log.debug("server log", extra={"server": self.launch.spec.id, "text": message})


def _section(settings: Mapping[str, Any], name: str) -> Any:
    """A section by its whole name, else by its path; some names hold dots or slashes themselves."""
    if name in settings:
        return settings[name]
    found: Any = settings
    for part in name.split("."):
        found = cast("Mapping[str, Any]", found).get(part) if isinstance(found, Mapping) else None
    return {} if found is None else found


def _version(info: Mapping[str, Any]) -> str | None:
    """The version in a server's own words: gopls puts its whole build information there."""
    text = info.get("version")
    if not isinstance(text, str) or not text.startswith("{"):
        return text if isinstance(text, str) else None
    try:
        return str(json.loads(text)["Main"]["Version"])
    except (ValueError, KeyError, TypeError):
        return None


def _acknowledge(_params: Any) -> None:
    return None


def _refuse_edit(_params: Any) -> dict[str, Any]:
    return {"applied": False, "failureReason": "edits that a server asks for are not made"}
