"""How a browser gets in and out: a one-time link or the key becomes a visit, and a visit ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from sightline.server.dashboard.links import OneTimeLinks, Verdict
from sightline.server.dashboard.replies import body_of, refused, reply
from sightline.server.dashboard.visits import Visits
from sightline.server.http.authentication import Authenticator
from sightline.server.http.rates import Rate

_WHY: Mapping[Verdict, str] = {
    "used": "this link was used already",
    "expired": "this link has expired",
    "unknown": "this link is not known here",
}


@dataclass(frozen=True, slots=True)
class Doors:
    """The way in and out; `key` is the bearer key's authenticator, if there is a key."""

    visits: Visits
    links: OneTimeLinks
    key: Authenticator | None
    guesses: Rate = field(default_factory=lambda: Rate(per_second=0.5, burst=20))

    async def enter(self, request: Request) -> Response:
        """`POST` with a link as JSON, or with the key as `Authorization`."""
        if "authorization" in request.headers:
            if self.key is None:
                return refused(401, "no_key_here", "this service has no key; open the link of `sightline dashboard`")
            if self.key.identify(request.scope):
                return self._visit(request)
            return self._denied(request, "wrong_key", "the key is wrong")
        body = await body_of(request)
        link = body.get("link") if body else None
        if not isinstance(link, str):
            return refused(400, "invalid_params", "send a `link` as JSON, or the key as `Authorization: Bearer KEY`")
        verdict = self.links.take(link)
        return self._visit(request) if verdict == "good" else self._denied(request, f"link_{verdict}", _WHY[verdict])

    async def leave(self, request: Request) -> Response:
        self.visits.end(request.scope)
        return reply({}, headers={"set-cookie": self.visits.clear_cookie()})

    async def make_link(self, _request: Request) -> Response:
        return reply({"link": self.links.make()})

    def _visit(self, request: Request) -> Response:
        visit = self.visits.begin()
        is_secure = request.headers.get("origin", "").startswith("https://")
        cookie = self.visits.set_cookie(visit, is_secure=is_secure)
        return reply({"token": visit.token}, headers={"set-cookie": cookie})

    def _denied(self, request: Request, error: str, message: str) -> Response:
        if too_many := self.guesses.refusal(request.scope):
            return reply({"error": too_many.reason, "message": too_many.message}, 429, too_many.headers)
        return refused(401, error, message)
