"""Serving an application over HTTP, from the open socket to the last connection."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

from sightline.app import App
from sightline.config.schema import ServerSettings
from sightline.server.announcing import log_end, log_start
from sightline.server.http.authentication import Authenticator, BearerKey, NoKeyNeeded
from sightline.server.http.bodies import BodyLimits
from sightline.server.http.endpoints import Checks, Endpoint, HttpApp
from sightline.server.http.in_flight import InFlight
from sightline.server.http.keys import Key
from sightline.server.http.listening import url_of
from sightline.server.http.origins import OriginPolicy
from sightline.server.http.probes import probe_endpoints
from sightline.server.http.rates import Rate
from sightline.server.http.wire import WireLimits, wire_with
from sightline.server.lifetime import until_signal
from sightline.server.mcp_server import build_server

log = logging.getLogger(__name__)

_DRAIN_S = 2.0
_LAST_WORDS_S = 1
_KEEP_ALIVE_S = 60
_BURST_S = 2.0


@dataclass(frozen=True, slots=True)
class HttpService:
    """One HTTP service: what more endpoints can be made of."""

    app: App
    authenticator: Authenticator
    in_flight: InFlight
    url: str


MoreEndpoints = Callable[[HttpService], Sequence[Endpoint]]


async def serve_http(
    app: App, listening: socket.socket, key: Key | None, more_endpoints: Sequence[MoreEndpoints] = ()
) -> None:
    """Serve until a signal arrives; then running calls have a moment to end, and the rest is cut off."""
    authenticator = BearerKey(key.value) if key else NoKeyNeeded()
    service = HttpService(app, authenticator, InFlight(), url_of(listening))
    settings = app.settings.values.server
    manager = _session_manager(app, settings)
    endpoints = [
        Endpoint("/mcp", StreamableHTTPASGIApp(manager), authenticator, ("POST", "GET", "DELETE")),
        *probe_endpoints(service.in_flight, lambda: "", authenticator),
        *(endpoint for make in more_endpoints for endpoint in make(service)),
    ]
    server = _Uvicorn(_config(HttpApp(endpoints, _checks(settings), service.in_flight), settings))
    _log_start(service, key)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve, [listening])
        async with manager.run():
            await until_signal()
            service.in_flight.is_stopping = True
            server.should_exit = True
            with anyio.move_on_after(_DRAIN_S):
                await app.calls.until_idle()
        service.in_flight.cancel_all()
    log_end(app)


class _Uvicorn(uvicorn.Server):
    """uvicorn that leaves the signals to us: it would raise them again after its end."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _config(http_app: HttpApp, settings: ServerSettings) -> uvicorn.Config:
    return uvicorn.Config(
        http_app,
        http=wire_with(WireLimits(settings.receive_timeout_s, settings.max_connections)),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_LAST_WORDS_S,
    )


def _session_manager(app: App, settings: ServerSettings) -> StreamableHTTPSessionManager:
    """Both eras; `Host`, `Origin` and the body's size are checked before it, for every endpoint."""
    return StreamableHTTPSessionManager(
        build_server(app),
        session_idle_timeout=settings.session_idle_s,
        max_sessions=settings.max_sessions,
        max_request_body_size=_bytes(settings.max_body_mb),
    )


def _checks(settings: ServerSettings) -> Checks:
    rate = settings.requests_per_second
    return Checks(
        OriginPolicy(settings.allowed_hosts, settings.allowed_origins),
        Rate(rate, burst=max(1.0, rate * _BURST_S)),
        BodyLimits(_bytes(settings.max_body_mb), settings.receive_timeout_s),
    )


def _bytes(megabytes: float) -> int:
    return max(1, int(megabytes * 1024 * 1024))


def _log_start(service: HttpService, key: Key | None) -> None:
    if key is None:
        log.warning("no key: every program on this machine can call", extra={"remedy": "--generate-key"})
    place = key.place if key else None
    log_start(service.app, transport="http", url=f"{service.url}/mcp", key=place, pid=os.getpid())
