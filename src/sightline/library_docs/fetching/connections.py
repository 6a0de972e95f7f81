"""Open connections, and the HTTP library's errors made ours; the only module that sends requests.

Connections to private hosts are kept apart from the others by the addresses that they are pinned to, so that none
is ever used on another one's permission. No cookies, no proxies, no environment, no second reader of addresses.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import httpcore2

from sightline.library_docs.fetching.addresses import IPAddress
from sightline.library_docs.fetching.allowed_hosts import Permission
from sightline.library_docs.fetching.failures import FailureReason, FetchFailed, Refusal, RefusalReason, UrlNotAllowed
from sightline.library_docs.fetching.network_seams import Dialler, LookupFailed, Resolver, UnknownHost
from sightline.library_docs.fetching.pinned_network import AddressRefused, PinnedNetwork

MAX_CONNECTIONS = 10
MAX_IDLE = 5
IDLE_S = 30.0
CONNECT_TIMEOUT_S = 10.0


class Connections:
    """One pool for the public web and one per set of pinned addresses."""

    def __init__(self, resolver: Resolver, dialler: Dialler, ssl_context: ssl.SSLContext | None) -> None:
        self._resolver = resolver
        self._dialler = dialler
        self._ssl_context = ssl_context or _own_ssl_context()
        self._pools: dict[tuple[IPAddress, ...], httpcore2.AsyncConnectionPool] = {}

    async def aclose(self) -> None:
        """Close what is open."""
        for pool in self._pools.values():
            await pool.aclose()

    @asynccontextmanager
    async def get(self, permission: Permission, headers: dict[str, str]) -> AsyncGenerator[httpcore2.Response]:
        """The answer to a GET, its body not yet read. Raises UrlNotAllowed or FetchFailed, while reading too."""
        address = permission.address
        url = httpcore2.URL(
            scheme=address.scheme.encode(),
            host=address.host.encode(),
            port=address.port,
            target=address.target.encode(),
        )
        extensions = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
        with _errors_made_ours(str(address)):
            async with self._pool(permission.pins).stream(
                "GET", url, headers=list(headers.items()), extensions=extensions
            ) as answer:
                yield answer

    def _pool(self, pins: tuple[IPAddress, ...]) -> httpcore2.AsyncConnectionPool:
        if pins not in self._pools:
            self._pools[pins] = httpcore2.AsyncConnectionPool(
                ssl_context=self._ssl_context,
                max_connections=MAX_CONNECTIONS,
                max_keepalive_connections=MAX_IDLE,
                keepalive_expiry=IDLE_S,
                network_backend=PinnedNetwork(self._resolver, self._dialler, pins),
            )
        return self._pools[pins]


def _own_ssl_context() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


@contextmanager
def _errors_made_ours(url: str) -> Generator[None]:
    try:
        yield
    except AddressRefused as error:
        raise UrlNotAllowed(url, Refusal(RefusalReason.ADDRESS_NOT_PUBLIC, str(error))) from error
    except UnknownHost as error:
        raise FetchFailed(url, FailureReason.UNKNOWN_HOST, "the name leads nowhere") from error
    except LookupFailed as error:
        raise FetchFailed(url, FailureReason.LOOKUP_FAILED, str(error), transient=True) from error
    except httpcore2.TimeoutException as error:
        raise FetchFailed(url, FailureReason.TIMED_OUT, "no connection in time", transient=True) from error
    except httpcore2.ConnectError as error:
        raise FetchFailed(url, FailureReason.CANNOT_CONNECT, _shortly(error), transient=True) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise FetchFailed(url, FailureReason.BROKEN_ANSWER, _shortly(error), transient=True) from error


def _shortly(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
