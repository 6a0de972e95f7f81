"""`command_line`: the light subcommands against an interpreter that does nothing."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.commands import SIGHTLINE, milliseconds_of
from bench.measure import Bench, Comparison, Contender

_LIGHT = (["--version"], ["--help"], ["tools"], ["config", "show"])


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        idle = Contender("`python -c pass`", partial(milliseconds_of, [sys.executable, "-c", "pass"], cwd=here))
        yield [Comparison("Start to end", "ms", [idle, *(_light(arguments, here) for arguments in _LIGHT)])]


def _light(arguments: Sequence[str], here: Path) -> Contender:
    name = f"`{' '.join(['sightline', *arguments])}`"
    return Contender(name, partial(milliseconds_of, [SIGHTLINE, *arguments], cwd=here))


COMMAND_LINE = Bench(
    "command_line",
    "How long does a light subcommand take? The aim is a tenth of a second.",
    prepare,
)
