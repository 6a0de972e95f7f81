"""Comparing contenders: alternating runs, medians, spreads and ratios. Knows nothing of what is measured.

Every round measures each contender once, so that what disturbs the machine disturbs all of them alike, and every
other round goes backwards, so that no contender always follows the same one. Only ratios within a run mean much.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from bench.tally import Tally

MIN_REPEATS = 5


@dataclass(frozen=True, slots=True)
class Budget:
    """The ratio to the baseline that may not be passed; or else what may be added, in the unit of the figure."""

    ratio: float
    or_added: float | None = None

    def holds(self, median: float, baseline: float) -> bool:
        is_within_ratio = median <= self.ratio * baseline
        return is_within_ratio or (self.or_added is not None and median <= baseline + self.or_added)


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to measure: `measure` does it once and returns the figure."""

    name: str
    measure: Callable[[], float]
    budget: Budget | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Contenders for one figure; the first is the baseline of the ratios."""

    title: str
    unit: str
    contenders: Sequence[Contender]


@dataclass(frozen=True, slots=True)
class Bench:
    """A named set of comparisons and tallies; `prepare` sets up what they need and takes it down again.

    One that takes many minutes, or downloads something, runs only when it is named.
    """

    name: str
    question: str
    prepare: Callable[[], AbstractContextManager[Sequence[Comparison | Tally]]]
    is_on_request: bool = False


class Reused:
    """A measurement that is too long to be made in every round: made `times` times, then its figures go round again.

    Only for what comes out the same in every comparison that shares it. As many figures in a row as there are
    measurements hold each of them once, so a comparison of that many rounds is of measured figures only.
    """

    def __init__(self, measure: Callable[[], float], times: int) -> None:
        self._measure = measure
        self._times = times
        self._figures: list[float] = []
        self._asked = 0

    def __call__(self) -> float:
        if len(self._figures) < self._times:
            self._figures.append(self._measure())
        self._asked += 1
        return self._figures[(self._asked - 1) % self._times]


@dataclass(frozen=True, slots=True)
class Sample:
    """The figures of one contender, one for each round."""

    contender: Contender
    figures: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        return statistics.median(self.figures)

    def ratio_to(self, baseline: Sample) -> float:
        return self.median / baseline.median


def measure(comparison: Comparison, repeats: int) -> list[Sample]:
    """Measure the contenders in turn, after one round that does not count."""
    samples = [Sample(contender) for contender in comparison.contenders]
    for contender in comparison.contenders:
        contender.measure()
    for number in range(repeats):
        for sample in samples if number % 2 == 0 else reversed(samples):
            sample.figures.append(sample.contender.measure())
    return samples
