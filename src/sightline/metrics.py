"""Counts and durations per operation, kept in bounded memory."""

from __future__ import annotations

import bisect
import math
from collections import deque
from dataclasses import dataclass, field

_SAMPLES = 512
BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Where the classes of a histogram end; the last class is for all that took longer."""


@dataclass(slots=True)
class _Operation:
    count: int = 0
    errors: int = 0
    total_s: float = 0.0
    max_s: float = 0.0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=_SAMPLES))
    classes: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationSummary:
    """One operation since the start; the percentiles are over its latest calls."""

    operation: str
    count: int
    errors: int
    average_ms: float
    p50_ms: float
    p95_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """The durations of one operation since the start; `classes[n]` took at most `BOUNDS_S[n]`, and more than the
    bound before."""

    operation: str
    count: int
    errors: int
    total_s: float
    classes: tuple[int, ...]


class Metrics:
    """What was done, how often it failed, how long it took."""

    def __init__(self) -> None:
        self._operations: dict[str, _Operation] = {}

    def record(self, operation: str, seconds: float, *, is_error: bool) -> None:
        entry = self._operations.setdefault(operation, _Operation())
        entry.count += 1
        entry.errors += is_error
        entry.total_s += seconds
        entry.max_s = max(entry.max_s, seconds)
        entry.latest.append(seconds)
        entry.classes[bisect.bisect_left(BOUNDS_S, seconds)] += 1

    @property
    def call_count(self) -> int:
        return sum(entry.count for entry in self._operations.values())

    @property
    def error_count(self) -> int:
        return sum(entry.errors for entry in self._operations.values())

    def summaries(self) -> list[OperationSummary]:
        return [_summary(name, entry) for name, entry in sorted(self._operations.items())]

    def histograms(self) -> list[Histogram]:
        return [
            Histogram(
                operation=name,
                count=entry.count,
                errors=entry.errors,
                total_s=entry.total_s,
                classes=tuple(entry.classes),
            )
            for name, entry in sorted(self._operations.items())
        ]


def _summary(name: str, entry: _Operation) -> OperationSummary:
    ordered = sorted(entry.latest)
    return OperationSummary(
        operation=name,
        count=entry.count,
        errors=entry.errors,
        average_ms=_ms(entry.total_s / entry.count),
        p50_ms=_ms(_percentile(ordered, 0.50)),
        p95_ms=_ms(_percentile(ordered, 0.95)),
        max_ms=_ms(entry.max_s),
    )


def _percentile(ordered: list[float], share: float) -> float:
    """The smallest value that at least this share of the values do not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
