"""Figures as Markdown: for the terminal, and between the markers of `docs/benchmarks.md`."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bench.measure import Bench, Budget, Comparison, Sample
from bench.tally import Counts, Tally, totals

_HEAD = ("what", "median", "min … max", "ratio", "budget")

Measured = tuple[Comparison, Sequence[Sample]]
Counted = tuple[Tally, Counts]


def tables(measured: Sequence[Measured], counted: Sequence[Counted], repeats: int) -> str:
    """Every comparison and every tally as a table, and what it was measured with."""
    blocks = [
        *(f"**{comparison.title}**\n\n{_figures_table(comparison.unit, samples)}" for comparison, samples in measured),
        *(f"**{tally.title}**\n\n{_counts_table(tally.row_head, counts)}" for tally, counts in counted),
    ]
    return "\n\n".join([*blocks, _circumstances(repeats)])


def write_between_markers(page: Path, bench: Bench, text: str) -> None:
    """Replace what the page says about a bench; raises `LookupError` if it has no place for it."""
    opening, closing = f"<!-- bench:{bench.name} -->", f"<!-- /bench:{bench.name} -->"
    pattern = re.compile(f"{re.escape(opening)}.*?{re.escape(closing)}", re.DOTALL)
    block = f"{opening}\n{bench.question}\n\n{text}\n{closing}"
    content, count = pattern.subn(lambda _: block, page.read_text(encoding="utf-8"))
    if count != 1:
        raise LookupError(f"no single place for this bench in {page.name}: put `{opening}{closing}` there once")
    page.write_text(content, encoding="utf-8")


def _figures_table(unit: str, samples: Sequence[Sample]) -> str:
    return _table([_HEAD, *(_row(sample, samples[0], unit) for sample in samples)])


def _counts_table(row_head: str, counts: Counts) -> str:
    sums = totals(counts)
    body = [(name, *(str(row[column]) for column in sums)) for name, row in sorted(counts.items())]
    return _table([(row_head, *sums), *body, ("**all**", *(f"**{outcomes}**" for outcomes in sums.values()))])


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, of which the first is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    head, *body = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    return "\n".join([head, rule, *body])


def _row(sample: Sample, baseline: Sample, unit: str) -> tuple[str, ...]:
    low, high = _figure(min(sample.figures)), _figure(max(sample.figures))
    ratio = "1" if sample is baseline else _ratio(sample.ratio_to(baseline))
    return (
        sample.contender.name,
        f"{_figure(sample.median)} {unit}",
        f"{low} … {high}",
        ratio,
        _verdict(sample, baseline, unit),
    )


def _ratio(value: float) -> str:
    """As budgets are written: below a half as a part of one."""
    if value >= 0.5:
        return f"{value:.2f}"
    return f"1/{1 / value:.1f}" if value > 0.1 else f"1/{1 / value:.0f}"


def _figure(value: float) -> str:
    """Three digits that count."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _verdict(sample: Sample, baseline: Sample, unit: str) -> str:
    budget = sample.contender.budget
    if budget is None:
        return "–"  # noqa: RUF001 - a dash in a table
    holds = budget.holds(sample.median, baseline.median)
    return f"{_limit(budget, unit)}: {'within' if holds else 'OVER'}"


def _limit(budget: Budget, unit: str) -> str:
    ratio = f"≤ {budget.ratio:g}" if budget.ratio >= 1 else f"≤ 1/{1 / budget.ratio:g}"
    return ratio if budget.or_added is None else f"{ratio} or + {budget.or_added:g} {unit}"


def _circumstances(repeats: int) -> str:
    parts = [
        f"{repeats} repeats",
        *(f"{name} {version(name)}" for name in ("sightline", "mcp", "pyright")),
        f"Python {platform.python_version()}",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    ]
    return f"<sub>{' · '.join(parts)}</sub>"
