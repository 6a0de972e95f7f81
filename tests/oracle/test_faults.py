"""Whatever happens to the language server, every call ends in time, in a right answer or a clear error.

The real server is killed, stopped, slowed, drowned in garbage, or made to answer errors, wrongly or not at all, at
random moments of random calls about files that change. Nothing is left behind. `SIGHTLINE_ORACLE=full` makes 200
calls.
"""

from __future__ import annotations

import os
import random
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.oracle.faults import ANSWERED, KINDS, LEFT_ALONE, Fire, faults, judge
from tests.oracle.truths import QUESTIONS, STATES, Sample, Truths
from tests.support import fake_server, faulty_proxy
from tests.support.faulty_apps import Control, faulty_app
from tests.support.marked_processes import marking

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
SEED = int(os.environ.get("SIGHTLINE_ORACLE_SEED", "7"))
CALLS = 200 if IS_FULL else len(KINDS)
REQUEST_S = 3 if IS_FULL else 2
LIMITS: dict[str, Any] = {
    "code__request_timeout_s": REQUEST_S,
    "code__request_timeouts": {"textDocument/references": REQUEST_S, "workspace/symbol": REQUEST_S},
    "code__command_timeout_s": 2 * REQUEST_S,
    "code__start_timeout_s": 10,
}
MOST_GROWTH_MB = 15


@pytest.mark.timeout(3600)
async def test_every_call_ends_in_time_and_every_answer_is_right_whatever_happens_to_the_server(
    shop: Path, tmp_path: Path, truths: Truths, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(SEED)
    sample, control = Sample.at(shop), Control(tmp_path / "fault.json")

    with marking() as mark:
        async with faulty_app(shop, tmp_path, control, **LIMITS) as app:
            fire = Fire(app, sample, control, mark, truths, chance, is_patient=IS_FULL)
            for fault in islice(faults(chance), CALLS):
                await fire.call(fault)
    tally = fire.tally

    with capsys.disabled():
        sys.stdout.write(f"\n{tally}\n")
    assert not await mark.left_behind()
    assert not tally.surprises, str(tally)
    assert tally.total(ANSWERED) >= CALLS // 4, str(tally)
    assert tally.total(LEFT_ALONE) <= CALLS // 5, str(tally)
    first, last = tally.memory()
    assert last - first < MOST_GROWTH_MB, str(tally)


@pytest.mark.timeout(600)
async def test_garbage_between_messages_costs_no_answer(shop: Path, tmp_path: Path, truths: Truths) -> None:
    sample, control = Sample.at(shop), Control(tmp_path / "fault.json")
    control.begin("garbage")

    with marking() as mark:
        async with faulty_app(shop, tmp_path, control) as app:
            for state in [*STATES] * (10 if IS_FULL else 1):
                sample.enter(state)
                for question in QUESTIONS:
                    answer = await app.boundary.call(question.tool, question.arguments)
                    assert judge(answer, truths[state, question]) == ANSWERED, answer.text

    assert not await mark.left_behind()


async def test_the_proxy_ends_with_its_client_and_takes_the_server_along(tmp_path: Path) -> None:
    server = [sys.executable, "-S", fake_server.__file__, "--ignore-shutdown"]
    command = [sys.executable, "-S", faulty_proxy.__file__, str(tmp_path / "no fault"), *server]
    with marking() as mark:
        async with await anyio.open_process(command) as proxy:
            with anyio.fail_after(20):
                while len(mark.processes()) < 2:
                    await anyio.lowlevel.checkpoint()
                assert proxy.stdin
                await proxy.stdin.aclose()
                await proxy.wait()

    assert not await mark.left_behind()
