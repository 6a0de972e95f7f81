"""Who gets in, and what the answers allow: against the real command, without a browser."""

from __future__ import annotations

import json
import secrets
import stat
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import httpx2
import pytest

from sightline.server.dashboard.run_file import LINKS_PATH, running_services
from tests.conftest import EXAMPLES
from tests.server.dashboard.visiting import Visitor, enter, new_token, post, service_of, visitor_at
from tests.support.http_service import HttpServer, serving_http

KEY = secrets.token_urlsafe(24)
BEARER = {"authorization": f"Bearer {KEY}"}
PRIVATE = ["/dashboard/events", "/dashboard/docs", "/dashboard/sync", "/dashboard/settings"]


@dataclass(frozen=True, slots=True)
class Place:
    """A service, and the home of who runs it."""

    server: HttpServer
    home: Path

    def visitor(self) -> Visitor:
        return visitor_at(self.home, self.server)


@pytest.fixture(scope="module")
def open_place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    """Without a key, on loopback; pages of one foreign origin may call `/mcp`."""
    home = tmp_path_factory.mktemp("home")
    origin = ("--set", "server.allowed_origins=https://desk.example.com")
    with serving_http(EXAMPLES / "shop", *origin, home=home) as server:
        yield Place(server, home)


@pytest.fixture(scope="module")
def keyed_place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    home = tmp_path_factory.mktemp("home")
    flags = ("--read-only",)
    with serving_http(EXAMPLES / "shop", *flags, home=home, environment={"SIGHTLINE_SERVER_KEY": KEY}) as server:
        yield Place(server, home)


@pytest.mark.parametrize("path", ["/", "/dashboard/main.js", "/dashboard/frame.css", "/dashboard/icon.svg"])
def test_the_page_is_the_same_for_everybody_and_tells_nothing(path: str, open_place: Place) -> None:
    answer = open_place.server.get(path)
    assert answer.status_code == 200
    assert str(EXAMPLES) not in answer.text
    assert answer.headers["cache-control"] == "no-cache"
    again = open_place.server.get(path, if_none_match=answer.headers["etag"])
    assert (again.status_code, again.text) == (304, "")


def test_the_page_takes_nothing_and_has_no_other_name(open_place: Place) -> None:
    assert post(open_place.server, "/", {}, {}).status_code == 405
    assert [open_place.server.get(path).status_code for path in ("/index.html", "/dashboard", "/dashboard/")] == [
        404
    ] * 3


def test_the_page_may_load_nothing_from_elsewhere_and_run_nothing_inline(open_place: Place) -> None:
    answer = open_place.server.get("/")
    parts = [each.partition(" ") for each in answer.headers["content-security-policy"].split("; ")]
    policy = {name: value for name, _, value in parts}
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "://" not in answer.text
    assert not [word for word in ("<script>", " style=", " onclick=", "javascript:") if word in answer.text]


@pytest.mark.parametrize("path", PRIVATE)
def test_without_proof_nothing_is_told_even_where_no_key_is_needed(path: str, open_place: Place) -> None:
    assert open_place.server.get(path).status_code == 401


@pytest.mark.parametrize("path", ["/dashboard/restart", "/dashboard/leave", LINKS_PATH])
def test_without_proof_nothing_is_done(path: str, open_place: Place) -> None:
    assert post(open_place.server, path, {"row": "x"}, {}).status_code == 401


@pytest.mark.parametrize("path", PRIVATE[1:])
def test_a_visitor_sees_and_no_cache_keeps_it(path: str, open_place: Place) -> None:
    answer = open_place.visitor().get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_link_opens_once_and_says_why_not_again(open_place: Place) -> None:
    link = new_token(open_place.home, open_place.server)
    first, second = enter(open_place.server, link), enter(open_place.server, link)
    assert first.status_code == 200
    assert (second.status_code, second.json()["error"]) == (401, "link_used")
    assert "set-cookie" not in second.headers


