"""What is told of the one who called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sightline.call_feed import FinishedCall
from sightline.server.dashboard.call_records import finished_call
from sightline.server.dashboard.discretion import Discretion

ROOT = Path("/srv/shop")
CALL = FinishedCall(
    number=1, request_id="r", tool="t", arguments={}, client="", started_at=1.0, ending="ok", seconds=0.25
)


def _client(client: str, name: str = "") -> str:
    shown = finished_call(replace(CALL, client=client, client_name=name), Discretion(ROOT, (ROOT,)))
    return shown["client"]


def test_a_client_that_is_not_known_again_is_unnamed_and_no_session() -> None:
    assert (_client("request 0123456789ab"), _client("")) == ("unnamed", "unnamed")


def test_a_session_has_a_mark_of_its_own_unless_it_has_a_name() -> None:
    first, second = _client("session 0123"), _client("session 4567")
    assert (first.startswith("session "), first == second) == (True, False)
    assert _client("session 0123", "desk 1.2") == "desk 1.2"
