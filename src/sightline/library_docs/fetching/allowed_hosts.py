"""Which places on the web may be read, and why: the registry, the settings, or the user's own private hosts.

A place is an exact host. On a host that many publishers share it is one publisher's part of the path. Subdomains
are admitted only by an explicit `*.`, and never across publishers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from sightline.errors import SettingsError
from sightline.library_docs.fetching.addresses import IPAddress, parse_address
from sightline.library_docs.fetching.failures import Refusal, RefusalReason
from sightline.library_docs.fetching.shared_hosts import (
    CASELESS,
    DOMAINS_OF_STRANGERS,
    SEGMENTS_OF_A_PLACE,
    SPECIAL_TOP_LABELS,
    TWINS,
)
from sightline.library_docs.fetching.web_addresses import WebAddress, parse_host, parse_web_address

Tier = Literal["registered", "allowed", "private"]

_SLIPPERY = re.compile(r"%(?:2f|5c|25|00)|/\.{1,2};", re.I)


@dataclass(frozen=True, slots=True)
class Permission:
    """An address that may be fetched; with `pins`, from exactly these network addresses."""

    address: WebAddress
    tier: Tier
    pins: tuple[IPAddress, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A host, the part of its paths that is meant, and whether its subdomains are too."""

    host: str
    prefix: str = "/"
    subdomains: bool = False

    @classmethod
    def parse(cls, text: str) -> Place | Refusal:
        """A place from `host`, `host/path`, `*.domain`, or the address of one of its pages."""
        if text.startswith("*."):
            return _parse_domain(text[2:])
        is_page = "://" in text
        address = parse_web_address(text if is_page else f"https://{text}")
        if isinstance(address, Refusal):
            return address
        if address.port not in (443, 80) or not _is_public_name(address.host):
            return Refusal(RefusalReason.BAD_HOST, f"not a public host with the usual port: {text}")
        if _SLIPPERY.search(address.path):
            return Refusal(RefusalReason.PATH_NOT_ALLOWED, f"encoded separators in the path: {text}")
        segments = [segment for segment in address.path.split("/") if segment]
        wanted = SEGMENTS_OF_A_PLACE.get(address.host, 0)
        if len(segments) < wanted:
            return Refusal(RefusalReason.HOST_NOT_ALLOWED, f"shared host, needs {wanted} path segments: {text}")
        kept = segments[:wanted] if is_page else segments
        return cls(address.host, "/" + "/".join(kept))

    def holds(self, path: str) -> bool:
        """Whether a path is in this place; `/a/b` holds `/a/b` and `/a/b/c`, not `/a/bc`."""
        if self.prefix == "/":
            return True
        prefix, path = (self.prefix.lower(), path.lower()) if self.host in CASELESS else (self.prefix, path)
        return not _SLIPPERY.search(path) and (path == prefix or path.startswith(f"{prefix}/"))


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """All places that may be read; never changes, a new list replaces it."""

    _places: Mapping[str, tuple[tuple[Place, Tier], ...]] = field(
        default_factory=dict[str, "tuple[tuple[Place, Tier], ...]"]
    )
    _private: Mapping[tuple[str, int | None], tuple[IPAddress, ...]] = field(
        default_factory=dict["tuple[str, int | None]", "tuple[IPAddress, ...]"]
    )

    @classmethod
    def of(
        cls,
        *,
        registered: Iterable[str] = (),
        allowed_hosts: Iterable[str] = (),
        private_hosts: Mapping[str, Iterable[str]] | None = None,
    ) -> AllowedHosts:
        """The list from the registry's places and the settings of the same names.

        A registered place that is no proper place admits nothing. Raises SettingsError for a setting that is none.
        """
        places: dict[str, tuple[tuple[Place, Tier], ...]] = {}
        for place in _registered_places(registered):
            places[place.host] = (*places.get(place.host, ()), (place, "registered"))
        for text in allowed_hosts:
            place = _allowed_place(text)
            places[place.host] = (*places.get(place.host, ()), (place, "allowed"))
        private = dict(_private_host(key, addresses) for key, addresses in (private_hosts or {}).items())
        return cls(places, private)

    def permit(self, url: str) -> Permission | Refusal:
        """Whether this address may be fetched, and on whose word."""
        address = parse_web_address(url)
        if isinstance(address, Refusal):
            return address
        if (pins := self._pins(address)) is not None:
            return Permission(address, "private", pins)
        if (refusal := _refused_in_public(address)) is not None:
            return refusal
        of_host = list(self._around(address.host))
        if not of_host:
            return Refusal(RefusalReason.HOST_NOT_ALLOWED, f"host not on the list: {address.host}")
        tiers = {tier for place, tier in of_host if place.holds(address.path)}
        if not tiers:
            return Refusal(RefusalReason.PATH_NOT_ALLOWED, f"this part of {address.host} is not on the list")
        return Permission(address, "registered" if "registered" in tiers else "allowed")

    def _pins(self, address: WebAddress) -> tuple[IPAddress, ...] | None:
        pins = self._private.get((address.host, address.port))
        return self._private.get((address.host, None)) if pins is None and address.has_default_port else pins

    def _around(self, host: str) -> Iterator[tuple[Place, Tier]]:
        """The places of this host, and of the domains above it that include their subdomains."""
        yield from self._places.get(host, ())
        while "." in host:
            host = host.partition(".")[2]
            yield from (pair for pair in self._places.get(host, ()) if pair[0].subdomains)


