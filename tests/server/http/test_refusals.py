"""What is not served over HTTP: each is refused as documented, and the server goes on serving."""

from __future__ import annotations

import json
import secrets
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES
from tests.support.http_service import HttpServer, modern_call, modern_headers, serving_http, until

KEY = secrets.token_urlsafe(24)
BEARER = {"authorization": f"Bearer {KEY}"}
CALL = modern_call("get_current_config")
HEADERS = modern_headers("get_current_config")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[HttpServer]:
    home = tmp_path_factory.mktemp("home")
    flags = ("--set", "server.max_body_mb=0.01", "--set", "server.allowed_hosts=tools.example.com:443")
    origin = ("--set", "server.allowed_origins=https://desk.example.com/")
    with serving_http(
        EXAMPLES / "shop", *flags, *origin, home=home, environment={"SIGHTLINE_SERVER_KEY": KEY}
    ) as started:
        yield started


@pytest.fixture(autouse=True)
def still_serves(server: HttpServer) -> Generator[None]:
    yield
    assert server.is_serving(**BEARER)


def _refusal(server: HttpServer, content: bytes = CALL, **headers: str) -> tuple[int, str]:
    answer = server.post(content, **(HEADERS | BEARER | headers))
    return answer.status_code, json.loads(answer.text)["error"]


def test_without_a_key_it_says_that_one_is_needed(server: HttpServer) -> None:
    answer = server.post(CALL, **HEADERS)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="sightline"'
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    "given",
    ["Bearer wrong", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", f"Basic {KEY}", KEY, "Bearer"],
    ids=["another", "longer", "shorter", "basic", "bare", "none"],
)
def test_with_a_wrong_key_it_says_that_it_is_wrong(given: str, server: HttpServer) -> None:
    answer = server.post(CALL, **HEADERS, authorization=given)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="sightline", error="invalid_token"'
    assert KEY not in answer.text


def test_two_keys_are_no_key(server: HttpServer) -> None:
    answer = server.raw(_request(f"Authorization: Bearer {KEY}", "Authorization: Bearer other"))
    assert answer.startswith(b"HTTP/1.1 401 ")


def test_guessing_is_slowed_down_but_the_key_is_never_locked_out(server: HttpServer) -> None:
    answers = [server.post(CALL, **HEADERS, authorization=f"Bearer guess-{number}") for number in range(40)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert int(refused[0].headers["retry-after"]) >= 1
    assert {answer.status_code for answer in answers} <= {401, 429}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "0.0.0.0:80", "", "localhost@evil", "[::1"])
def test_a_foreign_host_is_misdirected(host: str, server: HttpServer) -> None:
    answer = server.raw(_request(f"Authorization: Bearer {KEY}", host=host))
    assert answer.startswith(b"HTTP/1.1 421 ")
    assert b"foreign_host" in answer


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1", "[::1]:80", "tools.example.com"])
def test_our_own_names_are_answered_whatever_their_port(host: str, server: HttpServer) -> None:
    assert server.raw(_request(f"Authorization: Bearer {KEY}", host=host)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "file://", "http://"])
def test_a_page_of_a_foreign_origin_may_not_call(origin: str, server: HttpServer) -> None:
    assert _refusal(server, origin=origin) == (403, "foreign_origin")


def test_our_own_origin_and_an_allowed_one_may_call(server: HttpServer) -> None:
    assert server.is_serving(**BEARER, origin=server.url)
    assert server.is_serving(**BEARER, origin="https://desk.example.com")
    assert server.is_serving(**BEARER, host="tools.example.com", origin="https://tools.example.com")


