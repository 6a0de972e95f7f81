"""The figures of each bench's last run, kept in one JSON file: what a partial run does not measure stays as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.measure import Sample
from bench.report import Counted, Measured
from bench.tally import Outcomes, totals


@dataclass(frozen=True, slots=True)
class Row:
    """One contender against the baseline of its comparison; `limit` is the ratio that its budget allows."""

    title: str
    name: str
    unit: str
    baseline: float
    median: float
    limit: float | None

    @property
    def ratio(self) -> float:
        return self.median / self.baseline


@dataclass(frozen=True, slots=True)
class Count:
    """One column of a tally, over all its rows."""

    name: str
    wrong: int
    total: int


@dataclass(frozen=True, slots=True)
class Records:
    """What one bench gave."""

    rows: Sequence[Row]
    counts: Sequence[Count]


Figures = Mapping[str, Records]
"""By the name of the bench."""


def records_of(measured: Sequence[Measured], counted: Sequence[Counted]) -> Records:
    """What to keep of a run."""
    rows = [_row(measure, sample) for measure in measured for sample in measure[1][1:]]
    counts = [_count(name, outcomes) for _, counts in counted for name, outcomes in totals(counts).items()]
    return Records(rows, counts)


def store_figures(file: Path, bench: str, records: Records) -> None:
    """Put a bench's figures in the place of its former ones."""
    kept = {**read_figures(file), bench: records}
    content = {name: asdict(kept[name]) for name in sorted(kept)}
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read_figures(file: Path) -> Figures:
    """The figures of every bench that was ever stored; none without a file."""
    if not file.exists():
        return {}
    content = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: Records([Row(**row) for row in each["rows"]], [Count(**count) for count in each["counts"]])
        for name, each in content.items()
    }


def _row(measured: Measured, sample: Sample) -> Row:
    comparison, samples = measured
    baseline = samples[0].median
    name = sample.contender.name
    limit = _limit(sample, baseline)
    return Row(comparison.title, name, comparison.unit, round(baseline, 4), round(sample.median, 4), limit)


def _limit(sample: Sample, baseline: float) -> float | None:
    """A budget that allows a ratio or an amount allows the larger one."""
    budget = sample.contender.budget
    if budget is None:
        return None
    return max(budget.ratio, 1 + budget.or_added / baseline) if budget.or_added is not None else budget.ratio


def _count(name: str, outcomes: Outcomes) -> Count:
    return Count(name, outcomes.wrong, outcomes.total)
