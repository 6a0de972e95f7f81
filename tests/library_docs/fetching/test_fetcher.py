"""A document is fetched whole, from where it may be; redirects are followed with the same care."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zlib
from pathlib import Path

import anyio
import pytest

from sightline import __version__
from sightline.config.schema import DocsSettings
from sightline.library_docs.fetching import (
    AllowedHosts,
    FailureReason,
    Fetcher,
    FetchFailed,
    FetchLimits,
    PageNotFound,
    RefusalReason,
    UrlNotAllowed,
)
from tests.library_docs.loopback_site import PUBLIC_ADDRESS, SeenRequest, Stream, head, loopback_site

GUIDE = "https://docs.example.com/guide"
ALLOWED = AllowedHosts.of(registered=["https://docs.example.com/", "other.example.org"])


async def test_a_page_comes_with_its_type_validators_and_tier(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "# Guide\n", content_type="text/markdown", headers={"ETag": '"a"', "Last-Modified": "then"})
        fetched = await fetcher.fetch(f"{GUIDE}#part", ALLOWED)
        assert (fetched.text, fetched.content_type, fetched.charset) == ("# Guide\n", "text/markdown", "utf-8")
        assert (fetched.etag, fetched.last_modified, fetched.tier) == ('"a"', "then", "registered")
        assert (fetched.final_url, fetched.redirects, fetched.status) == (GUIDE, (), 200)
        assert (fetched.not_modified, fetched.received_bytes, fetched.doubts) == (False, 8, frozenset())
        assert [(str(address), port) for address, port in site.dialled] == [(PUBLIC_ADDRESS, 443)]


async def test_requests_carry_our_name_and_nothing_about_the_user(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "x", headers={"Set-Cookie": "id=1"})
        await fetcher.fetch(GUIDE, ALLOWED)
        await fetcher.fetch(GUIDE, ALLOWED, accept_markdown=False)
        first, second = (seen.headers for seen in site.requests)
        assert set(first) == set(second) == {"host", "user-agent", "accept", "accept-encoding"}
        assert first["user-agent"].startswith(f"sightline/{__version__}")
        assert first["accept"].startswith("text/markdown")
        assert second["accept"].startswith("text/html")


async def test_one_connection_serves_many_requests(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "x")
        for _ in range(3):
            await fetcher.fetch(GUIDE, ALLOWED)
        assert (site.connections, len(site.requests), len(site.looked_up)) == (1, 3, 1)


@pytest.mark.parametrize("proxy", ["HTTPS_PROXY", "ALL_PROXY", "https_proxy"])
async def test_proxies_of_the_environment_are_not_used(
    tmp_path: Path, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(proxy, "http://127.0.0.1:9")
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "x")
        assert (await fetcher.fetch(GUIDE, ALLOWED)).text == "x"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_and_told(tmp_path: Path, status: int) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.redirect(GUIDE, "/moved/./here", status=status)
        site.redirect("https://docs.example.com/moved/here", "https://other.example.org/end#x")
        site.page("https://other.example.org/end", "text")
        fetched = await fetcher.fetch(GUIDE, ALLOWED)
        assert fetched.final_url == "https://other.example.org/end"
        assert fetched.redirects == (GUIDE, "https://docs.example.com/moved/here")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("https://evil.example.net/", RefusalReason.HOST_NOT_ALLOWED),
        ("//evil.example.net/", RefusalReason.HOST_NOT_ALLOWED),
        ("http://docs.example.com/guide", RefusalReason.BAD_SCHEME),
        ("https://docs.example.com:8443/", RefusalReason.BAD_PORT),
        ("https://user@docs.example.com/", RefusalReason.USER_INFO),
        ("https://127.0.0.1/", RefusalReason.IP_LITERAL),
        ("https://[::1]/", RefusalReason.IP_LITERAL),
        ("file:///etc/passwd", RefusalReason.BAD_SCHEME),
        ("javascript:alert(1)", RefusalReason.BAD_SCHEME),
        ("https://localhost/", RefusalReason.SPECIAL_NAME),
    ],
)
async def test_a_redirect_to_a_forbidden_place_is_refused_unasked(
    tmp_path: Path, target: str, reason: RefusalReason
) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.redirect(GUIDE, target)
        with pytest.raises(UrlNotAllowed) as caught:
            await fetcher.fetch(GUIDE, ALLOWED)
        assert caught.value.refusal.reason == reason
        assert len(site.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        head(302, {"Content-Length": "0"}),
        head(302, [("Location", "/a"), ("Location", "/b"), ("Content-Length", "0")]),
        head(302, {"Location": "/a b", "Content-Length": "0"}),
        head(302, {"Location": "/a\\b", "Content-Length": "0"}),
        head(302, {"Location": "/\xff", "Content-Length": "0"}),
        head(302, {"Location": "https://[::1", "Content-Length": "0"}),
    ],
)
async def test_a_redirect_without_one_readable_target_fails(tmp_path: Path, answer: bytes) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.raw(GUIDE, answer)
        with pytest.raises(FetchFailed) as caught:
            await fetcher.fetch(GUIDE, ALLOWED)
        assert (caught.value.reason, caught.value.status) == (FailureReason.BAD_REDIRECT, 302)


async def test_a_redirect_in_utf_8_is_understood(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.raw(GUIDE, b"HTTP/1.1 302 Any\r\nLocation: /\xc3\xa4\r\nContent-Length: 0\r\n\r\n", close=False)
        site.page("https://docs.example.com/%C3%A4", "x")
        assert (await fetcher.fetch(GUIDE, ALLOWED)).final_url == "https://docs.example.com/%C3%A4"


async def test_redirects_in_a_circle_and_too_many_redirects_fail(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher(FetchLimits(max_redirects=2)) as fetcher:
        site.redirect(GUIDE, "/b")
        site.redirect("https://docs.example.com/b", GUIDE)
        with pytest.raises(FetchFailed, match="redirect_loop"):
            await fetcher.fetch(GUIDE, ALLOWED)
        for number in range(5):
            site.redirect(f"https://docs.example.com/{number}", f"/{number + 1}")
        site.page("https://docs.example.com/5", "x")
        with pytest.raises(FetchFailed, match="too_many_redirects"):
            await fetcher.fetch("https://docs.example.com/2", ALLOWED)
        assert (await fetcher.fetch("https://docs.example.com/3", ALLOWED)).redirects[-1].endswith("/4")


async def test_private_hosts_are_reached_at_their_own_addresses_without_a_lookup(tmp_path: Path) -> None:
    allowed = AllowedHosts.of(private_hosts={"wiki.corp": ["10.1.2.3"], "docs.corp:8080": ["fd00::5"]})
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page("http://wiki.corp/a", "plain")
        site.page("https://wiki.corp/a", "secure")
        site.page("http://docs.corp:8080/b", "odd port")
        assert (await fetcher.fetch("http://wiki.corp/a", allowed)).text == "plain"
        assert (await fetcher.fetch("https://wiki.corp/a", allowed)).text == "secure"
        fetched = await fetcher.fetch("http://docs.corp:8080/b", allowed)
        assert (fetched.text, fetched.tier) == ("odd port", "private")
        assert site.looked_up == []
        assert [(str(a), p) for a, p in site.dialled] == [("10.1.2.3", 80), ("10.1.2.3", 443), ("fd00::5", 8080)]


async def test_a_private_connection_is_never_used_for_a_public_permission(tmp_path: Path) -> None:
    private = AllowedHosts.of(private_hosts={"docs.example.com": ["10.1.2.3"]})
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "x")
        await fetcher.fetch(GUIDE, private)
        await fetcher.fetch(GUIDE, ALLOWED)
        assert [str(address) for address, _ in site.dialled] == ["10.1.2.3", PUBLIC_ADDRESS]


async def test_no_redirect_leads_from_the_public_web_to_a_private_host_or_from_https_to_http(tmp_path: Path) -> None:
    allowed = AllowedHosts.of(registered=["docs.example.com"], private_hosts={"wiki.corp": ["10.1.2.3"]})
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.redirect(GUIDE, "https://wiki.corp/a")
        with pytest.raises(UrlNotAllowed) as caught:
            await fetcher.fetch(GUIDE, allowed)
        assert caught.value.refusal.reason == RefusalReason.INTO_PRIVATE
        site.redirect("https://wiki.corp/a", "http://wiki.corp/a")
        with pytest.raises(UrlNotAllowed) as caught:
            await fetcher.fetch("https://wiki.corp/a", allowed)
        assert caught.value.refusal.reason == RefusalReason.DOWNGRADE
        site.redirect("http://wiki.corp/b", GUIDE + "2")
        site.page(GUIDE + "2", "x")
        assert (await fetcher.fetch("http://wiki.corp/b", allowed)).tier == "registered"


async def test_what_is_unchanged_is_not_sent_again(tmp_path: Path) -> None:
    async def answer(request: SeenRequest, stream: Stream) -> None:
        same = request.headers.get("if-none-match") == '"a"' and request.headers.get("if-modified-since") == "then"
        await stream.send(head(304, {"ETag": '"b"'}) if same else head(200, {"Content-Length": "0"}))

    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.script(GUIDE, answer)
        fetched = await fetcher.fetch(GUIDE, ALLOWED, etag='"a"', last_modified="then")
        assert (fetched.not_modified, fetched.text, fetched.etag, fetched.doubts) == (True, "", '"b"', frozenset())
        raw = await fetcher.fetch_bytes(GUIDE, ALLOWED, etag='"a"', last_modified="then")
        assert (raw.not_modified, raw.body) == (True, b"")
        assert not (await fetcher.fetch(GUIDE, ALLOWED)).not_modified


async def test_validators_go_only_to_the_address_that_they_belong_to(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        new, old = "https://docs.example.com/3", "https://docs.example.com/2"
        site.redirect(GUIDE, new)
        site.page(new, "new")
        fetched = await fetcher.fetch(GUIDE, ALLOWED, last_modified="then", validated_url=old)
        assert fetched.text == "new"
        assert all("if-modified-since" not in seen.headers for seen in site.requests)
        await fetcher.fetch(GUIDE, ALLOWED, last_modified="then", validated_url=new)
        assert ["if-modified-since" in seen.headers for seen in site.requests[2:]] == [False, True]


async def test_a_validator_that_would_break_the_request_is_left_out(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "x")
        await fetcher.fetch(GUIDE, ALLOWED, etag='"a"\r\nX-Evil: 1')
        assert not site.requests[0].headers.keys() & {"if-none-match", "x-evil"}


async def test_304_without_being_asked_is_a_failure(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.raw(GUIDE, head(304, {}))
        with pytest.raises(FetchFailed, match="status 304"):
            await fetcher.fetch(GUIDE, ALLOWED)


async def test_compressed_pages_are_unpacked(tmp_path: Path) -> None:
    text = "some text " * 1000
    raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = {
        "gzip": gzip.compress(text.encode()),
        "x-gzip": gzip.compress(text[:70].encode()) + gzip.compress(text[70:].encode()),
        "deflate": zlib.compress(text.encode()),
        "Deflate": raw.compress(text.encode()) + raw.flush(),
        "identity": text.encode(),
    }
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        for encoding, body in packed.items():
            site.page(GUIDE, body, headers={"Content-Encoding": encoding})
            fetched = await fetcher.fetch(GUIDE, ALLOWED)
            assert (fetched.text, fetched.received_bytes) == (text, len(body)), encoding


async def test_an_empty_body_needs_no_packing(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, b"", headers={"Content-Encoding": "gzip"})
        assert (await fetcher.fetch(GUIDE, ALLOWED)).doubts == {"empty"}


async def test_bytes_of_any_type_can_be_asked_for(tmp_path: Path) -> None:
    url = "https://docs.example.com/objects.inv"
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(url, b"\x00\x01\x02", content_type="application/octet-stream", headers={"ETag": '"i"'})
        fetched = await fetcher.fetch_bytes(url, ALLOWED)
        assert (fetched.body, fetched.content_type, fetched.etag) == (b"\0\1\2", "application/octet-stream", '"i"')
        with pytest.raises(FetchFailed, match="wrong_content_type"):
            await fetcher.fetch(url, ALLOWED)
        with pytest.raises(PageNotFound):
            await fetcher.fetch_bytes(url + "x", ALLOWED)


async def test_one_host_gets_so_many_requests_at_a_time(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher(FetchLimits(per_host=2)) as fetcher:
        most, now, full = 0, 0, anyio.Event()

        async def answer(_: SeenRequest, stream: Stream) -> None:
            nonlocal most, now
            now += 1
            most = max(most, now)
            if now == 2:
                full.set()
            await full.wait()
            await stream.send(head(200, {"Content-Type": "text/plain", "Content-Length": "1"}) + b"x")
            now -= 1

        site.script(GUIDE, answer)
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(fetcher.fetch, GUIDE, ALLOWED)
        assert (most, len(site.requests)) == (2, 6)


async def test_the_next_address_is_tried_when_one_does_not_answer(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.names["docs.example.com"] = ["2606:4700::1", "2606:4700::2", "::ffff:1.1.1.1"]
        site.unreachable = {"2606:4700::1"}
        site.page(GUIDE, "x")
        assert (await fetcher.fetch(GUIDE, ALLOWED)).text == "x"
        assert [str(address) for address, _ in site.dialled] == ["2606:4700::1", "1.1.1.1"]


async def test_a_fetcher_can_be_opened_again(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site:
        site.page(GUIDE, "x")
        fetcher = site.fetcher()
        for _ in range(2):
            async with fetcher:
                await fetcher.fetch(GUIDE, ALLOWED)
        assert site.connections == 2


async def test_the_first_fetches_can_be_at_once(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "x")
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(fetcher.fetch, GUIDE, ALLOWED)
        assert len(site.requests) == 4


def test_the_limits_come_from_the_settings() -> None:
    limits = FetchLimits.from_settings(DocsSettings(max_page_mb=0.5, timeout_s=7, max_redirects=1))
    assert (limits.max_bytes, limits.timeout_s, limits.max_redirects) == (500_000, 7, 1)


async def test_the_real_network_reaches_a_private_site_and_trusts_no_unknown_authority(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, Fetcher(FetchLimits(timeout_s=10)) as fetcher:
        plain, secure = f"wiki.corp:{site.plain_port}", f"wiki.corp:{site.tls_port}"
        allowed = AllowedHosts.of(private_hosts={plain: ["127.0.0.1"], secure: ["127.0.0.1"]})
        site.page(f"http://{plain}/a", "text")
        assert (await fetcher.fetch(f"http://{plain}/a", allowed)).text == "text"
        with pytest.raises(FetchFailed, match=r"cannot_connect.*certificate"):
            await fetcher.fetch(f"https://{secure}/a", allowed)
        assert len(site.requests) == 1


def test_the_package_loads_no_slow_library_before_it_is_needed() -> None:
    code = "import sightline.library_docs.fetching, sightline.library_docs.untrusted_text, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"httpcore2", "httpx2", "h11", "idna", "publicsuffixlist"} & set(loaded)