def test_a_foreign_page_cannot_ask_before_it_calls(server: HttpServer) -> None:
    preflight = b"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n"
    assert server.raw(preflight).startswith(b"HTTP/1.1 403 ")
    own = server.raw(b"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert own.startswith(b"HTTP/1.1 405 ")
    assert b"access-control" not in own.lower()


def test_a_large_body_is_refused_whether_it_says_so_or_not(server: HttpServer) -> None:
    large = b'{"x": "' + b"y" * 20_000 + b'"}'
    assert _refusal(server, large) == (413, "too_large")
    head = _head("Transfer-Encoding: chunked", f"Authorization: Bearer {KEY}")
    assert server.raw(head + b"".join(b"400\r\n" + b"y" * 1024 + b"\r\n" for _ in range(20))).startswith(
        b"HTTP/1.1 413 "
    )
    endless = _head("Content-Length: 99999999999999999999999999", f"Authorization: Bearer {KEY}")
    assert server.raw(endless).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"[" * 5_000,
        b'{"jsonrpc":"2.0","id":1}',
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
        b'{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}',
    ],
    ids=repr,
)
@pytest.mark.parametrize("headers", [HEADERS, {}], ids=["modern", "legacy"])
def test_a_malformed_body_is_an_error_of_the_client(headers: dict[str, str], body: bytes, server: HttpServer) -> None:
    answer = server.post(body, **headers, **BEARER)
    assert 400 <= answer.status_code < 500, answer.text
    assert "Traceback" not in answer.text


def test_another_content_type_is_refused(server: HttpServer) -> None:
    answer = server.post(CALL, **(HEADERS | BEARER | {"content_type": "text/plain"}))
    assert answer.status_code == 400


@pytest.mark.parametrize("version", ["2027-01-01", "1999-01-01", "x" * 5_000, "2026-07-28, 2025-11-25"])
def test_an_unknown_protocol_version_is_refused(version: str, server: HttpServer) -> None:
    answer = server.post(CALL, **(HEADERS | BEARER | {"mcp_protocol_version": version}))
    assert answer.status_code == 400


def test_headers_that_belie_the_body_are_refused(server: HttpServer) -> None:
    answer = server.post(CALL, **(HEADERS | BEARER | {"mcp_name": "health_check"}))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32020


@pytest.mark.parametrize(
    "path",
    [
        "//mcp",
        "/mcp/",
        "/mcp/..",
        "/x/../mcp",
        "/./mcp",
        "/%6dcp",
        "/mcp%2f",
        "/mcp%00",
        "/mcp;a=b",
        "/MCP",
        "/mcp\\",
        "/..%2f..%2fetc/passwd",
        "http://127.0.0.1/mcp",
        "*",
    ],
)
def test_only_the_plain_path_leads_anywhere(path: str, server: HttpServer) -> None:
    answer = server.raw(_request(f"Authorization: Bearer {KEY}", path=path))
    assert answer.startswith(b"HTTP/1.1 404 ")


def test_health_and_readiness_are_open_and_the_metrics_are_not(server: HttpServer) -> None:
    assert server.get("/healthz").text == "ok\n"
    assert server.get("/readyz").text == "ready\n"
    assert server.get("/metrics").status_code in (401, 429)
    assert server.get("/metrics", **BEARER).status_code == 200


def test_refusals_are_counted_by_their_reason(server: HttpServer) -> None:
    server.post(CALL, **(HEADERS | BEARER | {"origin": "null"}))
    server.post(b"x" * 20_000, **(HEADERS | BEARER))
    server.raw(b"GET /mcp HTTP/9.9\r\n\r\n")
    counted = server.get("/metrics", **BEARER).text
    assert 'sightline_http_refusals_total{reason="foreign_origin"}' in counted
    assert 'sightline_http_refusals_total{reason="too_large"}' in counted
    assert 'sightline_http_refusals_total{reason="malformed"}' in counted


def test_too_many_requests_are_told_when_to_come_back(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, "--set", "server.requests_per_second=1", home=tmp_path) as slow:
        answers = [slow.get("/healthz") for _ in range(30)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert answers[0].status_code == 200
        assert refused
        assert int(refused[0].headers["retry-after"]) >= 1
        until(lambda: slow.get("/healthz").status_code == 200)


def _head(*headers: str, host: str = "localhost", path: str = "/mcp") -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "Connection: close",
        *(f"{name.replace('_', '-')}: {value}" for name, value in HEADERS.items()),
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def _request(*headers: str, host: str = "localhost", path: str = "/mcp") -> bytes:
    return _head(f"Content-Length: {len(CALL)}", *headers, host=host, path=path) + CALL
