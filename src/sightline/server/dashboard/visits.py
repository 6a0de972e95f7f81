"""A browser's visit: a cookie together with a token that the page keeps, both needed for every request.

A cookie alone would not do: browsers send it to every port of a host, so that another user's server on the same
machine could collect it. The token stays with the page's own origin, and as a header of its own no foreign page can
send it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from sightline.server.http.authentication import Identity
from sightline.server.http.origins import OriginPolicy, place_of

TOKEN_HEADER = "x-sightline-token"  # noqa: S105 - the name of a header
VISIT_LASTS_S = 12 * 3600
_MOST = 32
_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Visit:
    """The two halves, both secret."""

    cookie: str = field(repr=False)
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Kept:
    token: bytes
    until: float


@dataclass(slots=True)
class Visits:
    """The visits of one service; an `Authenticator`."""

    cookie_name: str
    clock: Callable[[], float] = time.monotonic
    _kept: OrderedDict[bytes, _Kept] = field(default_factory=OrderedDict[bytes, _Kept])

    def begin(self) -> Visit:
        visit = Visit(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        self._kept[_digest(visit.cookie)] = _Kept(_digest(visit.token), self.clock() + VISIT_LASTS_S)
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return visit

    def end(self, scope: Scope) -> None:
        self._kept.pop(_digest(self._cookie(scope)), None)

    def identify(self, scope: Scope) -> Identity | None:
        kept = self._kept.get(_digest(self._cookie(scope)))
        token = Headers(scope=scope).get(TOKEN_HEADER, "")
        if kept is None or kept.until < self.clock() or not _is_from_our_page(scope):
            return None
        return Identity("visit") if hmac.compare_digest(_digest(token), kept.token) else None

    def set_cookie(self, visit: Visit, *, is_secure: bool) -> str:
        """The `Set-Cookie` header."""
        secure = "; Secure" if is_secure else ""
        return (
            f"{self.cookie_name}={visit.cookie}; Path=/dashboard; HttpOnly; SameSite=Strict; "
            f"Max-Age={VISIT_LASTS_S}{secure}"
        )

    def clear_cookie(self) -> str:
        return f"{self.cookie_name}=; Path=/dashboard; HttpOnly; SameSite=Strict; Max-Age=0"

    def _cookie(self, scope: Scope) -> str:
        return cookie_parser(Headers(scope=scope).get("cookie", "")).get(self.cookie_name, "")


def _is_from_our_page(scope: Scope) -> bool:
    """Of our own origin alone, even where pages of others may call `/mcp`; a change must say so, as browsers do."""
    headers = Headers(scope=scope)
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    if "origin" not in headers:
        return scope["method"] not in _UNSAFE
    place = place_of(headers.get("host", ""))
    return place is not None and OriginPolicy(frozenset({place.host})).refusal(scope) is None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", errors="replace")).digest()
