"""How the service is doing right now, as one JSON value that every open page gets."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio.to_thread

from sightline import __version__
from sightline.app import App
from sightline.code import CodeService
from sightline.code.catalogue import is_python
from sightline.code.server_states import ServerState, server_states
from sightline.contract import to_json
from sightline.lsp.pool import WorkspaceKey
from sightline.lsp.workspace import Workspace
from sightline.metrics import BOUNDS_S
from sightline.paths import PathPolicy
from sightline.server.dashboard.call_records import running_call
from sightline.server.dashboard.discretion import Discretion


@dataclass(frozen=True, slots=True)
class Overview:
    """Looks at an application; changes nothing."""

    app: App
    url: str
    discretion: Discretion
    started_at: float = field(default_factory=time.time)

    async def now(self) -> dict[str, Any]:
        """The state of now. Processes are looked at in a thread, because that takes some milliseconds."""
        running = code_of(self.app).servers.pool.workspaces()
        states = await anyio.to_thread.run_sync(self._states, running)
        return {
            "service": self._service(),
            "calls": self._calls(),
            "pool": self._pool(),
            "servers": [self._server(key, state) for key, state in states],
            "tools": self._tools(),
            "bounds_ms": [bound * 1000 for bound in BOUNDS_S],
        }

    def _service(self) -> dict[str, Any]:
        import psutil

        settings = self.app.settings.values
        refusal = self.app.selection.hidden.get("restart_server")
        return {
            "version": __version__,
            "python": platform.python_version(),
            "project": self.app.boundary.root.name,
            "url": self.url,
            "pid": os.getpid(),
            "now": time.time(),
            "started_at": self.started_at,
            "memory_mb": round(psutil.Process().memory_info().rss / 1e6, 1),
            "read_only": settings.server.read_only,
            "has_metrics": settings.logging.metrics,
            "restart_refused": refusal.message if refusal else None,
        }

    def _calls(self) -> dict[str, Any]:
        metrics = self.app.metrics
        running = [running_call(call, self.discretion) for call in self.app.calls.running()]
        return {"count": metrics.call_count, "errors": metrics.error_count, "running": running}

    def _pool(self) -> dict[str, Any]:
        pool, settings = code_of(self.app).servers.pool, self.app.settings.values.code
        return {
            "running": len(pool.workspaces()),
            "size": settings.pool_size,
            "memory_budget_mb": settings.memory_budget_mb,
            **to_json(pool.counts),
        }

    def _states(self, running: Mapping[WorkspaceKey, Workspace]) -> list[tuple[WorkspaceKey, ServerState]]:
        paths = PathPolicy(self.discretion.root, self.discretion.allowed)
        return list(zip(running, server_states(code_of(self.app).servers, paths, running), strict=True))

    def _server(self, key: WorkspaceKey, state: ServerState) -> dict[str, Any]:
        shown = self.discretion.value(to_json(state))
        return {**shown, "row": row_of(key), "project": key.root.name, **self._why(key)}

    def _why(self, key: WorkspaceKey) -> dict[str, str]:
        """The interpreter and the reason for it, of a Python project."""
        service = code_of(self.app)
        spec = service.router.catalogue.get(key.server_id)
        if spec is None or not is_python(spec):
            return {}
        interpreter = service.router.projects.find(key.root, within=key.root).interpreter
        shown = {"interpreter_reason": self.discretion.text(interpreter.reason)}
        return {**shown, "interpreter": self._shown(interpreter.path)} if interpreter.path else shown

    def _shown(self, interpreter: Path) -> str:
        """An environment is public, as in every answer."""
        root = self.discretion.root
        return str(interpreter.relative_to(root) if interpreter.is_relative_to(root) else interpreter)

    def _tools(self) -> list[dict[str, Any]]:
        metrics = self.app.metrics
        classes = {each.operation: list(each.classes) for each in metrics.histograms()}
        return [{**to_json(each), "classes": classes[each.operation]} for each in metrics.summaries()]


def code_of(app: App) -> CodeService:
    service: CodeService = app.boundary.services["code"]
    return service


def row_of(key: WorkspaceKey) -> str:
    """What a running server is called by the page."""
    text = f"{key.server_id}\0{key.root}\0{key.environment}"
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:16]
