"""Fetching a document: hop by hop, each checked in full, all within one deadline and a few limits."""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from sightline import __version__
from sightline.config.schema import DocsSettings
from sightline.library_docs.fetching.allowed_hosts import AllowedHosts, Permission
from sightline.library_docs.fetching.bodies import ACCEPTED_ENCODINGS, BadEncoding, Body, TooLarge
from sightline.library_docs.fetching.charsets import decode
from sightline.library_docs.fetching.failures import FailureReason, FetchFailed, Refusal, RefusalReason, UrlNotAllowed
from sightline.library_docs.fetching.fetched import Doubt, Fetched, FetchedBytes
from sightline.library_docs.fetching.host_slots import HostSlots
from sightline.library_docs.fetching.network_seams import Dialler, Resolver, SystemResolver, TcpDialler
from sightline.library_docs.fetching.responses import Head, is_fit_for_a_header, raise_for_status, redirect_target
from sightline.library_docs.fetching.text_kinds import doubts_about, is_markup, may_be_text, text_type
from sightline.library_docs.fetching.web_addresses import WebAddress, parse_web_address

if TYPE_CHECKING:
    from httpcore2 import Response

    from sightline.library_docs.fetching.connections import Connections

log = logging.getLogger(__name__)

USER_AGENT = f"sightline/{__version__} (documentation reader)"
MARKDOWN_FIRST = "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/xhtml+xml;q=0.8, */*;q=0.1"
AS_A_BROWSER = "text/html, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.1"
ANYTHING = "*/*"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How long, how much, how far, and how many at once."""

    timeout_s: float = 30.0
    max_bytes: int = 5_000_000
    max_redirects: int = 3
    per_host: int = 4

    @classmethod
    def from_settings(cls, settings: DocsSettings) -> FetchLimits:
        return cls(
            timeout_s=settings.timeout_s,
            max_bytes=int(settings.max_page_mb * 1_000_000),
            max_redirects=settings.max_redirects,
        )


@dataclass(frozen=True, slots=True)
class _Wish:
    """What to ask for, and the validators that hold for one address only."""

    accept: str
    text_only: bool
    validators: dict[str, str]
    validated_url: str

    def headers(self, at: WebAddress) -> dict[str, str]:
        wished = {"User-Agent": USER_AGENT, "Accept": self.accept, "Accept-Encoding": ACCEPTED_ENCODINGS}
        return wished | (self.validators if str(at) == self.validated_url else {})


@dataclass(frozen=True, slots=True)
class _Arrived:
    permission: Permission
    head: Head
    body: bytes
    received: int
    redirects: tuple[str, ...]


class Fetcher:
    """Fetches documents over connections that it shares; open it with `async with`."""

    def __init__(
        self,
        limits: FetchLimits | None = None,
        *,
        resolver: Resolver | None = None,
        dialler: Dialler | None = None,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._limits = limits or FetchLimits()
        self._resolver = resolver or SystemResolver()
        self._dialler = dialler or TcpDialler()
        self._ssl_context = ssl_context
        self._clock = clock
        self._slots = HostSlots(self._limits.per_host)
        self._opening = anyio.Lock()
        self._connections: Connections | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._connections is not None:
            connections, self._connections = self._connections, None
            with anyio.CancelScope(shield=True):
                await connections.aclose()

    async def fetch(
        self,
        url: str,
        allowed: AllowedHosts,
        *,
        accept_markdown: bool = True,
        etag: str | None = None,
        last_modified: str | None = None,
        validated_url: str | None = None,
    ) -> Fetched:
        """A text document. Raises UrlNotAllowed, PageNotFound or FetchFailed.

        `etag` and `last_modified` belong to `validated_url`, the `final_url` of the earlier answer, and are sent to no
        other address: after a redirect that leads elsewhere now, "not modified" would speak of another page.
        """
        accept = MARKDOWN_FIRST if accept_markdown else AS_A_BROWSER
        wish = _wish(url, accept, True, etag, last_modified, validated_url)
        return _as_text(url, await self._get(url, allowed, wish))

    async def fetch_bytes(
        self,
        url: str,
        allowed: AllowedHosts,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        validated_url: str | None = None,
    ) -> FetchedBytes:
        """A document of any type as bytes, within the same limits. Raises as `fetch` does."""
        arrived = await self._get(url, allowed, _wish(url, ANYTHING, False, etag, last_modified, validated_url))
        kind, charset = arrived.head.content_type
        return FetchedBytes(
            url=url,
            final_url=str(arrived.permission.address),
            tier=arrived.permission.tier,
            status=arrived.head.status,
            not_modified=arrived.head.status == 304,
            content_type=kind,
            charset=charset,
            body=arrived.body,
            etag=arrived.head.validator("etag"),
            last_modified=arrived.head.validator("last-modified"),
            received_bytes=arrived.received,
            redirects=arrived.redirects,
        )

    async def _get(self, url: str, allowed: AllowedHosts, wish: _Wish) -> _Arrived:
        try:
            with anyio.fail_after(self._limits.timeout_s):
                return await self._follow(url, allowed, wish)
        except TimeoutError as error:
            detail = f"no whole answer within {self._limits.timeout_s:g} s"
            raise FetchFailed(url, FailureReason.TIMED_OUT, detail, transient=True) from error
        except UrlNotAllowed as error:
            log.warning("ssrf_blocked", extra={"reason": str(error.refusal.reason), "detail": error.refusal.detail})
            raise

    async def _follow(self, url: str, allowed: AllowedHosts, wish: _Wish) -> _Arrived:
        permission = _permitted(url, allowed, None)
        passed: list[str] = []
        while True:
            here = str(permission.address)
            answer = await self._hop(permission, wish, tuple(passed))
            if isinstance(answer, _Arrived):
                return answer
            passed.append(here)
            permission = _permitted(answer, allowed, permission)
            if str(permission.address) in passed:
                raise FetchFailed(here, FailureReason.REDIRECT_LOOP, "leads back to where it came from")
            if len(passed) > self._limits.max_redirects:
                detail = f"more than {self._limits.max_redirects}"
                raise FetchFailed(here, FailureReason.TOO_MANY_REDIRECTS, detail)

    async def _hop(self, permission: Permission, wish: _Wish, passed: tuple[str, ...]) -> _Arrived | str:
        """The document, or where a redirect leads."""
        at = permission.address
        headers = wish.headers(at)
        connections = await self._opened()
        async with self._slots.slot(f"{at.host}:{at.port}"), connections.get(permission, headers) as response:
            head = Head.read(str(at), response.status, response.headers)
            if head.is_redirect:
                return redirect_target(at, head)
            if head.status == 304 and headers.keys() & {"If-None-Match", "If-Modified-Since"}:
                return _Arrived(permission, head, b"", 0, passed)
            raise_for_status(str(at), head, self._clock())
            kind = head.content_type[0]
            if wish.text_only and not may_be_text(kind, at.path):
                raise FetchFailed(str(at), FailureReason.WRONG_CONTENT_TYPE, kind[:100] or "none")
            body, received = await _received(str(at), head, response, self._limits.max_bytes)
            return _Arrived(permission, head, body, received, passed)

    async def _opened(self) -> Connections:
        # The HTTP library and the certificates are slow to load, and many sessions never fetch anything.
        async with self._opening:
            if self._connections is None:
                self._connections = await anyio.to_thread.run_sync(self._open)
            return self._connections

    def _open(self) -> Connections:
        from sightline.library_docs.fetching.connections import Connections

        return Connections(self._resolver, self._dialler, self._ssl_context)


def _permitted(url: str, allowed: AllowedHosts, came_from: Permission | None) -> Permission:
    permission = allowed.permit(url)
    if isinstance(permission, Refusal):
        raise UrlNotAllowed(url, permission)
    if came_from is None:
        return permission
    if came_from.address.scheme == "https" and permission.address.scheme != "https":
        raise UrlNotAllowed(url, Refusal(RefusalReason.DOWNGRADE, "a redirect from https to http"))
    if permission.tier == "private" and came_from.tier != "private":
        raise UrlNotAllowed(
            url, Refusal(RefusalReason.INTO_PRIVATE, "a redirect from the public web to a private host")
        )
    return permission


async def _received(url: str, head: Head, response: Response, cap: int) -> tuple[bytes, int]:
    try:
        if (head.declared_length or 0) > cap:
            raise TooLarge(f"{head.declared_length} bytes announced, over {cap}")
        body = Body(head.encoding, cap)
        async for part in response.aiter_stream():
            body.add(part)
        return body.whole(), body.received
    except TooLarge as error:
        raise FetchFailed(url, FailureReason.TOO_LARGE, str(error)) from error
    except BadEncoding as error:
        raise FetchFailed(url, FailureReason.BAD_ENCODING, str(error), transient=error.cut) from error


def _wish(
    url: str, accept: str, text_only: bool, etag: str | None, last_modified: str | None, validated_url: str | None
) -> _Wish:
    validators = {
        name: value
        for name, value in (("If-None-Match", etag), ("If-Modified-Since", last_modified))
        if value is not None and is_fit_for_a_header(value)
    }
    return _Wish(accept, text_only, validators, str(parse_web_address(validated_url or url)))


def _as_text(url: str, arrived: _Arrived) -> Fetched:
    at, head = arrived.permission.address, arrived.head
    sent_type, charset = head.content_type
    kind = text_type(sent_type, at.path, arrived.body, charset) if head.status != 304 else sent_type
    if kind is None:
        raise FetchFailed(str(at), FailureReason.NOT_TEXT, f"sent as {sent_type[:100] or 'nothing'}, but is no text")
    decoded = decode(arrived.body, charset, is_markup=is_markup(kind))
    doubts: set[Doubt] = set()
    if head.status != 304:
        asked = parse_web_address(url)
        doubts = doubts_about(decoded.text, kind, asked if isinstance(asked, WebAddress) else at, at)
        doubts |= {
            doubt for doubt, holds in _doubts_of_reading(decoded.guessed, decoded.lossy, kind != sent_type) if holds
        }
    return Fetched(
        url=url,
        final_url=str(at),
        tier=arrived.permission.tier,
        status=head.status,
        not_modified=head.status == 304,
        content_type=kind,
        charset=decoded.charset,
        text=decoded.text,
        etag=head.validator("etag"),
        last_modified=head.validator("last-modified"),
        received_bytes=arrived.received,
        redirects=arrived.redirects,
        doubts=frozenset(doubts),
    )


def _doubts_of_reading(guessed: bool, lossy: bool, type_guessed: bool) -> tuple[tuple[Doubt, bool], ...]:
    return ("charset_guessed", guessed), ("characters_lost", lossy), ("type_guessed", type_guessed)