def test_a_body_that_is_too_deep_is_refused_like_any_other_that_says_nothing(open_place: Place) -> None:
    headers = {"content-type": "application/json", "origin": open_place.server.url}
    answer = httpx2.post(open_place.server.url + "/dashboard/visit", content=b"[" * 15_000, headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_params")


def test_a_long_body_of_who_has_proved_nothing_is_not_read_to_its_end(open_place: Place) -> None:
    head = "POST /dashboard/visit HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with open_place.server.connect() as wire:
        wire.sendall(f"{head}Content-Length: 1000000\r\n\r\n".encode() + b'{"link": "' + b"x" * 20_000)
        assert wire.recv(65_536).startswith(b"HTTP/1.1 400 ")


def test_guessing_links_is_slowed_down_and_a_right_one_still_opens(open_place: Place) -> None:
    answers = [enter(open_place.server, f"guess-{number}") for number in range(30)]
    assert {answer.status_code for answer in answers} == {401, 429}
    assert enter(open_place.server, new_token(open_place.home, open_place.server)).status_code == 200


def test_the_cookie_is_strict_and_the_secrets_are_in_no_log(open_place: Place) -> None:
    link = new_token(open_place.home, open_place.server)
    answer = enter(open_place.server, link)
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/dashboard"} <= set(cookie.split("; "))
    told = [link, answer.json()["token"], cookie.partition(";")[0].partition("=")[2]]
    told.append(service_of(open_place.home, open_place.server).secret)
    open_place.server.call("health_check")
    logged = b"".join(open_place.server.logs.log_lines()).decode()
    files = [path for path in open_place.home.rglob("*") if path.is_file() and path.parent.name != "run"]
    texts = [logged, *(path.read_text(errors="replace") for path in files)]
    assert not [secret for secret in told for text in texts if secret in text]


def test_behind_a_proxy_with_tls_the_cookie_is_secure_and_works(open_place: Place) -> None:
    outside = {"host": "localhost", "origin": "https://localhost"}
    answer = enter(open_place.server, new_token(open_place.home, open_place.server), **outside)
    assert "Secure" in answer.headers["set-cookie"].split("; ")
    cookie, token = answer.headers["set-cookie"].partition(";")[0], answer.json()["token"]
    left = Visitor(open_place.server, cookie, token).post("/dashboard/leave", {}, **outside)
    assert left.status_code == 200


def test_one_half_of_a_visit_is_worth_nothing(open_place: Place) -> None:
    visitor = open_place.visitor()
    url = f"{open_place.server.url}/dashboard/settings"
    assert httpx2.get(url, headers={"cookie": visitor.cookie}).status_code == 401
    assert httpx2.get(url, headers={"x-sightline-token": visitor.token}).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "https://desk.example.com"}, 401),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 401),
        ({"x-sightline-token": "guessed"}, 401),
    ],
)
def test_no_other_page_can_use_a_visit_to_change_something(
    headers: dict[str, str], status: int, open_place: Place
) -> None:
    answer = open_place.visitor().post("/dashboard/restart", {"row": "x"}, **headers)
    assert answer.status_code == status


def test_a_form_cannot_change_something(open_place: Place) -> None:
    visitor = open_place.visitor()
    answer = visitor.post("/dashboard/restart", {"row": "x"}, content_type="text/plain")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_params")
    assert visitor.post("/dashboard/restart", {"row": "x"}).status_code == 404


def test_leaving_ends_the_visit(open_place: Place) -> None:
    visitor = open_place.visitor()
    answer = visitor.post("/dashboard/leave", {})
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert visitor.get("/dashboard/settings").status_code == 401


def test_the_key_opens_everything_but_is_asked_for(keyed_place: Place) -> None:
    url = f"{keyed_place.server.url}/dashboard/settings"
    assert httpx2.get(url).status_code == 401
    assert httpx2.get(url, headers={"authorization": "Bearer wrong-" + KEY}).status_code == 401
    assert httpx2.get(url, headers=BEARER).status_code == 200
    entered = post(keyed_place.server, "/dashboard/visit", {}, BEARER)
    assert (entered.status_code, "token" in entered.json()) == (200, True)
    refused = post(keyed_place.server, "/dashboard/visit", {}, {"authorization": "Bearer wrong"})
    assert (refused.status_code, refused.json()["error"]) == (401, "wrong_key")


def test_the_run_secret_makes_links_and_nothing_else(keyed_place: Place) -> None:
    secret = {"authorization": f"Bearer {service_of(keyed_place.home, keyed_place.server).secret}"}
    assert httpx2.get(f"{keyed_place.server.url}/dashboard/settings", headers=secret).status_code == 401
    assert post(keyed_place.server, LINKS_PATH, {}, BEARER).status_code == 401
    assert post(keyed_place.server, LINKS_PATH, {}, secret).status_code == 200


