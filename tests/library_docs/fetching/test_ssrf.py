"""No address, redirect or answer of a resolver leads a fetch to this machine or an inner network.

The proof is a real listener on every address of this machine. Connections are real; only the port is led to the
listener's, whatever port was meant. Controls show that the listener does see what the policy would let through.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.abc
import pytest

from sightline.library_docs.fetching import (
    AllowedHosts,
    Fetcher,
    FetchError,
    FetchFailed,
    FetchLimits,
    PageNotFound,
    RefusalReason,
    UrlNotAllowed,
)
from sightline.library_docs.fetching.addresses import IPAddress, parse_address
from sightline.library_docs.fetching.network_seams import SystemResolver, TcpDialler
from tests.library_docs.fetching.hostile_addresses import ANSWERS, HOSTS, MISLEADING, MIXED_ANSWERS, PUBLIC, URLS
from tests.library_docs.loopback_site import PUBLIC_ADDRESS, LoopbackSite, loopback_site

if TYPE_CHECKING:
    from httpcore2 import AsyncNetworkStream

GUIDE = "https://docs.example.com/guide"
REGISTERED = ("docs.example.com", "*.example.com", "localhost", "127.0.0.1", "router.local", "metadata.google.internal")
LIMITS = FetchLimits(timeout_s=5)
NO_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loads no certificates, which takes a tenth of a second
HOSTILE_URLS = tuple(f"https://{host}/" for host in HOSTS) + URLS


class Listener:
    """Counts who comes; and a dialler that reaches it at any address of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.accepted = 0
        self.dialled: list[str] = []

    async def accept(self, stream: anyio.abc.SocketStream) -> None:
        self.accepted += 1
        await stream.aclose()

    async def dial(self, address: IPAddress, port: int, timeout: float | None) -> AsyncNetworkStream:
        self.dialled.append(str(address))
        return await TcpDialler().dial(address, self.port, 2)


@asynccontextmanager
async def listening() -> AsyncGenerator[Listener]:
    async with await anyio.create_tcp_listener() as everywhere, anyio.create_task_group() as tasks:
        listener = Listener(everywhere.extra(anyio.abc.SocketAttribute.local_port))
        tasks.start_soon(everywhere.serve, listener.accept)
        yield listener
        tasks.cancel_scope.cancel()


