"""`start`: from the spawn of the server to its first answer, and its memory when the tools are listed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.commands import bare_server_command, serve_command
from bench.measure import Bench, Budget, Comparison, Contender
from bench.stdio_client import serving


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        ours = serve_command(Path(folder))
        count = tool_count(ours)
        bare = bare_server_command(count)
        names = (f"bare SDK server, {count} tools", f"`sightline serve`, {count} tools")
        yield [
            Comparison(
                "Spawn to `initialize` answered",
                "ms",
                [
                    Contender(names[0], partial(milliseconds_to_answer, bare)),
                    Contender(names[1], partial(milliseconds_to_answer, ours), Budget(1.2)),
                ],
            ),
            Comparison(
                "Resident memory after `tools/list`, all processes",
                "MB",
                [
                    Contender(names[0], partial(memory_when_listed, bare)),
                    Contender(names[1], partial(memory_when_listed, ours), Budget(1.3)),
                ],
            ),
        ]


def tool_count(command: Sequence[str]) -> int:
    with serving(command) as client:
        client.initialize()
        return len(client.list_tools())


def milliseconds_to_answer(command: Sequence[str]) -> float:
    started = time.perf_counter()
    with serving(command) as client:
        client.initialize()
        return (time.perf_counter() - started) * 1000


def memory_when_listed(command: Sequence[str]) -> float:
    with serving(command) as client:
        client.initialize()
        client.list_tools()
        return client.memory_mb()


START = Bench("start", "How much later than a bare server do we answer, and how much more memory do we hold?", prepare)
