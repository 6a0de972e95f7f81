"""Many calls at once, and more projects than language servers: every answer is right, and the limits hold.

`SIGHTLINE_ORACLE=full` repeats both.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from sightline.answers import Answer
from sightline.app import App
from sightline.code.service import CodeService
from sightline.lsp.pool import Pool
from tests.oracle.faults import ANSWERED, judge
from tests.oracle.truths import QUESTIONS, Question, Sample, Truths
from tests.support.apps import app_over
from tests.support.marked_processes import Mark, marking
from tests.support.wire import LineServer, serving

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
AT_ONCE = 20
PROJECTS = ("one", "two", "three")
LIMITS: dict[str, Any] = {"code__pool_size": 2, "code__request_timeout_s": 60}
GONE_WITHIN_S = 15.0


def test_twenty_calls_at_once_from_one_client_are_all_answered_right(
    shop: Path, tmp_path: Path, truths: Truths, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {100 + number: QUESTIONS[number % len(QUESTIONS)] for number in range(AT_ONCE)}

    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        rounds = [_ask_at_once(server, asked, truths) for _ in range(6 if IS_FULL else 2)]

    with capsys.disabled():
        times = ", ".join(f"{seconds:.2f} s" for seconds in rounds)
        sys.stdout.write(f"\n{AT_ONCE} calls at once over stdio, all answered right; cold, then warm: {times}\n")


def _ask_at_once(server: LineServer, asked: dict[int, Question], truths: Truths) -> float:
    """Send all, then read all; how long it took."""
    started = time.monotonic()
    for request_id, question in asked.items():
        params = {"name": question.tool, "arguments": dict(question.arguments)}
        server.send("tools/call", params, request_id=request_id)
    left = dict(asked)
    while left:
        message = json.loads(server.read_bytes())
        if question := left.pop(message.get("id"), None):
            data = message["result"]["structuredContent"]
            assert judge(Answer(data["ok"], "", data), truths[0, question]) == ANSWERED, data
    return time.monotonic() - started


@dataclass(slots=True)
class ServerWatch:
    """What a bystander sees of the language servers: how many the pool holds, and whether those it drops go away."""

    pool: Pool
    mark: Mark
    most_held: int = 0
    most_processes: int = 0
    dropped: dict[psutil.Process, float] = field(default_factory=dict[psutil.Process, float])
    longest_goodbye_s: float = 0.0

    async def run(self) -> None:
        while True:
            self.look()
            await anyio.sleep(0.05)

    def look(self) -> None:
        processes = set(self.mark.language_servers())
        workspaces = self.pool.workspaces().values()
        held = {workspace.session.pid for workspace in workspaces}
        self.most_held = max(self.most_held, len(workspaces))
        self.most_processes = max(self.most_processes, len(processes))
        now = time.monotonic()
        gone = self.dropped.keys() - processes
        self.longest_goodbye_s = max([self.longest_goodbye_s, *(now - self.dropped.pop(each) for each in gone)])
        for process in processes:
            if process.pid in held:
                self.dropped.pop(process, None)
            else:
                assert now - self.dropped.setdefault(process, now) < GONE_WITHIN_S, process


@asynccontextmanager
async def _watched(app: App, mark: Mark) -> AsyncGenerator[ServerWatch]:
    service: CodeService = app.boundary.services["code"]
    watch = ServerWatch(service.servers.pool, mark)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch.run)
        yield watch
        tasks.cancel_scope.cancel()


def _three_projects(shop: Path) -> Path:
    """Each in a state of its own, so that an answer from the wrong one is a wrong answer."""
    root = shop.parent / "projects"
    for state, name in enumerate(PROJECTS):
        shutil.copytree(shop, root / name)
        Sample.at(root / name).enter(state)
    return root


@pytest.mark.timeout(900)
async def test_three_projects_share_a_pool_of_two(
    shop: Path, tmp_path: Path, truths: Truths, capsys: pytest.CaptureFixture[str]
) -> None:
    root = _three_projects(shop)
    chance = random.Random(11)
    ends: Counter[str] = Counter()

    async def ask(app: App, state: int, question: Question) -> None:
        answer = await app.boundary.call(question.tool, {**question.arguments, "project": PROJECTS[state]})
        ends[end := judge(answer, truths[state, question])] += 1
        assert end in (ANSWERED, "busy"), answer.text

    with marking() as mark:
        async with app_over(root, tmp_path, **LIMITS) as app, _watched(app, mark) as watch:
            for state in [0, 1, 2, 0, *chance.choices(range(3), k=36 if IS_FULL else 0)]:
                await ask(app, state, chance.choice(QUESTIONS))
            one_by_one, evictions = dict(ends), watch.pool.counts.evictions
            for _ in range(10 if IS_FULL else 1):
                async with anyio.create_task_group() as tasks:
                    for state in [*range(3)] * 2:
                        tasks.start_soon(ask, app, state, chance.choice(QUESTIONS))

    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(PROJECTS)} projects, a pool of 2: {one_by_one} one by one, {dict(ends)} with those at "
            f"once; {watch.pool.counts}; at most {watch.most_held} held, {watch.most_processes} processes, "
            f"the longest goodbye {watch.longest_goodbye_s:.2f} s\n"
        )
    assert set(one_by_one) == {ANSWERED}
    assert evictions > 1
    assert watch.most_held <= 2
    assert watch.most_processes >= 2, "a watch that sees nothing proves nothing"
    assert not await mark.left_behind()
