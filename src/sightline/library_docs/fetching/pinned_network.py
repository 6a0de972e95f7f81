"""The network as the HTTP library sees it: a name is looked up once, and only checked addresses are connected to.

It stands below connections, redirects and TLS, so nothing gets around it. Certificate and SNI stay on the name.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address

import anyio
import httpcore2

from sightline.library_docs.fetching.addresses import IPAddress, parse_address, why_not_public
from sightline.library_docs.fetching.network_seams import Dialler, Resolver

MAX_ATTEMPTS = 4
ATTEMPT_TIMEOUT_S = 5.0


class AddressRefused(Exception):
    """A name leads to an address that is not public."""


class PinnedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to public addresses only; or, with pins, to those and nothing else, without any lookup."""

    def __init__(self, resolver: Resolver, dialler: Dialler, pins: tuple[IPAddress, ...] = ()) -> None:
        self._resolver = resolver
        self._dialler = dialler
        self._pins = pins

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A stream to one checked address of the name. Raises AddressRefused if any of its addresses is not public."""
        addresses = self._pins or await self._public_addresses(host, port)
        return await self._first_that_answers(_families_in_turn(addresses)[:MAX_ATTEMPTS], port, timeout)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise AddressRefused("a socket on this machine")

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def _public_addresses(self, host: str, port: int) -> tuple[IPAddress, ...]:
        if port != 443:
            raise AddressRefused(f"port {port}")
        found = await self._resolver.addresses_of(host, port)
        return tuple(_public(text, host) for text in dict.fromkeys(found))

    async def _first_that_answers(
        self, addresses: list[IPAddress], port: int, timeout: float | None
    ) -> httpcore2.AsyncNetworkStream:
        failure: Exception = httpcore2.ConnectError("the name has no address")
        for left, address in zip(range(len(addresses) - 1, -1, -1), addresses, strict=True):
            patience = min(timeout or ATTEMPT_TIMEOUT_S, ATTEMPT_TIMEOUT_S) if left else timeout
            try:
                return await self._dialler.dial(address, port, patience)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


def _public(text: str, host: str) -> IPAddress:
    """The address to connect to; a mapped one as the IPv4 address that it is."""
    address = parse_address(text)
    if address is None:
        raise AddressRefused(f"{host} leads to something that is no plain address")
    if (why := why_not_public(address)) is not None:
        # The address itself stays out of the message: it would tell a stranger's page about the inner network.
        raise AddressRefused(f"{host} leads to an address that is not public: {why}")
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _families_in_turn(addresses: tuple[IPAddress, ...]) -> list[IPAddress]:
    """The same addresses, alternating between the families, so that a broken one costs a single attempt."""
    first = [address for address in addresses if address.version == addresses[0].version]
    second = [address for address in addresses if address.version != addresses[0].version]
    pairs = [pair for both in zip(first, second, strict=False) for pair in both]
    shorter = min(len(first), len(second))
    return pairs + first[shorter:] + second[shorter:]