def _refused_in_public(address: WebAddress) -> Refusal | None:
    if address.scheme != "https":
        return Refusal(RefusalReason.BAD_SCHEME, "only https, but for private hosts of the settings")
    if not address.has_default_port:
        return Refusal(RefusalReason.BAD_PORT, f"port {address.port}; only 443, but for private hosts of the settings")
    if not _is_public_name(address.host):
        return Refusal(RefusalReason.SPECIAL_NAME, f"a local or reserved name: {address.host}")
    return None


def _is_public_name(host: str) -> bool:
    return "." in host and host.rpartition(".")[2] not in SPECIAL_TOP_LABELS


@lru_cache(maxsize=1000)
def _has_one_owner(domain: str) -> bool:
    """Whether someone registered this domain or one above it; private suffixes such as github.io count as public."""
    from publicsuffixlist import PublicSuffixList

    # The list takes a tenth of a second to load and a megabyte to keep; domains are asked for rarely.
    return PublicSuffixList().privatesuffix(domain) is not None


def _parse_domain(text: str) -> Place | Refusal:
    domain = parse_host(text)
    if isinstance(domain, Refusal):
        return domain
    if not _is_public_name(domain) or not _has_one_owner(domain) or domain in DOMAINS_OF_STRANGERS:
        return Refusal(RefusalReason.HOST_NOT_ALLOWED, f"the subdomains of {domain} belong to many: name one")
    return Place(domain, subdomains=True)


def _registered_places(texts: Iterable[str]) -> Iterator[Place]:
    for text in dict.fromkeys(texts):
        place = Place.parse(text)
        if isinstance(place, Refusal):
            continue
        yield place
        if place.host in TWINS:
            yield Place(TWINS[place.host], place.prefix)


def _allowed_place(text: str) -> Place:
    place = Place.parse(text)
    if isinstance(place, Refusal):
        message = f"`docs.allowed_hosts`: {text!r} is no place to allow: {place.detail}"
        raise SettingsError(message, "name a host, `*.` and a domain, or on a shared host the host and a path")
    return place


def _private_host(key: str, texts: Iterable[str]) -> tuple[tuple[str, int | None], tuple[IPAddress, ...]]:
    name, colon, digits = key.partition(":")
    host = parse_host(name)
    if isinstance(host, Refusal) or (colon and not (re.fullmatch(r"[1-9]\d{0,4}", digits) and int(digits) < 65536)):
        raise SettingsError(f"`docs.private_hosts`: {key!r} is no host", "write a host name, or `host:port`")
    pins: list[IPAddress] = []
    for text in texts:
        address = parse_address(text)
        if address is None or address.is_multicast or address.is_unspecified:
            raise SettingsError(f"`docs.private_hosts`: {text!r} is no address of {key}", "list its IP addresses")
        pins.append(address)
    if not pins:
        raise SettingsError(f"`docs.private_hosts`: {key} has no address", "list its IP addresses")
    return (host, int(digits) if colon else None), tuple(pins)
