"""`/healthz`, `/readyz` and `/metrics`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import request_response

from sightline.server.http.authentication import Authenticator
from sightline.server.http.endpoints import Endpoint
from sightline.server.http.in_flight import InFlight


def probe_endpoints(in_flight: InFlight, metrics: Callable[[], Awaitable[str]], key: Authenticator) -> list[Endpoint]:
    """Health and readiness tell one word to everybody; the metrics tell which tools are used, to who has the key."""

    async def health(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def ready(_request: Request) -> Response:
        if in_flight.is_stopping:
            return PlainTextResponse("stopping\n", status_code=503)
        return PlainTextResponse("ready\n")

    async def tell_metrics(_request: Request) -> Response:
        return PlainTextResponse(await metrics(), media_type="text/plain; version=0.0.4")

    return [
        Endpoint("/healthz", request_response(health), authenticator=None),
        Endpoint("/readyz", request_response(ready), authenticator=None),
        Endpoint("/metrics", request_response(tell_metrics), authenticator=key),
    ]
