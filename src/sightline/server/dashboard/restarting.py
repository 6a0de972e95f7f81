"""Restarting a language server: the one thing that the dashboard does. By the same tool that agents use, so that
what they may not do, a page may not do either.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from sightline.app import App
from sightline.errors import ErrorKind, ToolFailure
from sightline.lsp.pool import WorkspaceKey
from sightline.lsp.workspace import Workspace
from sightline.paths import PathPolicy
from sightline.progress import no_progress
from sightline.server.dashboard.overview import code_of, row_of
from sightline.server.dashboard.replies import body_of, refused, reply
from sightline.tool import Call

log = logging.getLogger(__name__)

CLIENT = "dashboard"


@dataclass(frozen=True, slots=True)
class Restarting:
    """`POST` with the row of a running server; it is ended, and started anew in the background."""

    app: App

    async def post(self, request: Request) -> Response:
        body = await body_of(request)
        row = body.get("row") if body else None
        if not isinstance(row, str):
            return refused(400, "invalid_params", "send the `row` of a server as JSON")
        pool = code_of(self.app).servers.pool
        key = next((key for key in pool.workspaces() if row_of(key) == row), None)
        if key is None:
            return refused(404, "no_match", "this server does not run any more")
        arguments = {"project": str(key.root), "server_id": key.server_id}
        answer = await self.app.boundary.call("restart_server", arguments, client=CLIENT, client_name=CLIENT)
        if not answer.ok:
            error = answer.data["error"]
            return refused(403 if error["kind"] == ErrorKind.READ_ONLY else 409, error["kind"], error["message"])
        if key.server_id not in answer.data["restarted"]:
            return refused(409, ErrorKind.BUSY, f"{key.server_id} is in use by a call; try again when it has ended")
        pool.do_meanwhile(partial(self._start, key))
        return reply({"message": f"{key.server_id} is being restarted"}, 202)

    async def _start(self, key: WorkspaceKey) -> None:
        """Start it again now; where that cannot be, the next call does."""
        service = code_of(self.app)
        paths = PathPolicy(key.root, (key.root,))
        served, _ = service.router.of_project(Call(key.root, paths, no_progress, CLIENT))
        again = next((each for each in served if (each.spec.id, each.root) == (key.server_id, key.root)), None)
        if again is None:
            return
        try:
            await service.servers.with_workspace(again, _nothing)
        except ToolFailure as failure:
            log.warning("the language server did not start again", extra={"reason": failure.message})


async def _nothing(_workspace: Workspace) -> None:
    return None