def test_read_only_refuses_a_restart(keyed_place: Place) -> None:
    server = keyed_place.server
    server.call("check_types", {"path": "."}, **BEARER)
    visitor = keyed_place.visitor()
    with httpx2.stream("GET", f"{server.url}/dashboard/events", headers=visitor.proof) as events:
        state = next(json.loads(line[6:]) for line in events.iter_lines() if '"servers":[{' in line)
    answer = visitor.post("/dashboard/restart", {"row": state["servers"][0]["row"]})
    assert (answer.status_code, answer.json()["error"]) == (403, "read_only")
    assert "read" in state["service"]["restart_refused"]


def test_a_call_arrives_at_a_stream_that_is_open_and_at_one_that_comes_back(open_place: Place) -> None:
    visitor, url = open_place.visitor(), f"{open_place.server.url}/dashboard/events"
    with httpx2.stream("GET", url, headers=visitor.proof) as events:
        lines = events.iter_lines()
        assert events.headers["content-type"].startswith("text/event-stream")
        assert "event: caught_up" in lines
        open_place.server.call("find_symbol", {"query": "seen-live"})
        last = _id_before("seen-live", lines)
    open_place.server.call("find_symbol", {"query": "missed"})
    with httpx2.stream("GET", url, headers={**visitor.proof, "last-event-id": last}) as events:
        told = list(takewhile(lambda line: "caught_up" not in line, events.iter_lines()))
    assert '"is_continued":true' in "".join(told)
    assert any("missed" in line for line in told)
    assert not any("seen-live" in line for line in told)


def test_a_page_is_told_first_how_the_service_is_now(open_place: Place) -> None:
    visitor, url = open_place.visitor(), f"{open_place.server.url}/dashboard/events"
    counts: list[int] = []
    for _ in range(2):
        open_place.server.call("list_servers", {})
        with httpx2.stream("GET", url, headers=visitor.proof) as events:
            state = next(json.loads(line[6:]) for line in events.iter_lines() if '"servers":[' in line)
        counts.append(state["calls"]["count"])
    assert counts[1] == counts[0] + 1


def _id_before(words: str, lines: Iterator[str]) -> str:
    """The id of the call that says so; it is logged before it has ended."""
    last = ""
    for line in lines:
        last = line.removeprefix("id: ") if line.startswith("id: ") else last
        if words in line and '"ending"' in line:
            return last
    raise AssertionError("the stream ended")


def test_an_open_stream_does_not_keep_the_service_from_ending(tmp_path: Path) -> None:
    with serving_http(EXAMPLES / "shop", home=tmp_path) as server:
        proof = visitor_at(tmp_path, server).proof
        with httpx2.stream("GET", f"{server.url}/dashboard/events", headers=proof) as events:
            lines = events.iter_lines()
            assert "event: caught_up" in lines
            server.process.terminate()
            list(lines)  # raises if the stream is cut off in its middle
        assert server.process.wait(timeout=10) == 0


def test_a_setting_that_the_docs_cannot_be_opened_with_is_said_without_a_secret(tmp_path: Path) -> None:
    secret = "-".join(["not", "for", "eyes"])
    address = {"SIGHTLINE_DOCS__STORE_URL": f"postgresql://user:a/{secret}@127.0.0.1:1/docs"}
    with serving_http(EXAMPLES / "shop", home=tmp_path, environment=address) as server:
        answer = visitor_at(tmp_path, server).get("/dashboard/docs")
        settings = visitor_at(tmp_path, server).get("/dashboard/settings")
    logged = b"".join(server.logs.log_lines()).decode()
    assert (answer.status_code, "`docs.store_url`" in answer.json()["message"]) == (409, True)
    assert secret not in answer.text + settings.text + logged
    assert "Traceback" not in logged


def test_the_owner_alone_is_told_where_it_runs_and_it_is_forgotten_at_the_end(tmp_path: Path) -> None:
    data = tmp_path / ".local" / "share" / "sightline"
    with serving_http(EXAMPLES / "shop", home=tmp_path) as server:
        (path,) = (data / "run").iterdir()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert [each.url for each in running_services(data)] == [server.url]
    assert running_services(data) == []
    assert list((data / "run").iterdir()) == []
