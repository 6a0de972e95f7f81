"""Counts are exact, percentiles are right, memory is bounded."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.metrics import BOUNDS_S, Metrics, OperationSummary

UNTIMED = settings(deadline=None)
WINDOW = 512


def summary_of(durations_ms: list[int], errors: int = 0) -> OperationSummary:
    metrics = Metrics()
    for number, duration in enumerate(durations_ms):
        metrics.record("work", duration / 1000, is_error=number < errors)
    (summary,) = metrics.summaries()
    return summary


def smallest_covering(durations: list[int], share: Fraction) -> int:
    """By definition, and by counting: the smallest value that this share of all values do not exceed."""
    return min(value for value in durations if sum(other <= value for other in durations) >= share * len(durations))


@UNTIMED
@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=150))
def test_percentiles_average_and_maximum_are_those_of_the_calls(durations: list[int]) -> None:
    summary = summary_of(durations)
    assert summary.p50_ms == smallest_covering(durations, Fraction(50, 100))
    assert summary.p95_ms == smallest_covering(durations, Fraction(95, 100))
    assert summary.max_ms == max(durations)
    assert summary.average_ms == pytest.approx(sum(durations) / len(durations), abs=0.006)


@pytest.mark.parametrize("count", [1, 2, 19, 20, 21, 40, 60, 100, 140, 220, 300, 500, 512])
def test_the_rank_of_a_percentile_does_not_suffer_from_binary_fractions(count: int) -> None:
    summary = summary_of(list(range(1, count + 1)))
    assert summary.p95_ms == -(-95 * count // 100)
    assert summary.p50_ms == -(-count // 2)


@UNTIMED
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30), st.data())
def test_calls_and_errors_are_counted(durations: list[int], data: st.DataObject) -> None:
    errors = data.draw(st.integers(0, len(durations)))
    summary = summary_of(durations, errors)
    assert (summary.count, summary.errors) == (len(durations), errors)


def test_operations_are_counted_apart_and_listed_by_name() -> None:
    metrics = Metrics()
    metrics.record("b", 0.002, is_error=True)
    metrics.record("a", 0.001, is_error=False)
    metrics.record("b", 0.004, is_error=False)
    assert [(each.operation, each.count, each.errors, each.max_ms) for each in metrics.summaries()] == [
        ("a", 1, 0, 1.0),
        ("b", 2, 1, 4.0),
    ]
    assert (metrics.call_count, metrics.error_count) == (3, 1)


def test_without_calls_there_is_nothing_to_tell() -> None:
    assert Metrics().summaries() == []
    assert Metrics().call_count == 0


def test_percentiles_follow_the_latest_calls_and_the_maximum_remembers_all() -> None:
    summary = summary_of([5000] * 2000 + [1] * WINDOW)
    assert (summary.p50_ms, summary.p95_ms) == (1, 1)
    assert (summary.max_ms, summary.count) == (5000, 2000 + WINDOW)


def test_memory_does_not_grow_with_the_number_of_calls() -> None:
    metrics = Metrics()

    def record(count: int) -> int:
        for number in range(count):
            metrics.record("work", number * 1.000001, is_error=False)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        after_few = record(2 * WINDOW)
        after_many = record(20_000)
    finally:
        tracemalloc.stop()
    assert after_many - after_few < 10_000


def test_a_histogram_puts_each_duration_in_the_class_that_it_does_not_exceed() -> None:
    metrics = Metrics()
    for seconds in (0.001, BOUNDS_S[0], 0.2, BOUNDS_S[-1] + 1):
        metrics.record("a", seconds, is_error=seconds > 1)
    (histogram,) = metrics.histograms()
    assert histogram.classes[0] == 2
    assert histogram.classes[BOUNDS_S.index(0.25)] == 1
    assert histogram.classes[-1] == 1
    assert (histogram.count, histogram.errors, sum(histogram.classes)) == (4, 1, 4)
