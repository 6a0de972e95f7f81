"""Whatever a site does wrong, a fetch ends in time, in bounds, and with a failure that says what it was."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import anyio
import pytest

from sightline.library_docs.fetching import (
    AllowedHosts,
    FailureReason,
    FetchFailed,
    FetchLimits,
    PageNotFound,
    RefusalReason,
    UrlNotAllowed,
)
from sightline.library_docs.fetching.network_seams import LookupFailed, SystemResolver, UnknownHost
from tests.library_docs.loopback_site import LoopbackSite, SeenRequest, Stream, head, loopback_site

GUIDE = "https://docs.example.com/guide"
ALLOWED = AllowedHosts.of(registered=["docs.example.com"])
SMALL = FetchLimits(max_bytes=10_000)
HTML = {"Content-Type": "text/html"}


async def failure_of(site: LoopbackSite, limits: FetchLimits | None = None) -> FetchFailed:
    async with site.fetcher(limits) as fetcher:
        with pytest.raises(FetchFailed) as caught:
            await fetcher.fetch(GUIDE, ALLOWED)
    return caught.value


@pytest.mark.parametrize(("status", "gone"), [(404, False), (410, True)])
async def test_a_missing_page_is_told_from_one_that_is_gone(tmp_path: Path, status: int, gone: bool) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "no", status=status)
        with pytest.raises(PageNotFound) as caught:
            await fetcher.fetch(GUIDE, ALLOWED)
        assert (caught.value.gone, caught.value.url) == (gone, GUIDE)


@pytest.mark.parametrize(
    ("status", "reason", "transient"),
    [
        (401, FailureReason.DENIED, False),
        (403, FailureReason.DENIED, False),
        (408, FailureReason.SERVER_ERROR, True),
        (429, FailureReason.RATE_LIMITED, True),
        (500, FailureReason.SERVER_ERROR, True),
        (503, FailureReason.SERVER_ERROR, True),
        (204, FailureReason.UNEXPECTED_STATUS, False),
        (206, FailureReason.UNEXPECTED_STATUS, False),
        (300, FailureReason.UNEXPECTED_STATUS, False),
        (418, FailureReason.UNEXPECTED_STATUS, False),
    ],
)
async def test_a_status_says_what_failed_and_whether_to_ask_again(
    tmp_path: Path, status: int, reason: FailureReason, transient: bool
) -> None:
    async with loopback_site(tmp_path) as site:
        site.raw(GUIDE, head(status, {"Content-Length": "0"}))
        failure = await failure_of(site)
        assert (failure.reason, failure.transient, failure.status) == (reason, transient, status)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "120"}, 120.0),
        ({"Retry-After": "999999999"}, 86400.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:01:40 GMT"}, 100.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:27:00 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({}, None),
    ],
)
async def test_the_sites_wish_when_to_ask_again_is_passed_on(
    tmp_path: Path, headers: dict[str, str], wait: float | None
) -> None:
    async with loopback_site(tmp_path) as site:
        site.raw(GUIDE, head(503, headers | {"Content-Length": "0"}))
        assert (await failure_of(site)).retry_after_s == wait


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (head(200, HTML),),
        (head(200, HTML | {"Content-Length": "100"}), b"some"),
        (head(200, HTML | {"Transfer-Encoding": "chunked"}), b"4\r\n"),
    ],
    ids=["no head", "head only", "some of the body", "some of a chunk"],
)
async def test_a_site_that_stalls_is_given_up_at_the_deadline(tmp_path: Path, parts: tuple[bytes, ...]) -> None:
    async with loopback_site(tmp_path) as site:
        site.raw(GUIDE, *parts, hold=True)
        failure = await failure_of(site, FetchLimits(timeout_s=0.4))
        assert (failure.reason, failure.transient) == (FailureReason.TIMED_OUT, True)


async def test_the_deadline_is_one_for_all_hops(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        site.redirect(GUIDE, "/stalls")
        site.raw("https://docs.example.com/stalls", hold=True)
        assert (await failure_of(site, FetchLimits(timeout_s=0.4))).reason == FailureReason.TIMED_OUT
        assert len(site.requests) == 2


async def test_a_site_that_drips_for_ever_is_given_up(tmp_path: Path) -> None:
    async def drip(_: SeenRequest, stream: Stream) -> None:
        await stream.send(head(200, HTML | {"Transfer-Encoding": "chunked"}))
        while True:
            await stream.send(b"1\r\nx\r\n")
            await anyio.sleep(0.02)

    async with loopback_site(tmp_path) as site:
        site.script(GUIDE, drip)
        assert (await failure_of(site, FetchLimits(timeout_s=0.4))).reason == FailureReason.TIMED_OUT


async def test_endless_interim_answers_are_given_up(tmp_path: Path) -> None:
    async def flood(_: SeenRequest, stream: Stream) -> None:
        while True:
            await stream.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 10)
            await anyio.sleep(0.01)

    async with loopback_site(tmp_path) as site:
        site.script(GUIDE, flood)
        assert (await failure_of(site, FetchLimits(timeout_s=0.4))).reason == FailureReason.TIMED_OUT


@pytest.mark.parametrize(
    "parts",
    [
        (b"",),
        (b"not http at all\r\n\r\n",),
        (b"HTTP/1.1 200\x00 OK\r\n\r\n",),
        (b"HTTP/9.9 999 What\r\n\r\n",),
        (head(200, HTML | {"Content-Length": "100"}) + b"cut",),
        (head(200, HTML | {"Transfer-Encoding": "chunked"}) + b"zz\r\ngarbage\r\n",),
        (head(200, HTML | {"Transfer-Encoding": "chunked"}) + b"5\r\nhello\r\n",),
        (head(200, HTML | {"Content-Length": "-1"}),),
        (head(200, [("Content-Length", "1"), ("Content-Length", "2")]) + b"ab",),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 40_000,),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",),
    ],
    ids=[
        "nothing",
        "no http",
        "nul",
        "version",
        "cut",
        "chunks",
        "cut chunks",
        "length",
        "lengths",
        "endless",
        "long",
        "101",
    ],
)
async def test_garbage_is_a_failure(tmp_path: Path, parts: tuple[bytes, ...]) -> None:
    async with loopback_site(tmp_path) as site:
        site.raw(GUIDE, *parts)
        failure = await failure_of(site, FetchLimits(timeout_s=5))
        assert failure.reason in (FailureReason.BROKEN_ANSWER, FailureReason.UNEXPECTED_STATUS)


@pytest.mark.parametrize(
    "headers",
    [[(f"X-{n}", "y") for n in range(300)], [(f"X-{n}", "y" * 7000) for n in range(10)]],
    ids=["many", "long"],
)
async def test_a_flood_of_headers_is_a_failure(tmp_path: Path, headers: list[tuple[str, str]]) -> None:
    async with loopback_site(tmp_path) as site:
        site.raw(GUIDE, head(200, [*headers, ("Content-Length", "1")]) + b"x")
        assert (await failure_of(site)).reason == FailureReason.TOO_MANY_HEADERS


async def test_a_page_of_just_the_cap_passes_and_one_more_byte_does_not(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher(SMALL) as fetcher:
        for packed in (False, True):
            headers = {"Content-Encoding": "gzip"} if packed else {}
            for size, passes in ((10_000, True), (10_001, False)):
                body = b"x" * size
                site.page(GUIDE, gzip.compress(body) if packed else body, headers=headers)
                if passes:
                    assert len((await fetcher.fetch(GUIDE, ALLOWED)).text) == size
                else:
                    with pytest.raises(FetchFailed, match="too_large"):
                        await fetcher.fetch(GUIDE, ALLOWED)


async def test_a_page_without_a_length_is_cut_off_at_the_cap(tmp_path: Path) -> None:
    sent = 0

    async def endless(_: SeenRequest, stream: Stream) -> None:
        nonlocal sent
        await stream.send(head(200, HTML | {"Transfer-Encoding": "chunked"}))
        while sent < 50_000_000:
            await stream.send(b"400\r\n" + b"x" * 0x400 + b"\r\n")
            sent += 0x400

    async with loopback_site(tmp_path) as site:
        site.script(GUIDE, endless)
        assert (await failure_of(site, SMALL)).reason == FailureReason.TOO_LARGE
        assert sent < 50_000_000


async def test_a_page_that_announces_too_much_is_not_waited_for(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        site.raw(GUIDE, head(200, HTML | {"Content-Length": "50000000"}), hold=True)
        assert (await failure_of(site, SMALL)).reason == FailureReason.TOO_LARGE


async def test_what_is_sent_is_capped_even_if_it_unpacks_to_nothing(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        chunk = gzip.compress(b"") * 100
        packed = b"%x\r\n%b\r\n" % (len(chunk), chunk)
        site.raw(GUIDE, head(200, HTML | {"Content-Encoding": "gzip", "Transfer-Encoding": "chunked"}), packed * 10)
        assert (await failure_of(site, SMALL)).reason == FailureReason.TOO_LARGE


def bomb(encoding: str) -> bytes:
    """A hundred megabytes of zeros, small when packed."""
    bits = {"gzip": 31, "deflate": 15, "raw": -15}[encoding]
    packer = zlib.compressobj(9, wbits=bits)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(100)) + packer.flush()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw"])
async def test_a_bomb_is_not_unpacked_beyond_the_cap(tmp_path: Path, encoding: str) -> None:
    import tracemalloc

    body = bomb(encoding)
    async with loopback_site(tmp_path) as site:
        site.page(GUIDE, body, headers={"Content-Encoding": "deflate" if encoding == "raw" else encoding})
        tracemalloc.start()
        failure = await failure_of(site, FetchLimits(max_bytes=1_000_000))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert failure.reason == FailureReason.TOO_LARGE
        assert peak < 20_000_000


@pytest.mark.parametrize(
    ("encoding", "body", "transient"),
    [
        ("br", b"x", False),
        ("zstd", b"x", False),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x")), False),
        ("gzip", b"not packed", False),
        ("deflate", b"\xff\xff not packed", False),
        ("gzip", gzip.compress(b"some text")[:-4], True),
        ("gzip", gzip.compress(b"some text") + b"trailing garbage", False),
    ],
    ids=["br", "zstd", "twice", "not_packed", "not_deflated", "cut", "more_behind"],
)
async def test_what_cannot_be_unpacked_is_a_failure(
    tmp_path: Path, encoding: str, body: bytes, transient: bool
) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(GUIDE, body, headers={"Content-Encoding": encoding})
        failure = await failure_of(site)
        assert (failure.reason, failure.transient) == (FailureReason.BAD_ENCODING, transient)


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("image/png", b"\x89PNG", FailureReason.WRONG_CONTENT_TYPE),
        ("application/pdf", b"%PDF-", FailureReason.WRONG_CONTENT_TYPE),
        ("text/event-stream", b"data: x", FailureReason.WRONG_CONTENT_TYPE),
        ("application/octet-stream", b"text", FailureReason.WRONG_CONTENT_TYPE),
        ("text/html", b"%PDF-1.7 text", FailureReason.NOT_TEXT),
        ("text/plain", b"a\0b", FailureReason.NOT_TEXT),
        ("", b"\x89PNG\0", FailureReason.NOT_TEXT),
    ],
)
async def test_what_is_no_text_is_a_failure(
    tmp_path: Path, content_type: str, body: bytes, reason: FailureReason
) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(GUIDE, body, content_type=content_type)
        assert (await failure_of(site)).reason == reason


async def test_a_certificate_for_another_name_is_a_failure(tmp_path: Path) -> None:
    async with loopback_site(tmp_path, wrong_names=["docs.example.com"]) as site:
        site.page(GUIDE, "x")
        assert (await failure_of(site)).reason == FailureReason.CANNOT_CONNECT
        assert site.requests == []


async def test_a_site_that_nobody_reaches_is_a_failure(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        site.names["docs.example.com"] = ["1.1.1.1", "1.0.0.1"]
        site.unreachable = {"1.1.1.1", "1.0.0.1"}
        failure = await failure_of(site)
        assert (failure.reason, failure.transient, len(site.dialled)) == (FailureReason.CANNOT_CONNECT, True, 2)
        site.names["docs.example.com"] = []
        assert (await failure_of(site)).reason == FailureReason.CANNOT_CONNECT


@pytest.mark.parametrize(
    ("error", "reason", "transient"),
    [
        (UnknownHost("x"), FailureReason.UNKNOWN_HOST, False),
        (LookupFailed("x"), FailureReason.LOOKUP_FAILED, True),
    ],
)
async def test_a_lookup_that_fails_is_a_failure(
    tmp_path: Path, error: Exception, reason: FailureReason, transient: bool
) -> None:
    class NoNames(LoopbackSite):
        async def addresses_of(self, host: str, port: int) -> list[str]:
            raise error

    async with loopback_site(tmp_path) as site:
        failure = await failure_of(NoNames(site.tls_port, site.plain_port, site.client_context))
        assert (failure.reason, failure.transient) == (reason, transient)


async def test_a_lookup_has_a_deadline_of_its_own() -> None:
    with pytest.raises(LookupFailed):
        await SystemResolver(timeout_s=0).addresses_of("localhost", 443)


async def test_the_systems_resolver_knows_this_machine_and_no_invalid_name() -> None:
    found = await SystemResolver().addresses_of("localhost", 443)
    assert set(found) & {"127.0.0.1", "::1"}
    with pytest.raises((UnknownHost, LookupFailed)):
        await SystemResolver().addresses_of("no-such-name.invalid", 443)
    with pytest.raises((UnknownHost, LookupFailed)):
        await SystemResolver().addresses_of("a" * 300 + ".com", 443)


async def test_a_cancelled_fetch_leaves_the_fetcher_usable(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        arrived = anyio.Event()

        async def stall(_: SeenRequest, stream: Stream) -> None:
            arrived.set()
            await anyio.sleep_forever()

        site.script(GUIDE, stall)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fetcher.fetch, GUIDE, ALLOWED)
            await arrived.wait()
            tasks.cancel_scope.cancel()
        site.page(GUIDE, "x")
        assert (await fetcher.fetch(GUIDE, ALLOWED)).text == "x"


async def test_a_refused_address_is_never_looked_up(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        with pytest.raises(UrlNotAllowed) as caught:
            await fetcher.fetch("https://evil.example.net/", ALLOWED)
        assert caught.value.refusal.reason == RefusalReason.HOST_NOT_ALLOWED
        assert (site.looked_up, site.dialled) == ([], [])