class Answers:
    """A resolver that answers from a list, one answer per question; the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked = 0

    async def addresses_of(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def test_there_are_enough_hostile_cases() -> None:
    assert len(set(HOSTILE_URLS)) >= 150
    assert len({*ANSWERS, *MIXED_ANSWERS}) >= 80


async def test_no_hostile_address_is_fetched_even_if_it_is_registered() -> None:
    all_registered = AllowedHosts.of(registered=REGISTERED)
    async with listening() as listener, Fetcher(LIMITS, dialler=listener) as fetcher:
        for url in HOSTILE_URLS:
            for allowed in (all_registered, AllowedHosts.of(registered=[url])):
                with pytest.raises(UrlNotAllowed):
                    await fetcher.fetch(url, allowed)
                with pytest.raises(UrlNotAllowed):
                    await fetcher.fetch_bytes(url, allowed)
        assert (listener.accepted, listener.dialled) == (0, [])


async def test_no_redirect_reaches_a_hostile_address(tmp_path: Path) -> None:
    async with listening() as listener, loopback_site(tmp_path) as site:
        network = SiteAndMachine(site, listener)
        async with Fetcher(LIMITS, resolver=network, dialler=network, ssl_context=site.client_context) as fetcher:
            followed = 0
            for url in HOSTILE_URLS:
                location = url.encode("utf-8", "replace")
                if not url or any(byte < 32 for byte in location) or len(location) > 4000:
                    continue
                site.raw(
                    GUIDE, b"HTTP/1.1 302 Any\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n", close=False
                )
                with pytest.raises(FetchError):
                    await fetcher.fetch(GUIDE, AllowedHosts.of(registered=[*REGISTERED, url]))
                followed += 1
            assert followed >= 150
            assert (listener.accepted, listener.dialled) == (0, [])
            assert all(seen.url.startswith("https://docs.example.com/") for seen in site.requests)


async def test_addresses_that_only_look_hostile_lead_to_their_real_host(tmp_path: Path) -> None:
    async with listening() as listener, loopback_site(tmp_path) as site:
        network = SiteAndMachine(site, listener)
        async with Fetcher(LIMITS, resolver=network, dialler=network, ssl_context=site.client_context) as fetcher:
            for url in MISLEADING:
                with pytest.raises(PageNotFound):
                    await fetcher.fetch(url, AllowedHosts.of(registered=["docs.example.com"]))
        assert len(site.requests) == len(MISLEADING)
        assert listener.dialled == []


@pytest.mark.parametrize("answer", [*ANSWERS, *MIXED_ANSWERS], ids=lambda answer: ",".join(answer)[:60])
async def test_a_name_that_leads_inward_is_not_connected_to(answer: tuple[str, ...]) -> None:
    async with listening() as listener:
        async with Fetcher(LIMITS, resolver=Answers(answer), dialler=listener, ssl_context=NO_TRUST) as fetcher:
            with pytest.raises(UrlNotAllowed) as caught:
                await fetcher.fetch(GUIDE, AllowedHosts.of(registered=["docs.example.com"]))
        assert caught.value.refusal.reason == RefusalReason.ADDRESS_NOT_PUBLIC
        assert (listener.accepted, listener.dialled) == (0, [])


async def test_a_resolver_that_changes_its_mind_is_asked_once_per_connection(tmp_path: Path) -> None:
    resolver = Answers((PUBLIC_ADDRESS,), ("127.0.0.1",))
    allowed = AllowedHosts.of(registered=["docs.example.com"])
    async with listening() as listener, loopback_site(tmp_path) as site:
        network = SiteAndMachine(site, listener)
        async with Fetcher(LIMITS, resolver=resolver, dialler=network, ssl_context=site.client_context) as fetcher:
            site.page(GUIDE, "x", headers={"Connection": "close"})
            assert (await fetcher.fetch(GUIDE, allowed)).text == "x"
            assert resolver.asked == 1
            with pytest.raises(UrlNotAllowed):
                await fetcher.fetch(GUIDE, allowed)
            assert (resolver.asked, listener.accepted, listener.dialled) == (2, 0, [])


async def test_a_connection_that_fails_is_not_tried_with_a_second_answer(tmp_path: Path) -> None:
    resolver = Answers(PUBLIC, ("127.0.0.1",))
    async with listening() as listener, loopback_site(tmp_path) as site:
        site.unreachable = set(PUBLIC)
        network = SiteAndMachine(site, listener)
        async with Fetcher(LIMITS, resolver=resolver, dialler=network, ssl_context=site.client_context) as fetcher:
            with pytest.raises(FetchFailed, match="cannot_connect"):
                await fetcher.fetch(GUIDE, AllowedHosts.of(registered=["docs.example.com"]))
        assert (resolver.asked, listener.accepted, listener.dialled) == (1, 0, [])
        assert sorted(str(address) for address, _ in site.dialled) == sorted(PUBLIC)


async def test_a_redirect_to_a_name_that_leads_inward_is_refused(tmp_path: Path) -> None:
    async with listening() as listener, loopback_site(tmp_path) as site:
        site.names["inner.example.com"] = ["127.0.0.1"]
        site.redirect(GUIDE, "https://inner.example.com/")
        network = SiteAndMachine(site, listener)
        async with Fetcher(LIMITS, resolver=site, dialler=network, ssl_context=site.client_context) as fetcher:
            with pytest.raises(UrlNotAllowed) as caught:
                await fetcher.fetch(GUIDE, AllowedHosts.of(registered=["docs.example.com", "inner.example.com"]))
        assert caught.value.refusal.reason == RefusalReason.ADDRESS_NOT_PUBLIC
        assert "127.0.0.1" not in caught.value.message
        assert (listener.accepted, listener.dialled) == (0, [])


async def test_the_network_itself_refuses_other_ports_and_local_sockets() -> None:
    from sightline.library_docs.fetching.pinned_network import AddressRefused, PinnedNetwork

    async with listening() as listener:
        network = PinnedNetwork(Answers((PUBLIC_ADDRESS,)), listener)
        for port in (22, 80, 6379, 8443):
            with pytest.raises(AddressRefused):
                await network.connect_tcp("docs.example.com", port)
        with pytest.raises(AddressRefused):
            await network.connect_unix_socket("/run/docker.sock")
        assert (listener.accepted, listener.dialled) == (0, [])


async def test_control_the_listener_sees_a_private_host_that_its_user_listed() -> None:
    for address in ("127.0.0.1", "127.8.9.10"):
        async with listening() as listener, Fetcher(LIMITS, dialler=listener) as fetcher:
            with pytest.raises(FetchFailed):
                await fetcher.fetch("http://wiki.corp/", AllowedHosts.of(private_hosts={"wiki.corp": [address]}))
            assert (listener.accepted, listener.dialled) == (1, [address])


async def test_control_hostile_spellings_reach_the_listener_where_nobody_checks() -> None:
    reached: list[str] = []
    async with listening() as listener:
        for host in HOSTS:
            for address in await _looked_up_unchecked(host):
                before = listener.accepted
                with suppress(OSError):
                    async with await anyio.connect_tcp(str(address), listener.port):
                        pass
                    with anyio.fail_after(5):
                        while listener.accepted == before:
                            await anyio.lowlevel.checkpoint()
                    reached.append(host)
    assert {"127.1", "0x7f.1", "2130706433", "0177.0.0.1", "0", "localhost"} <= set(reached)


class SiteAndMachine:
    """A network where one public address is a site, and every other address is what it is."""

    def __init__(self, site: LoopbackSite, listener: Listener) -> None:
        self._site = site
        self._listener = listener
        self._system = SystemResolver()

    async def addresses_of(self, host: str, port: int) -> Sequence[str]:
        if host.endswith("example.com"):
            return await self._site.addresses_of(host, port)
        return await self._system.addresses_of(host, port)

    async def dial(self, address: IPAddress, port: int, timeout: float | None) -> AsyncNetworkStream:
        return await (self._site if str(address) in PUBLIC else self._listener).dial(address, port, timeout)


async def _looked_up_unchecked(host: str) -> list[IPAddress]:
    """What the operating system makes of a host that looks like this machine."""
    if not host.isascii() or not (host[:1].isdigit() or host.startswith("localhost")) or not host.isprintable():
        return []
    try:
        found = socket.getaddrinfo(
            host, 1, type=socket.SOCK_STREAM, flags=0 if host == "localhost" else socket.AI_NUMERICHOST
        )
    except (OSError, UnicodeError):
        return []
    addresses = [parse_address(str(entry[4][0])) for entry in found]
    return [address for address in addresses if address is not None and (address.is_loopback or address.is_unspecified)]
