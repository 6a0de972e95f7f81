"""Who may call: the seam for every way to prove it, and the bearer key as the first of them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from starlette.datastructures import Headers
from starlette.types import Scope

from sightline.server.http.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Identity:
    """How a request proved that it may be served."""

    by: str


class Authenticator(Protocol):
    """A way to prove that a request may be served."""

    def identify(self, scope: Scope) -> Identity | None:
        """Who asks, or None if the request proves nothing."""
        ...


@dataclass(frozen=True, slots=True)
class NoKeyNeeded:
    """Serves everybody who can reach us: for loopback without a key."""

    def identify(self, scope: Scope) -> Identity | None:
        return Identity("nothing")


@dataclass(frozen=True, slots=True)
class BearerKey:
    """`Authorization: Bearer KEY`, compared in constant time."""

    key: str = field(repr=False)

    def identify(self, scope: Scope) -> Identity | None:
        given = Headers(scope=scope).getlist("authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        is_right = hmac.compare_digest(_digest(token.strip()), _digest(self.key))
        return Identity("key") if is_right and scheme.lower() == "bearer" else None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Several ways, of which one is enough."""

    ways: Sequence[Authenticator]

    def identify(self, scope: Scope) -> Identity | None:
        return next((identity for way in self.ways if (identity := way.identify(scope))), None)


def unauthorized(scope: Scope) -> Refusal:
    """401 with the header that says how to authenticate, and whether something wrong was given."""
    was_given = "authorization" in Headers(scope=scope)
    challenge = 'Bearer realm="sightline"' + (', error="invalid_token"' if was_given else "")
    message = "the key is wrong" if was_given else "a key is needed: send `Authorization: Bearer KEY`"
    return Refusal(401, "wrong_key" if was_given else "no_key", message, {"www-authenticate": challenge})


def _digest(text: str) -> bytes:
    """Of one length, whatever the text's is."""
    return hashlib.sha256(text.encode("utf-8", errors="replace")).digest()
