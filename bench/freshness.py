"""Whether answers are right after somebody else has edited: each contestant in a copy of its own, asked alike.

The edit is written to a contestant's copy and it is asked at once, or after a pause; then the next one. What is right
for diagnostics is what a `pyright` command started for it finds; for references the edits know it themselves. Nothing
is restarted in between, so an edit that a server has missed can make its later answers wrong as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.contestant import Contestant, Finding, Spot, finding
from bench.outside_edits import CHECKED_FILE, SYMBOL, Edit, EditedPackage, write
from bench.tally import Outcome, Outcomes
from bench.type_check import pyright_output

Start = Callable[[Path], AbstractContextManager[Contestant]]

_SEED = 20
_WARM_UP_TRIES = 10


@dataclass(frozen=True, slots=True)
class Pause:
    """How long to wait between an edit and the question."""

    name: str
    seconds: float


PAUSES = (Pause("asked at once", 0.0), Pause("asked after 2 s", 2.0))


def count_outcomes(
    starts: Sequence[Start], make_project: Callable[[], Path], rounds: int
) -> dict[str, dict[str, Outcomes]]:
    """By kind of edit and by contestant, with each of the pauses."""
    counts: dict[str, dict[str, Outcomes]] = {}
    truth = Truth(make_project())
    for start in starts:
        for pause in PAUSES:
            _count(start, pause, make_project(), rounds, truth, counts)
    return counts


def _count(
    start: Start,
    pause: Pause,
    project: Path,
    rounds: int,
    truth: Truth,
    counts: dict[str, dict[str, Outcomes]],
) -> None:
    package = EditedPackage(_SEED)
    write(package.files(), project)
    with ExitStack() as stack:
        contestant = stack.enter_context(start(project))
        _require_right_before_any_edit(contestant, package, truth)
        for edit in package.edits(rounds):
            write(edit.changes, project)
            time.sleep(pause.seconds)
            given = _ask(contestant, edit)
            outcomes = counts.setdefault(edit.kind, {}).setdefault(f"{contestant.name}, {pause.name}", Outcomes())
            outcomes.add(_outcome(given, truth.of(edit, package)))


def _require_right_before_any_edit(contestant: Contestant, package: EditedPackage, truth: Truth) -> None:
    """So that what is wrong later is wrong because of an edit; a server that is still starting is asked again."""
    for edit in (Edit("none", "diagnostics", {}), Edit("none", "references", {})):
        right = truth.of(edit, package)
        if not any(_ask_again(contestant, edit) == right for _ in range(_WARM_UP_TRIES)):
            raise RuntimeError(f"{contestant.name} is wrong before any edit: {_ask(contestant, edit)}, not {right}")


def _ask_again(contestant: Contestant, edit: Edit) -> frozenset[Finding] | frozenset[Spot] | None:
    time.sleep(1)
    return _ask(contestant, edit)


def _ask(contestant: Contestant, edit: Edit) -> frozenset[Finding] | frozenset[Spot] | None:
    if edit.question == "diagnostics":
        return contestant.diagnostics(CHECKED_FILE)
    return contestant.references(SYMBOL)


def _outcome(
    given: frozenset[Finding] | frozenset[Spot] | None, right: frozenset[Finding] | frozenset[Spot]
) -> Outcome:
    if given is None:
        return "none"
    return "right" if given == right else "wrong"


class Truth:
    """What is right, by a process that knows no past, in a copy of its own; the same files are not checked twice."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._written: Mapping[str, str] = {}
        self._known: dict[tuple[tuple[str, str], ...], frozenset[Finding]] = {}

    def of(self, edit: Edit, package: EditedPackage) -> frozenset[Finding] | frozenset[Spot]:
        return self._findings(package.files()) if edit.question == "diagnostics" else package.references()

    def _findings(self, files: Mapping[str, str]) -> frozenset[Finding]:
        key = tuple(sorted(files.items()))
        if key not in self._known:
            write({**dict.fromkeys(self._written), **files}, self._project)
            self._written = files
            raws = pyright_output(self._project, CHECKED_FILE)["generalDiagnostics"]
            self._known[key] = frozenset(
                finding(raw["range"]["start"]["line"] + 1, raw.get("rule"), raw["message"]) for raw in raws
            )
        return self._known[key]
