"""`cclsp`: Sightline against another MCP server over the same Pyright, on the same questions; and who is right later.

Times are of warm servers on files that nobody edits. The tally is of answers after edits from outside, which is what
an agent's own editing tools are to a server.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.cclsp_server import PACKAGE, cclsp, install
from bench.contestant import Asked, Contestant, sightline
from bench.freshness import Start, count_outcomes
from bench.measure import Bench, Comparison, Contender
from bench.navigation import copy_of, place_of
from bench.outside_edits import KINDS
from bench.tally import Tally

_LIBRARY = "click"
_FILE = "click/formatting.py"
_SYMBOL = "HelpFormatter"
_CALLS = 20
_ROUNDS = 5

Question = Callable[[Contestant], object]


@contextmanager
def prepare() -> Generator[Sequence[Comparison | Tally]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        entry = install(folder)
        numbers = itertools.count()

        def make_project() -> Path:
            project = folder / f"project_{next(numbers)}"
            project.mkdir()
            return copy_of(_LIBRARY, project)

        starts: list[Start] = [sightline, partial(cclsp, entry)]
        project = make_project()
        with sightline(project) as ours, cclsp(entry, project) as theirs:
            yield [*_comparisons(ours, theirs, project), _tally(starts, make_project)]


def _comparisons(ours: Contestant, theirs: Contestant, project: Path) -> list[Comparison]:
    line, column = place_of(project / _FILE, f"class {_SYMBOL}")
    asked = Asked(_FILE, _SYMBOL, line, column)
    questions: dict[str, Question] = {
        "References": lambda contestant: contestant.references(asked),
        "Definition": lambda contestant: contestant.definition(asked),
        "Diagnostics of a file": lambda contestant: contestant.diagnostics(_FILE),
        "Hover": lambda contestant: _SYMBOL in (contestant.hover(asked) or ""),
    }
    return [_comparison(what, question, ours, theirs) for what, question in questions.items()]


def _comparison(what: str, question: Question, ours: Contestant, theirs: Contestant) -> Comparison:
    return Comparison(
        f"{what}, warm",
        "ms",
        [
            Contender(PACKAGE, partial(_ms, question, theirs, ours)),
            Contender("Sightline", partial(_ms, question, ours, theirs)),
        ],
    )


def _ms(question: Question, contestant: Contestant, other: Contestant) -> float:
    """The time of one of many calls; raises `RuntimeError` if the two do not say the same."""
    expected = question(other)
    question(contestant)
    started = time.perf_counter()
    for _ in range(_CALLS):
        if not _is_answer(given := question(contestant)) or given != expected:
            raise RuntimeError(f"{contestant.name} says {given}, {other.name} says {expected}")
    return (time.perf_counter() - started) * 1000 / _CALLS


def _is_answer(given: object) -> bool:
    return given is not None and given is not False


def _tally(starts: Sequence[Start], make_project: Callable[[], Path]) -> Tally:
    return Tally(
        f"Wrong answers after {KINDS * _ROUNDS} edits from outside",
        "edit",
        partial(count_outcomes, starts, make_project, _ROUNDS),
    )


RIVAL = Bench(
    "cclsp",
    "How does Sightline compare with another server for agents over the same Pyright?",
    prepare,
    is_on_request=True,
)
