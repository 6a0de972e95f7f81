"""Calls under fire: one question each, one fault at a random moment of it, and how it ended."""

from __future__ import annotations

import gc
import random
import re
import signal
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import anyio
import psutil

from sightline.answers import Answer
from sightline.app import App
from tests.oracle.truths import QUESTIONS, STATES, Question, Sample, Truths, essence
from tests.support.faulty_apps import Control
from tests.support.marked_processes import Mark

DEADLINE_S = 40.0
ANSWERED, WRONG, UNKNOWN, LEFT_ALONE = "answered", "WRONG", "not known", "server_crashed: left alone"
EXPECTED = {ANSWERED, UNKNOWN, LEFT_ALONE, "server_crashed", "server_starting", "timeout"}

SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}
# Of 20 calls. More kills would open the breaker for good, and then nothing is asked of the server any more.
_BAG = [
    *["none"] * 4,
    *["garbage"] * 3,
    *["slow"] * 3,
    *["errors"] * 3,
    *["drop"] * 2,
    *["corrupt"] * 1,
    *["kill"] * 2,
    *["stop"] * 2,
]
KINDS = sorted(set(_BAG))
_LEFT_ALONE = re.compile(r"it failed \d+ times")


def faults(chance: random.Random) -> Iterator[str]:
    """First one of each kind, then every kind in its share, in random order, without end."""
    yield from chance.sample(KINDS, len(KINDS))
    while True:
        yield from chance.sample(_BAG, len(_BAG))


@dataclass(slots=True)
class Tally:
    """How calls ended, by fault; and what it cost."""

    ends: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    crashes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    hit: int = 0
    longest_s: float = 0.0
    memory_mb: list[float] = field(default_factory=list[float])
    surprises: list[str] = field(default_factory=list[str])

    def total(self, *ends: str) -> int:
        return sum(count for (_, end), count in self.ends.items() if not ends or end in ends)

    def note_memory(self) -> None:
        gc.collect()
        self.memory_mb.append(psutil.Process().memory_info().rss / 1e6)

    def memory(self) -> tuple[float, float]:
        """Medians of the first and the last quarter, without the first tenth of all calls."""
        warm = self.memory_mb[len(self.memory_mb) // 10 :]
        quarter = max(len(warm) // 4, 1)
        return statistics.median(warm[:quarter]), statistics.median(warm[-quarter:])

    def __str__(self) -> str:
        first, last = self.memory()
        lines = [
            f"{self.total()} calls under fire, {self.hit} of them hit while they ran; longest {self.longest_s:.1f} s",
            f"  memory: {first:.1f} MB in the first quarter, {last:.1f} MB in the last",
        ]
        for fault in sorted({fault for fault, _ in self.ends}):
            ends = {end: count for (of, end), count in sorted(self.ends.items()) if of == fault}
            lines.append(f"  {fault}: {ends}")
        said = [f"  server_crashed, {fault}, {count}: {what}" for (fault, what), count in self.crashes.items()]
        return "\n".join([*lines, *said, *self.surprises])


@dataclass(frozen=True, slots=True)
class Fire:
    """An application over a sample whose truths are known, and the means to hurt its servers."""

    app: App
    sample: Sample
    control: Control
    mark: Mark
    truths: Truths
    chance: random.Random
    is_patient: bool
    """Whether to wait as long as a server is left alone, so that the next call reaches one."""
    tally: Tally = field(default_factory=Tally)

    async def call(self, fault: str) -> None:
        """One call; raises `TimeoutError` if it has no end."""
        state = self.chance.choice(STATES)
        self.sample.enter(state)
        question = self.chance.choice(QUESTIONS)
        delay = self.chance.choice((0.0, 0.03, 0.3)) * self.chance.random()
        started = anyio.current_time()
        with anyio.fail_after(DEADLINE_S):
            answer = await self._under(fault, question, delay)
        self.tally.longest_s = max(self.tally.longest_s, anyio.current_time() - started)
        end = judge(answer, self.truths[state, question])
        if end not in EXPECTED:
            self.tally.surprises.append(
                f"  {end}: call {self.tally.total()}, {fault}, state {state}, {question}: {answer.text}"
            )
        if end == "server_crashed":
            self.tally.crashes[fault, answer.data["error"]["message"]] += 1
        self.tally.ends[fault, end] += 1
        self.tally.note_memory()
        if end == LEFT_ALONE and self.is_patient:
            await anyio.sleep(answer.data["error"]["retry_after_ms"] / 1000)

    async def _under(self, fault: str, question: Question, delay: float) -> Answer:
        answers: list[Answer] = []
        victims: list[psutil.Process] = []

        async def ask() -> None:
            answers.append(await self.app.boundary.call(question.tool, question.arguments))

        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                await anyio.sleep(delay)  # the fault comes at a random moment of the call
                self.tally.hit += fault != "none" and not answers
                if number := SIGNALS.get(fault):
                    victims += [each for each in self.mark.language_servers() if send(each, number)]
                elif fault != "none":
                    self.control.begin(fault)
        finally:
            self.control.end()
            for process in victims:
                send(process, signal.SIGCONT)
        return answers[0]


def judge(answer: Answer, truth: str) -> str:
    if answer.ok:
        claim = essence(answer)
        return UNKNOWN if claim is None else ANSWERED if claim == truth else WRONG
    error: dict[str, Any] = answer.data["error"]
    is_left_alone = error["kind"] == "server_crashed" and _LEFT_ALONE.search(error["message"])
    return LEFT_ALONE if is_left_alone else error["kind"]


def send(process: psutil.Process, number: signal.Signals) -> bool:
    try:
        process.send_signal(number)
    except psutil.Error:
        return False
    return True
