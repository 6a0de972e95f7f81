"""Whatever happens to the language server, every call ends in time, in an answer or in a clear error; nothing is left.

The server is killed or stopped at random moments of random calls. `SIGHTLINE_ORACLE=full` makes 200 of them.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from sightline.app import App
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
CALLS = 200 if IS_FULL else 12
DEADLINE_S = 40.0
LIMITS: dict[str, Any] = {"code__request_timeout_s": 3, "code__command_timeout_s": 6, "code__start_timeout_s": 10}
EXPECTED = {"server_crashed", "server_starting", "timeout", "busy"}
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("check_types", {"path": "."}),
    ("check_types", {"path": "shop/basket.py"}),
    ("find_references", {"symbol": "Catalogue.find"}),
    ("get_hover", {"file": "shop/basket.py", "symbol": "Basket"}),
    ("get_outline", {"file": "shop/catalogue.py"}),
]


@pytest.mark.timeout(3600)
async def test_every_call_ends_in_time_whatever_happens_to_the_server(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(7)
    ends: Counter[str] = Counter()
    before = _children()
    async with app_over(shop, tmp_path, **LIMITS) as app:
        for _ in range(CALLS):
            ends[await _one_call(app, chance)] += 1
    assert _children() <= before
    with capsys.disabled():
        sys.stdout.write(f"\n{CALLS} calls under fire: {dict(ends)}\n")
    assert set(ends) <= EXPECTED | {"answered"}
    assert ends["answered"] >= CALLS // 3


async def _one_call(app: App, chance: random.Random) -> str:
    tool, arguments = chance.choice(QUESTIONS)
    fault = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP, None])
    delay = chance.random() * 0.6
    ended: list[str] = []
    victims: list[psutil.Process] = []

    async def call() -> None:
        answer = await app.boundary.call(tool, arguments)
        ended.append("answered" if answer.ok else answer.data["error"]["kind"])

    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.sleep(delay)  # the fault comes at a random moment of the call
            victims += [process for process in _language_servers() if fault and _send(process, fault)]
    for process in victims:
        _send(process, signal.SIGCONT)
    return ended[0]


def _children() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True) if process.status() != "zombie"}


def _language_servers() -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.Process().children(recursive=True):
        try:
            if any("langserver" in part for part in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _send(process: psutil.Process, number: signal.Signals) -> bool:
    try:
        process.send_signal(number)
    except psutil.Error:
        return False
    return True
