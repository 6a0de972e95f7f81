"""What a person may read of texts that others wrote."""

from __future__ import annotations

import logging
import secrets
import threading
from pathlib import Path

import anyio
import pytest

from sightline.call_feed import FinishedCall
from sightline.logs import also_to, request_scope
from sightline.server.dashboard.call_records import finished_call
from sightline.server.dashboard.discretion import NOT_SHOWN, Discretion
from sightline.server.dashboard.log_records import LogEntry, LogTap

pytestmark = pytest.mark.anyio

ROOT = Path("/srv/shop")
DISCRETION = Discretion(ROOT, (ROOT, Path("/srv/other")))


def test_paths_of_the_project_are_short_and_those_from_outside_are_not_told() -> None:
    shown = DISCRETION.text("read /srv/shop/a.py, /srv/other/b.py and /home/someone/.ssh/id_rsa")
    assert shown == "read a.py, /srv/other/b.py and <…>/id_rsa"


def test_a_secret_is_not_shown_wherever_it_stands() -> None:
    token = "ghp_" + secrets.token_hex(18)
    record = {"token": token, "deep": [{"text": f"sent {token}"}], "address": f"https://u:{token}@example.com/"}
    assert token not in str(DISCRETION.value(record))
    assert DISCRETION.text(f"sent {token}") == NOT_SHOWN


def test_a_long_text_is_cut() -> None:
    assert len(DISCRETION.text("a " * 50_000)) < 3_000


def test_a_text_cannot_turn_the_order_of_what_stands_after_it() -> None:
    assert DISCRETION.value({"file": "a\u202egpj.exe"}) == {"file": "a\\u202egpj.exe"}


def test_the_id_of_a_session_is_not_told() -> None:
    session = "4b1d" * 8
    call = FinishedCall(
        number=1,
        request_id="r",
        tool="t",
        arguments={"file": "/etc/passwd"},
        client=session,
        started_at=1.0,
        ending="ok",
        root="/srv/shop",
        seconds=0.25,
    )
    shown = finished_call(call, DISCRETION)
    assert session not in str(shown)
    assert (shown["client"][:8], shown["project"], shown["ms"]) == ("session ", "shop", 250.0)
    assert shown["arguments"] == {"file": "<…>/passwd"}


async def test_records_of_every_thread_arrive_with_their_request_and_without_secrets() -> None:
    heard: list[LogEntry] = []
    log = logging.getLogger("sightline.test_tap")
    log.setLevel(logging.INFO)

    def elsewhere() -> None:
        log.info("from a thread", extra={"password": "hunter2" * 3, "count": 3})

    with also_to(LogTap(heard.append)):
        with request_scope("ab12"):
            log.info("in %s", "/home/someone/file")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        with anyio.fail_after(10):
            while len(heard) < 2:
                await anyio.lowlevel.checkpoint()
        thread.join()
        try:
            raise ValueError("no /home/someone/file")
        except ValueError:
            log.exception("failed")
    log.info("after the end")
    first, second, third = (entry.as_json(DISCRETION) for entry in heard)
    assert (first["message"], first["fields"]) == ("in <…>/file", {"request_id": "ab12"})
    assert second["fields"] == {"password": "<hidden>", "count": 3}
    assert "ValueError: no <…>/file" in third["trace"]
    assert "/home/" not in str(third)


async def test_a_record_that_does_not_fit_its_text_ends_nothing() -> None:
    heard: list[LogEntry] = []
    LogTap(heard.append).emit(logging.makeLogRecord({"msg": "%d does not fit", "args": ("this",)}))
    assert heard[0].message == "%d does not fit"


@pytest.mark.parametrize("before", [1_960, 1_980, 1_999, 15_970, 15_999])
def test_a_secret_across_a_cut_is_not_shown_in_part(before: int) -> None:
    token = "ghp_" + secrets.token_hex(18)
    shown = DISCRETION.text("x " * (before // 2) + token + " y" * 30_000)
    assert token[:8] not in shown


def test_a_secret_at_the_end_of_the_scan_does_not_come_into_view_when_the_rest_gets_short() -> None:
    token = "ghp_" + secrets.token_hex(18)
    shown = DISCRETION.text("/" + "x" * 15_970 + " " + token + " y" * 10_000)
    assert token[:8] not in shown


def test_a_secret_that_colours_take_apart_is_not_shown() -> None:
    token = secrets.token_hex(18)
    assert token not in DISCRETION.text(f"sent gh\x1b[0mp_{token}")


def test_a_long_text_without_secrets_is_shown_up_to_the_cut() -> None:
    assert DISCRETION.text("word " * 20_000) == "word " * 400 + "…"
    assert DISCRETION.text("word " * 500) == "word " * 400 + "…"
    assert DISCRETION.text("word " * 400) == "word " * 400
