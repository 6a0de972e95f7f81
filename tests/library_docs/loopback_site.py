"""A web site on loopback, and a network in which public names lead to it; reached through the production policy.

    async with loopback_site(tmp_path) as site:
        site.page("https://docs.example.com/guide", "# Guide", content_type="text/markdown")
        async with site.fetcher() as fetcher:
            fetched = await fetcher.fetch("https://docs.example.com/guide", AllowedHosts.of(registered=[...]))
        assert [seen.url for seen in site.requests] == ["https://docs.example.com/guide"]

`site.page` answers properly, `site.redirect` redirects, `site.raw` sends any bytes, `site.script` hands the connection
to a function. TLS is real: certificates for any name, by an authority that only `site.fetcher` trusts. Every name
resolves to `PUBLIC_ADDRESS` unless `site.names` says otherwise; `site.dialled` has the addresses that were dialled.
An address without a page answers 404. `hold` in `raw` keeps the connection open after the bytes, until the site ends.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.abc
from anyio.streams.tls import TLSListener

from sightline.library_docs.fetching import Fetcher, FetchLimits
from sightline.library_docs.fetching.addresses import IPAddress
from sightline.library_docs.fetching.network_seams import TcpDialler
from tests.library_docs.loopback_authority import LoopbackAuthority

if TYPE_CHECKING:
    from httpcore2 import AsyncNetworkStream

PUBLIC_ADDRESS = "93.184.216.34"
LOOPBACK = ip_address("127.0.0.1")

Stream = anyio.abc.ByteStream


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request as it arrived."""

    url: str
    headers: dict[str, str]


Script = Callable[[SeenRequest, Stream], Awaitable[None]]


@dataclass(slots=True)
class LoopbackSite:
    """Pages by their full address, what was asked for, and the ends of the network to reach them."""

    tls_port: int
    plain_port: int
    client_context: ssl.SSLContext
    scripts: dict[str, Script] = field(default_factory=dict[str, Script])
    names: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    requests: list[SeenRequest] = field(default_factory=list[SeenRequest])
    looked_up: list[str] = field(default_factory=list[str])
    dialled: list[tuple[IPAddress, int]] = field(default_factory=list[tuple[IPAddress, int]])
    unreachable: set[str] = field(default_factory=set[str])
    connections: int = 0

    def page(
        self,
        url: str,
        body: str | bytes,
        *,
        content_type: str = "text/html; charset=utf-8",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Answer this address with a whole document."""
        data = body.encode() if isinstance(body, str) else body
        lines = {"Content-Type": content_type, "Content-Length": str(len(data))} | dict(headers or {})
        self.raw(url, head(status, lines) + data, close=False)

    def redirect(self, url: str, to: str, *, status: int = 302) -> None:
        """Answer this address with a redirect."""
        self.raw(url, head(status, {"Location": to, "Content-Length": "0"}), close=False)

    def raw(self, url: str, *parts: bytes, close: bool = True, hold: bool = False) -> None:
        """Answer this address with these bytes; then close, hold, or go on to the next request."""

        async def send(_: SeenRequest, stream: Stream) -> None:
            for part in parts:
                await stream.send(part)
            if hold:
                await anyio.sleep_forever()
            if close:
                await stream.aclose()

        self.scripts[url] = send

    def script(self, url: str, script: Script) -> None:
        """Let a function answer this address."""
        self.scripts[url] = script

    def fetcher(self, limits: FetchLimits | None = None, *, clock: Callable[[], float] = lambda: 0.0) -> Fetcher:
        """The production fetcher, whose lookups and connections are answered by this site."""
        return Fetcher(limits, resolver=self, dialler=self, ssl_context=self.client_context, clock=clock)

    async def addresses_of(self, host: str, port: int) -> Sequence[str]:
        self.looked_up.append(host)
        return self.names.get(host, (PUBLIC_ADDRESS,))

    async def dial(self, address: IPAddress, port: int, timeout: float | None) -> AsyncNetworkStream:
        self.dialled.append((address, port))
        if str(address) in self.unreachable:
            import httpcore2

            raise httpcore2.ConnectError("unreachable")
        return await TcpDialler().dial(LOOPBACK, self.tls_port if port == 443 else self.plain_port, timeout)

    async def serve_plain(self, stream: Stream) -> None:
        await self._serve(stream, "http")

    async def serve_secure(self, stream: Stream) -> None:
        await self._serve(stream, "https")

    async def _serve(self, stream: Stream, scheme: str) -> None:
        self.connections += 1
        async with stream:
            received = b""
            while True:
                try:
                    while b"\r\n\r\n" not in received:
                        received += await stream.receive()
                    text, _, received = received.partition(b"\r\n\r\n")
                    request = _parsed(text.decode("latin-1"), scheme)
                    self.requests.append(request)
                    await self.scripts.get(request.url, _answer_404)(request, stream)
                except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, ssl.SSLError):
                    return


def head(status: int, headers: Mapping[str, str] | Sequence[tuple[str, str]]) -> bytes:
    """The head of an HTTP answer."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    lines = [f"HTTP/1.1 {status} Any", *(f"{name}: {value}" for name, value in pairs), "", ""]
    return "\r\n".join(lines).encode("latin-1")


@asynccontextmanager
async def loopback_site(folder: Path, *, wrong_names: Sequence[str] = ()) -> AsyncGenerator[LoopbackSite]:
    """A running site; its certificates are written to the folder. For `wrong_names` it shows another name's."""
    authority = LoopbackAuthority(folder)
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    secure = await anyio.create_tcp_listener(local_host="127.0.0.1")
    ports = [listener.extra(anyio.abc.SocketAttribute.local_port) for listener in (secure, plain)]
    site = LoopbackSite(ports[0], ports[1], authority.client_context())
    tls = TLSListener(secure, authority.server_context(frozenset(wrong_names)), standard_compatible=False)
    async with plain, tls, anyio.create_task_group() as tasks:
        tasks.start_soon(plain.serve, site.serve_plain)
        tasks.start_soon(tls.serve, site.serve_secure)
        yield site
        tasks.cancel_scope.cancel()


def _parsed(text: str, scheme: str) -> SeenRequest:
    first, *rest = text.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    return SeenRequest(f"{scheme}://{headers['host']}{first.split(' ')[1]}", headers)


async def _answer_404(_: SeenRequest, stream: Stream) -> None:
    await stream.send(head(404, {"Content-Length": "0"}))
