"""The two things that the fetcher asks of a network: what a name leads to, and a connection to an address.

Both can be replaced, so that tests drive the real policy over a site of their own.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

import anyio
import anyio.to_thread

from sightline.library_docs.fetching.addresses import IPAddress

if TYPE_CHECKING:
    from httpcore2 import AsyncNetworkBackend, AsyncNetworkStream

LOOKUP_TIMEOUT_S = 10.0
MAX_LOOKUPS = 8


class UnknownHost(Exception):
    """The name leads nowhere."""


class LookupFailed(Exception):
    """The name could not be looked up now."""


class Resolver(Protocol):
    """From a name to all its addresses."""

    async def addresses_of(self, host: str, port: int) -> Sequence[str]:
        """All addresses as text. Raises UnknownHost or LookupFailed."""
        ...


class Dialler(Protocol):
    """From a checked address to a stream of bytes."""

    async def dial(self, address: IPAddress, port: int, timeout: float | None) -> AsyncNetworkStream:
        """A connected stream. Raises httpcore2's ConnectError or ConnectTimeout."""
        ...


class SystemResolver:
    """The operating system's resolver, in a thread, with a deadline of its own."""

    def __init__(self, timeout_s: float = LOOKUP_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._slots = anyio.CapacityLimiter(MAX_LOOKUPS)

    async def addresses_of(self, host: str, port: int) -> Sequence[str]:
        try:
            with anyio.fail_after(self._timeout_s):
                return await anyio.to_thread.run_sync(_look_up, host, port, abandon_on_cancel=True, limiter=self._slots)
        except TimeoutError as error:
            raise LookupFailed(f"no answer within {self._timeout_s:g} s") from error


class TcpDialler:
    """A plain TCP connection to exactly the address given."""

    async def dial(self, address: IPAddress, port: int, timeout: float | None) -> AsyncNetworkStream:
        import httpcore2

        backend = cast("AsyncNetworkBackend", httpcore2.AnyIOBackend())
        return await backend.connect_tcp(str(address), port, timeout=timeout)


def _look_up(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)):
            raise UnknownHost(host) from error
        raise LookupFailed(error.strerror or "lookup failed") from error
    except (OSError, UnicodeError) as error:
        raise LookupFailed(str(error)) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
