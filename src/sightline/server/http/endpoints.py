"""The ASGI application, made from endpoints: every request passes the same checks before one of them sees it.

In order: a plain path, `Host` and `Origin`, the rate, the endpoint and its method, who asks, the body. Plain ASGI, so
that streams pass through as they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from starlette.types import ASGIApp, Receive, Scope, Send

from sightline.server.http.authentication import Authenticator, unauthorized
from sightline.server.http.bodies import BodyLimits
from sightline.server.http.in_flight import InFlight
from sightline.server.http.origins import OriginPolicy
from sightline.server.http.rates import Rate
from sightline.server.http.refusals import STOPPING, Refusal


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address: its exact path, who may use it (`None`: everybody), and what serves it."""

    path: str
    app: ASGIApp
    authenticator: Authenticator | None
    methods: Sequence[str] = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Checks:
    """What every request is held against."""

    origins: OriginPolicy
    requests: Rate
    bodies: BodyLimits
    unproved: Rate = field(default_factory=lambda: Rate(per_second=0.5, burst=20))
    """Requests without the right key; who has it is never locked out."""


class HttpApp:
    """The ASGI application over its endpoints."""

    def __init__(self, endpoints: Sequence[Endpoint], checks: Checks, in_flight: InFlight) -> None:
        self._endpoints: Mapping[str, Endpoint] = {each.path: each for each in endpoints}
        self._checks = checks
        self._in_flight = in_flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        found = self._found(scope)
        if isinstance(found, Refusal):
            self._in_flight.note_refusal(found.reason)
            await self._in_flight.serve("refused", found, scope, receive, send)
        else:
            app = partial(self._checks.bodies.serve, found.app)
            await self._in_flight.serve(found.path, app, scope, receive, send)

    def _found(self, scope: Scope) -> Endpoint | Refusal:
        """The endpoint of a request that may be served."""
        checks = self._checks
        if refusal := checks.origins.refusal(scope) or checks.requests.refusal(scope):
            return refusal
        endpoint = self._endpoints.get(scope["path"])
        if endpoint is None or not _is_plain(scope):
            return Refusal(404, "unknown_path", "there is nothing at this path")
        if scope["method"] not in endpoint.methods:
            return Refusal(405, "wrong_method", "not a method of this path", {"allow": ", ".join(endpoint.methods)})
        if endpoint.authenticator is None:
            return endpoint
        return self._allowed(endpoint, endpoint.authenticator, scope)

    def _allowed(self, endpoint: Endpoint, authenticator: Authenticator, scope: Scope) -> Endpoint | Refusal:
        """The endpoint, if the request proves that it may use it, and while something new is begun."""
        if self._in_flight.is_stopping:
            return STOPPING
        identity = authenticator.identify(scope)
        if identity is None:
            return self._checks.unproved.refusal(scope) or unauthorized(scope)
        scope["identity"] = identity
        return endpoint


def _is_plain(scope: Scope) -> bool:
    """Whether the path was sent as it reads: an encoded one may mean another path to a proxy before us."""
    raw: bytes = scope.get("raw_path") or b""
    return raw == scope["path"].encode("ascii", errors="replace")
