"""Serving an application over HTTP, from the open socket to the last connection."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
import uvicorn

from sightline.app import App
from sightline.config.schema import ServerSettings
from sightline.server.announcing import log_end, log_start
from sightline.server.http.authentication import Authenticator, BearerKey, NoKeyNeeded
from sightline.server.http.bodies import BodyLimits
from sightline.server.http.endpoints import Checks, Endpoint, HttpApp
from sightline.server.http.entrance import Entrance
from sightline.server.http.exposition import exposition
from sightline.server.http.in_flight import InFlight
from sightline.server.http.origins import is_loopback
from sightline.server.http.probes import probe_endpoints
from sightline.server.http.rates import Rate
from sightline.server.http.sessions import sessions_of
from sightline.server.http.wire import WireLimits, wire_with
from sightline.server.lifetime import stop_signals

log = logging.getLogger(__name__)

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


async def serve_http(app: App, entrance: Entrance, more_endpoints: Sequence[MoreEndpoints] = ()) -> None:
    """Serve until a signal arrives; then running calls have a moment to end, and the rest is cut off."""
    authenticator = BearerKey(entrance.key.value) if entrance.key else NoKeyNeeded()
    in_flight = InFlight()
    service = HttpService(app, authenticator, in_flight, entrance.url)
    settings = app.settings.values.server
    sessions = sessions_of(app, _bytes(settings.max_body_mb))
    endpoints = [
        Endpoint("/mcp", sessions.handle_request, authenticator, ("POST", "GET", "DELETE")),
        *probe_endpoints(in_flight, lambda: exposition(app, in_flight, sessions.count), authenticator),
        *(endpoint for make in more_endpoints for endpoint in make(service)),
    ]
    server = _Uvicorn(
        _config(HttpApp(endpoints, _checks(settings, entrance, in_flight), in_flight), settings, in_flight)
    )
    async with anyio.create_task_group() as tasks:
        async with sessions.run():
            with stop_signals() as first_signal:
                tasks.start_soon(server.serve, [entrance.listening])
                _log_start(app, entrance)
                await first_signal()
            in_flight.is_stopping = True
            server.should_exit = True
            with anyio.move_on_after(settings.shutdown_grace_s):
                await app.calls.until_idle()
        in_flight.cancel_all()
    log_end(app)


class _Uvicorn(uvicorn.Server):
    """uvicorn that leaves the signals to us: it would raise them again after its end."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _config(http_app: HttpApp, settings: ServerSettings, in_flight: InFlight) -> uvicorn.Config:
    return uvicorn.Config(
        http_app,
        http=wire_with(WireLimits(settings.receive_timeout_s, settings.max_connections, in_flight.note_refusal)),
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",  # its warnings tell of refused requests, which are counted
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_grace_s) + _LAST_WORDS_S,
    )


def _checks(settings: ServerSettings, entrance: Entrance, in_flight: InFlight) -> Checks:
    rate = settings.requests_per_second
    return Checks(
        entrance.origins,
        Rate(rate, burst=max(1.0, rate * _BURST_S)),
        BodyLimits(_bytes(settings.max_body_mb), settings.receive_timeout_s, in_flight.note_refusal),
    )


def _bytes(megabytes: float) -> int:
    return max(1, int(megabytes * 1024 * 1024))


def _log_start(app: App, entrance: Entrance) -> None:
    if entrance.key is None:
        log.warning("no key: every program on this machine can call", extra={"remedy": "--generate-key"})
    elif not is_loopback(entrance.address):
        remedy = "a proxy that speaks TLS, and `server.host` on loopback"
        log.warning("no TLS: the key and the answers can be read on the way", extra={"remedy": remedy})
    place = entrance.key.place if entrance.key else None
    log_start(app, transport="http", url=f"{entrance.url}/mcp", key=place, pid=os.getpid())
