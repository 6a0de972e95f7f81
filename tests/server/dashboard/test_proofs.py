"""Links that work once, and visits that need both halves."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.server.dashboard.links import OneTimeLinks
from sightline.server.dashboard.visits import VISIT_LASTS_S, Visit, Visits


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def _scope(method: str = "GET", **headers: str) -> dict[str, Any]:
    given = {"host": "127.0.0.1:8765", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    return {"type": "http", "method": method, "headers": raw, "server": ("127.0.0.1", 8765)}


def _proof(visit: Visit) -> dict[str, str]:
    return {"cookie": f"other=1; s={visit.cookie}", "x_sightline_token": visit.token}


def test_a_link_opens_once() -> None:
    links = OneTimeLinks()
    token = links.make()
    assert [links.take(token), links.take(token)] == ["good", "used"]


def test_a_link_that_was_never_made_opens_nothing() -> None:
    links = OneTimeLinks()
    links.make()
    assert links.take("") == "unknown"
    assert links.take("x" * 43) == "unknown"


def test_a_link_expires() -> None:
    clock = Clock()
    links = OneTimeLinks(lasts_s=60, clock=clock)
    early, late = links.make(), links.make()
    clock.now += 59
    assert links.take(early) == "good"
    clock.now += 2
    assert links.take(late) == "expired"


def test_links_that_nobody_uses_do_not_pile_up() -> None:
    links = OneTimeLinks()
    first = links.make()
    last = [links.make() for _ in range(64)][-1]
    assert links.take(first) == "unknown"
    assert links.take(last) == "good"


def test_a_visit_needs_its_cookie_and_its_token() -> None:
    visits = Visits("s")
    one, other = visits.begin(), visits.begin()
    assert visits.identify(_scope(**_proof(one)))
    assert not visits.identify(_scope(cookie=f"s={one.cookie}"))
    assert not visits.identify(_scope(x_sightline_token=one.token))
    assert not visits.identify(_scope(cookie=f"s={one.cookie}", x_sightline_token=other.token))
    assert not visits.identify(_scope(cookie="s=", x_sightline_token=""))


def test_a_visit_ends_by_itself_and_when_it_is_ended() -> None:
    clock = Clock()
    visits = Visits("s", clock)
    left, old = visits.begin(), visits.begin()
    visits.end(_scope(**_proof(left)))
    assert not visits.identify(_scope(**_proof(left)))
    clock.now += VISIT_LASTS_S + 1
    assert not visits.identify(_scope(**_proof(old)))


@pytest.mark.parametrize(
    ("method", "headers", "is_ours"),
    [
        ("GET", {}, True),
        ("POST", {}, False),
        ("POST", {"origin": "http://127.0.0.1:8765"}, True),
        ("POST", {"origin": "http://127.0.0.1:8765", "sec_fetch_site": "same-origin"}, True),
        ("POST", {"origin": "http://127.0.0.1:9999"}, False),
        ("POST", {"origin": "http://localhost:8765"}, False),
        ("POST", {"origin": "null"}, False),
        ("GET", {"sec_fetch_site": "cross-site"}, False),
        ("GET", {"sec_fetch_site": "same-site"}, False),
        ("GET", {"origin": "https://desk.example.com"}, False),
    ],
)
def test_a_visit_is_used_by_our_own_page_alone(method: str, headers: dict[str, str], is_ours: bool) -> None:
    visits = Visits("s")
    scope = _scope(method, **_proof(visits.begin()), **headers)
    assert (visits.identify(scope) is not None) is is_ours


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites() -> None:
    visits = Visits("s")
    visit = visits.begin()
    plain, secure = visits.set_cookie(visit, is_secure=False), visits.set_cookie(visit, is_secure=True)
    assert {"HttpOnly", "SameSite=Strict", "Path=/dashboard"} <= set(plain.split("; "))
    assert "Secure" in secure.split("; ")
    assert visit.token not in plain
    assert visit.cookie not in repr(visit)
