"""Which `Host` and `Origin` are answered: against web pages that reach for a server in the visitor's own network.

A page can make a browser send anything but these two headers. `Host` must name the address itself or a name that
the user allowed, on every bind; `Origin` must be our own or one that the user allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from sightline.errors import SettingsError
from sightline.server.http.refusals import Refusal

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ALLOWED_HOSTS = "a person can add a name to `server.allowed_hosts`"
_ALLOWED_ORIGINS = "a person can add an origin to `server.allowed_origins`"


@dataclass(frozen=True, slots=True)
class Place:
    """A host and its port, if one is given."""

    host: str
    port: int | None


@dataclass(frozen=True, slots=True)
class OriginPolicy:
    """What is allowed beside the address that a request came in by; use `origin_policy`."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    def refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        place = place_of(headers.get("host", ""))
        if place is None or not self._is_ours(place, scope):
            return Refusal(421, "foreign_host", f"the `Host` of this request is not served here; {_ALLOWED_HOSTS}")
        origins = headers.getlist("origin")
        if len(origins) > 1 or (origins and not self._may_call(origins[0], place)):
            return Refusal(403, "foreign_origin", f"pages of this `Origin` may not call; {_ALLOWED_ORIGINS}")
        return None

    def _is_ours(self, place: Place, scope: Scope) -> bool:
        if place.host in self.hosts:
            return True
        own: str = (scope.get("server") or ("",))[0]
        return place.host == own.lower() or (is_loopback(own) and place.host in _LOOPBACK_NAMES)

    def _may_call(self, origin: str, place: Place) -> bool:
        if origin.lower() in self.origins:
            return True
        scheme, _, rest = origin.lower().partition("://")
        theirs = place_of(rest)
        if theirs is None or scheme not in _DEFAULT_PORTS or theirs.host != place.host:
            return False
        port = theirs.port or _DEFAULT_PORTS[scheme]
        return port == place.port or (place.port is None and port in _DEFAULT_PORTS.values())


def origin_policy(bound_to: str, hosts: Sequence[str], origins: Sequence[str]) -> OriginPolicy:
    """What the user allows; raises `SettingsError` for what is no host or no origin."""
    named = [place.host for each in hosts if (place := _required_host(each))]
    # A page can send browsers to 0.0.0.0, which is this machine: the address that stands for all is no name of ours.
    own = [bound_to.lower()] if not _is_unspecified(bound_to) else []
    return OriginPolicy(frozenset([*named, *own]), frozenset(map(_required_origin, origins)))


def _required_host(text: str) -> Place:
    if place := place_of(text):
        return place
    raise SettingsError(f"not a host in `server.allowed_hosts`: `{text}`", "write a name such as `tools.example.com`")


def _required_origin(text: str) -> str:
    scheme, _, rest = text.lower().rstrip("/").partition("://")
    if scheme not in _DEFAULT_PORTS or place_of(rest) is None:
        hint = "write it as a browser does: `https://tools.example.com`"
        raise SettingsError(f"not an origin in `server.allowed_origins`: `{text}`", hint)
    return f"{scheme}://{rest}"


def place_of(text: str) -> Place | None:
    """`host`, `host:port` or `[address]:port`; None for anything else."""
    if not text or any(character in text for character in "/?#@\\ \t,"):
        return None
    try:
        parts = urlsplit(f"//{text}")
        return Place(parts.hostname, parts.port) if parts.hostname else None
    except ValueError:
        return None


def _is_unspecified(address: str) -> bool:
    try:
        return ip_address(address).is_unspecified
    except ValueError:
        return False


def is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
