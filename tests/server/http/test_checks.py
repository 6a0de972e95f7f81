"""The checks of a request, one by one: hosts, origins, rates."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from starlette.responses import PlainTextResponse

from sightline.errors import SettingsError
from sightline.server.http.authentication import AnyOf, BearerKey, Identity, NoKeyNeeded
from sightline.server.http.bodies import BodyLimits
from sightline.server.http.endpoints import Checks, Endpoint, HttpApp
from sightline.server.http.in_flight import InFlight
from sightline.server.http.origins import OriginPolicy, Place, origin_policy, place_of
from sightline.server.http.rates import Rate

KEY = "k" * 20


def _scope(server: str = "127.0.0.1", client: str = "192.0.2.7", **headers: str) -> dict[str, Any]:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "server": (server, 8765), "client": (client, 5000), "headers": pairs}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a", Place("a", None)),
        ("A.Example:80", Place("a.example", 80)),
        ("[::1]:8", Place("::1", 8)),
        ("", None),
        ("a:b", None),
        ("a:99999", None),
        ("a/b", None),
        ("user@a", None),
        ("a b", None),
        ("a,b", None),
        ("[::1", None),
        (":80", None),
    ],
)
def test_a_host_is_read_strictly(text: str, place: Place | None) -> None:
    assert place_of(text) == place


@pytest.mark.parametrize(
    ("bound_to", "arrived_at", "host", "status"),
    [
        ("127.0.0.1", "127.0.0.1", "localhost:1", None),
        ("127.0.0.1", "127.0.0.1", "evil.example", 421),
        ("0.0.0.0", "10.0.0.5", "10.0.0.5:8765", None),
        ("0.0.0.0", "10.0.0.5", "localhost", 421),
        ("0.0.0.0", "10.0.0.5", "0.0.0.0", 421),
        ("0.0.0.0", "10.0.0.5", "10.0.0.6", 421),
        ("0.0.0.0", "10.0.0.5", "allowed.example", None),
        ("::", "2001:db8::1", "[2001:db8::1]:8765", None),
        ("desk.lan", "10.0.0.5", "DESK.lan:8765", None),
    ],
)
def test_a_host_is_ours_if_it_names_where_the_request_came_in(
    bound_to: str, arrived_at: str, host: str, status: int | None
) -> None:
    refusal = origin_policy(bound_to, ["allowed.example"], []).refusal(_scope(arrived_at, host=host))
    assert (refusal.status if refusal else None) == status


@pytest.mark.parametrize(
    ("host", "origin", "is_ours"),
    [
        ("localhost:8765", "http://localhost:8765", True),
        ("localhost:8765", "http://localhost:3000", False),
        ("localhost:8765", "http://127.0.0.1:8765", False),
        ("localhost", "http://localhost", True),
        ("localhost", "https://localhost", True),
        ("localhost:443", "https://localhost", True),
        ("localhost:80", "https://localhost", False),
        ("localhost", "http://localhost:8080", False),
        ("localhost:8765", "ftp://localhost:8765", False),
        ("localhost:8765", "http://localhost:8765/x", False),
        ("localhost:8765", "", False),
        ("localhost:8765", "https://page.example:4", True),
        ("localhost:8765", "https://page.example", False),
    ],
)
def test_an_origin_is_ours_if_it_is_the_host_itself_or_allowed(host: str, origin: str, is_ours: bool) -> None:
    policy = origin_policy("127.0.0.1", [], ["HTTPS://Page.example:4/"])
    refusal = policy.refusal(_scope(host=host, origin=origin))
    assert (refusal is None) is is_ours


@pytest.mark.parametrize("origin", ["page.example", "*", "null", "https://", "https://a/b"])
def test_what_is_no_origin_cannot_be_allowed(origin: str) -> None:
    with pytest.raises(SettingsError, match="not an origin"):
        origin_policy("127.0.0.1", [], [origin])


def test_a_rate_lets_a_burst_pass_and_then_so_many_per_second() -> None:
    now = [0.0]
    rate = Rate(per_second=2, burst=3, clock=lambda: now[0])
    first = [rate.refusal(_scope()) for _ in range(5)]
    now[0] = 1.0
    later = [rate.refusal(_scope()) for _ in range(3)]
    assert [bool(each) for each in first] == [False, False, False, True, True]
    assert [bool(each) for each in later] == [False, False, True]
    assert later[-1]
    assert later[-1].headers == {"retry-after": "1"}


def test_addresses_have_a_rate_each_and_an_ipv6_network_has_one() -> None:
    rate = Rate(per_second=1, burst=1, clock=lambda: 0.0)
    asked = [rate.refusal(_scope(client=client)) for client in ("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2")]
    assert [bool(each) for each in asked] == [False, False, False, True]


def test_only_so_many_addresses_are_remembered() -> None:
    rate = Rate(per_second=1, burst=1, clock=lambda: 0.0)
    assert rate.refusal(_scope(client="192.0.2.1")) is None
    assert rate.refusal(_scope(client="192.0.2.1")) is not None
    for number in range(5_000):
        rate.refusal(_scope(client=f"10.0.{number >> 8}.{number & 255}"))
    assert rate.refusal(_scope(client="192.0.2.1")) is None, "the one that asked longest ago is forgotten"


def test_one_way_to_prove_oneself_is_enough() -> None:
    ways = AnyOf([BearerKey(KEY), BearerKey("other" * 4)])
    assert ways.identify(_scope(authorization=f"bearer {KEY}")) == Identity("key")
    assert ways.identify(_scope(authorization=f"Bearer {'other' * 4}")) == Identity("key")
    assert ways.identify(_scope()) is None
    assert AnyOf([BearerKey(KEY), NoKeyNeeded()]).identify(_scope()) == Identity("nothing")


def test_a_key_does_not_show_itself() -> None:
    assert KEY not in repr(BearerKey(KEY))


@pytest.mark.anyio
@pytest.mark.parametrize(("path", "status"), [("/mcp", 503), ("/healthz", 200)])
async def test_a_service_that_ends_begins_nothing_new_and_says_so(path: str, status: int) -> None:
    done = PlainTextResponse("done")
    endpoints = [Endpoint("/mcp", done, NoKeyNeeded()), Endpoint("/healthz", done, authenticator=None)]
    in_flight = InFlight(is_stopping=True)
    limits = BodyLimits(100, 1.0, in_flight.note_refusal)
    app = HttpApp(endpoints, Checks(OriginPolicy(), Rate(10, 10), limits), in_flight)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1") as client:
        answer = await client.get(path)
    assert (answer.status_code, answer.headers.get("retry-after")) == (status, "5" if status == 503 else None)
