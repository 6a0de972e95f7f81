"""`http-load`: many HTTP clients over many projects in one process, against one client alone.

It runs once, for `SIGHTLINE_LOAD_SECONDS` (300), with `SIGHTLINE_LOAD_CLIENTS` (200) over 20 projects and a pool of
`SIGHTLINE_LOAD_POOL` (20) language servers; the time is cut into equal parts, and each part gives one figure. The
clients share the machine with the service and the language servers.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import anyio
import psutil

from bench.commands import SIGHTLINE
from bench.load_clients import PATIENT, Replies, Reply, crowd, make_projects
from bench.measure import MIN_REPEATS, Bench, Comparison, Contender
from bench.tally import Counts, Outcomes, Tally

PROJECTS = 20
SECONDS = float(os.environ.get("SIGHTLINE_LOAD_SECONDS", "300"))
CLIENTS = int(os.environ.get("SIGHTLINE_LOAD_CLIENTS", "200"))
POOL = int(os.environ.get("SIGHTLINE_LOAD_POOL", "20"))
PARTS = 10

_ALONE_SHARE = 0.2
_WARM_UP_S = 120.0
_LOOK_S = 0.5

Looks = list[tuple[float, float]]
"""Times and megabytes."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one run: of one client alone, of all of them, and the memory of the service meanwhile."""

    alone: Replies
    together: Replies
    memory: Looks
    began: float


@contextmanager
def prepare() -> Generator[Sequence[Comparison | Tally]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        run = _run(make_projects(home / "projects", PROJECTS), home)
    _report(run)
    yield [*_comparisons(run), Tally("Failed calls, and calls told to wait", "tool", lambda: _counts(run))]


def _run(projects: Sequence[Path], home: Path) -> Run:
    with _serving(projects, home) as (url, process):
        anyio.run(crowd, url, projects, PROJECTS, min(_WARM_UP_S, SECONDS))
        alone = anyio.run(crowd, url, projects[:1], 1, SECONDS * _ALONE_SHARE)
        began = time.monotonic()
        with _watched(process) as memory:
            together = anyio.run(crowd, url, projects, CLIENTS, SECONDS)
        return Run(alone, together, memory, began)


@contextmanager
def _serving(projects: Sequence[Path], home: Path) -> Generator[tuple[str, psutil.Process]]:
    roots = json.dumps([str(project) for project in projects])
    settings = (f"server.allowed_roots={roots}", f"code.pool_size={POOL}", "code.memory_budget_mb=16384")
    command = [SIGHTLINE, "serve", "--http", "--port", "0", "--project", str(projects[0])]
    command += [f"--set={setting}" for setting in (*settings, "docs.offline=true", "code.idle_timeout_s=3600")]
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stderr
        try:
            started = next(line for line in process.stderr if '"server started"' in line)
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield json.loads(started)["url"], psutil.Process(process.pid)
        finally:
            process.terminate()


@contextmanager
def _watched(process: psutil.Process) -> Generator[Looks]:
    """The memory of the service itself, looked at again and again."""
    looks: Looks = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_S):
            looks.append((time.monotonic(), process.memory_info().rss / 1e6))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield looks
    finally:
        ended.set()
        thread.join()


def _comparisons(run: Run) -> list[Comparison]:
    crowd_name = f"{CLIENTS} clients, {PROJECTS} projects, pool of {POOL}"
    alone, together = run.alone.answered(), run.together.answered()
    p95 = Comparison(
        "95 % of the answers took at most",
        "ms",
        [
            Contender("one client alone", _parts(alone, _p95_ms)),
            Contender(crowd_name, _parts(together, _p95_ms)),
        ],
    )
    rate = Comparison(
        "Answers per second",
        "",
        [
            Contender("one client alone", _parts(alone, _per_second)),
            Contender(crowd_name, _parts(together, _per_second)),
        ],
    )
    half = run.began + SECONDS / 2
    first = [size for at, size in run.memory if at < half]
    second = [size for at, size in run.memory if at >= half]
    memory = Comparison(
        "Memory of the service under load",
        "MB",
        [
            Contender("first half", cycle(_spread(first)).__next__),
            Contender("second half", cycle(_spread(second)).__next__),
        ],
    )
    return [p95, rate, memory]


def _parts(replies: Sequence[Reply], figure: Callable[[Sequence[Reply]], float]) -> Callable[[], float]:
    """The figure of each part of the time, one after the other, and round again."""
    start, end = replies[0].at, replies[-1].at
    width = (end - start) / PARTS or 1.0
    parts: list[list[Reply]] = [[] for _ in range(PARTS)]
    for reply in replies:
        parts[min(PARTS - 1, int((reply.at - start) / width))].append(reply)
    return cycle([figure(part) for part in parts if part]).__next__


def _p95_ms(replies: Sequence[Reply]) -> float:
    ordered = sorted(reply.seconds for reply in replies)
    return ordered[math.ceil(len(ordered) * 0.95) - 1] * 1000


def _per_second(replies: Sequence[Reply]) -> float:
    return len(replies) / max(1e-3, replies[-1].at - replies[0].at)


def _spread(sizes: Sequence[float]) -> list[float]:
    step = max(1, len(sizes) // PARTS)
    return list(sizes[::step]) or [0.0]


def _counts(run: Run) -> Counts:
    """By tool: `wrong` is a failure that no client should see, `none` one that says when to come back."""
    columns = {"one client alone": run.alone, f"{CLIENTS} clients": run.together}
    tools = sorted({reply.tool for reply in run.together.all})
    return {tool: {name: _outcomes(replies, tool) for name, replies in columns.items()} for tool in tools}


def _outcomes(replies: Replies, tool: str) -> Outcomes:
    outcomes = Outcomes()
    for reply in replies.all:
        if reply.tool == tool:
            outcomes.add("right" if reply.failure is None else "none" if reply.failure in PATIENT else "wrong")
    return outcomes


def _report(run: Run) -> None:
    """What failed, by its kind, for whoever reads the run."""
    kinds = Counter(reply.failure for reply in run.together.all)
    print(f"{len(run.together.all)} calls of {CLIENTS} clients: {dict(kinds)}", file=sys.stderr)


HTTP_LOAD = Bench(
    "http-load",
    f"What do {CLIENTS} HTTP clients over {PROJECTS} projects notice of one another? One run of {SECONDS:.0f} s, "
    f"in {PARTS} parts; a pool of {POOL} language servers.",
    prepare,
    is_on_request=True,
)

assert PARTS >= MIN_REPEATS
