"""The dashboard of one service, put together: what runs in the background, and its endpoints."""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import request_response
from starlette.types import Scope

from sightline.app import App
from sightline.config.narrowing import resolved_root
from sightline.errors import SettingsError, ToolFailure
from sightline.logs import also_to
from sightline.server.dashboard.discretion import Discretion
from sightline.server.dashboard.doors import Doors
from sightline.server.dashboard.event_stream import EventStreams, StreamLimits
from sightline.server.dashboard.journal import Journal
from sightline.server.dashboard.links import OneTimeLinks
from sightline.server.dashboard.log_records import LogEntry, LogTap
from sightline.server.dashboard.overview import Overview
from sightline.server.dashboard.page import page_endpoints
from sightline.server.dashboard.panels import documentation, failure_data, settings_in_force, sync_standing
from sightline.server.dashboard.replies import refused, reply, to_text
from sightline.server.dashboard.restarting import Restarting
from sightline.server.dashboard.run_file import LINKS_PATH, RunningService, told_to_owner
from sightline.server.dashboard.visits import Visits
from sightline.server.http.authentication import AnyOf, Authenticator, BearerKey, NoKeyNeeded
from sightline.server.http.endpoints import Endpoint
from sightline.server.http.serving import HttpService

log = logging.getLogger(__name__)

_SAMPLE_S = 2.0
_SOONEST_S = 0.3


@dataclass(slots=True)
class Dashboard:
    """What the endpoints are made of; use `open_dashboard`."""

    app: App
    url: str
    journal: Journal
    discretion: Discretion
    overview: Overview
    limits: StreamLimits
    visits: Visits
    links: OneTimeLinks = field(default_factory=OneTimeLinks)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _news: anyio.Event = field(default_factory=anyio.Event)

    def new_link(self) -> str:
        """An address that opens the dashboard once. The token is in the fragment, which browsers send to nobody."""
        return f"{self.url}/#link={self.links.make()}"

    def endpoints(self, service: HttpService) -> Sequence[Endpoint]:
        """The page for everybody, and what it shows for who proves to be allowed to see it."""
        key = None if isinstance(service.authenticator, NoKeyNeeded) else service.authenticator
        allowed: Authenticator = AnyOf([self.visits, key] if key else [self.visits])
        doors = Doors(self.visits, self.links, key)

        def is_welcome(scope: Scope) -> bool:
            return allowed.identify(scope) is not None

        streams = EventStreams(self.journal, self.discretion, self.limits, self.look, is_welcome)
        return [
            *page_endpoints(),
            Endpoint("/dashboard/visit", request_response(doors.enter), None, ("POST",)),
            Endpoint("/dashboard/leave", request_response(doors.leave), allowed, ("POST",)),
            Endpoint(LINKS_PATH, request_response(doors.make_link), BearerKey(self.secret), ("POST",)),
            Endpoint("/dashboard/events", streams, allowed, ("GET",)),
            Endpoint("/dashboard/restart", request_response(Restarting(self.app).post), allowed, ("POST",)),
            *(Endpoint(path, request_response(panel), allowed, ("GET",)) for path, panel in self._panels()),
        ]

    def _panels(self) -> list[tuple[str, Callable[[Request], Awaitable[Response]]]]:
        async def docs(_request: Request) -> Response:
            try:
                return reply(await documentation(self.app, self.discretion))
            except ToolFailure as failure:
                return reply(failure_data(failure), 409)
            except SettingsError as error:  # the store is opened when it is first needed
                said = f"{error}: {error.hint}" if error.hint else str(error)
                return refused(409, "settings", self.discretion.text(said))

        async def sync(_request: Request) -> Response:
            try:
                return reply(await sync_standing(self.app))
            except ToolFailure as failure:
                return reply(failure_data(failure), 409)

        async def settings(_request: Request) -> Response:
            return reply(settings_in_force(self.app))

        return [("/dashboard/docs", docs), ("/dashboard/sync", sync), ("/dashboard/settings", settings)]

    async def follow_calls(self) -> None:
        with self.app.calls.subscribe() as ended:
            async for call in ended:
                self.journal.add("call", call)
                self._news.set()

    async def watch(self) -> None:
        """Look at the service as long as somebody does."""
        while True:
            await self.journal.until_read()
            self._news = anyio.Event()
            if state := await self.look():
                self.journal.tell_state(state)
            await anyio.sleep(_SOONEST_S)
            with anyio.move_on_after(_SAMPLE_S - _SOONEST_S):
                await self._news.wait()

    async def look(self) -> str | None:
        """The state of now as JSON; a look that fails is logged and must not end the service."""
        try:
            return to_text(await self.overview.now())
        except Exception:  # the owner of a background task, one of the three places that catch all
            log.exception("the dashboard could not look at the service")
            return None

    def note(self, entry: LogEntry) -> None:
        self.journal.add("log", entry)


@asynccontextmanager
async def open_dashboard(
    app: App, url: str, data: Path, limits: StreamLimits | None = None
) -> AsyncGenerator[Dashboard]:
    """A dashboard that listens from now on to the end of the block."""
    url, bounds = browsable(url), limits or StreamLimits()
    root = app.boundary.root
    allowed = (root, *(resolved_root(root, each) for each in app.settings.values.server.allowed_roots))
    discretion = Discretion(root, allowed)
    dashboard = Dashboard(
        app=app,
        url=url,
        journal=Journal(bounds.waiting),
        discretion=discretion,
        overview=Overview(app, url, discretion),
        limits=bounds,
        visits=Visits(f"sightline_{urlsplit(url).port}"),
    )
    running = RunningService(url, str(root), os.getpid(), time.time(), dashboard.secret)
    with also_to(LogTap(dashboard.note)), told_to_owner(running, data):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(dashboard.follow_calls)
            tasks.start_soon(dashboard.watch)
            try:
                yield dashboard
            finally:
                tasks.cancel_scope.cancel()


def browsable(url: str) -> str:
    """The address as a browser on this machine can use it: the one that stands for all is no place to go to."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
