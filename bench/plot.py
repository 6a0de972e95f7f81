"""The figures as one picture: SVG written by hand, in the reader's light or dark colours.

Each panel has bars from the baseline outwards, on a logarithmic scale where they are ratios, with the budget as a
mark. `python -m bench.plot FILE` prints the picture of a stored file of figures.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bench.figures import Figures, Row, read_figures

_TIMES = "\N{MULTIPLICATION SIGN}"
_WIDTH = 920
_LABELS = 400
_RIGHT = 90
_BAR = 16
_STEP = 28
_HEAD = 58
_FOOT = 40
_STYLE = """\
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 15px; }
  .tick, .note { font-size: 11px; fill: #59636e; }
  .grid { stroke: #d1d9e0; }
  .zero { stroke: #59636e; }
  .bar { fill: #0969da; }
  .over { fill: #bc4c00; }
  .budget { stroke: #1f2328; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .tick, .note { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .zero { stroke: #9198a1; }
    .bar { fill: #4493f8; }
    .over { fill: #db6d28; }
    .budget { stroke: #f0f6fc; }
  }
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with the mark that it is held against."""

    label: str
    value: float
    shown: str
    mark: float | None = None
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars on one scale, which begin at the first tick or, if there is one, at 1."""

    title: str
    note: str
    bars: Sequence[Bar]
    ticks: Sequence[float]
    suffix: str
    is_logarithmic: bool = True

    @property
    def height(self) -> int:
        return _HEAD + _STEP * len(self.bars) + _FOOT

    def x(self, value: float) -> float:
        low, high, at = (self._scaled(each) for each in (self.ticks[0], self.ticks[-1], value))
        return _LABELS + (_WIDTH - _LABELS - _RIGHT) * min(max((at - low) / (high - low), 0.0), 1.0)

    @property
    def start(self) -> float:
        return 1.0 if self.is_logarithmic and 1.0 in self.ticks else self.ticks[0]

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.is_logarithmic else value


def picture(figures: Figures) -> str:
    """The SVG of all panels for which there are figures."""
    panels = [panel for panel in _panels(figures) if panel.bars]
    body: list[str] = []
    top = 0
    for panel in panels:
        body.append(f'<g transform="translate(0 {top})">\n{_drawn(panel)}\n</g>')
        top += panel.height
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" width="{_WIDTH}" height="{top}"'
    titles = "; ".join(panel.title for panel in panels)
    return "\n".join(
        [f'{opening} role="img" aria-label="{escape(titles)}">', f"<style>\n{_STYLE}</style>", *body, "</svg>\n"]
    )


def _panels(figures: Figures) -> list[Panel]:
    checks = [_faster(row) for row in _rows(figures, "large", "check")]
    asks = [_slower(row) for row in _rows(figures, "navigation")]
    rivals = [_slower(row) for row in _rows(figures, "cclsp")]
    wrong = [
        Bar(count.name, 100 * count.wrong / count.total, f"{count.wrong} of {count.total}")
        for count in (figures["cclsp"].counts if "cclsp" in figures else ())
    ]
    return [
        Panel(
            "check_types: times faster than the pyright command",
            "longer is better; the mark is the budget, and a bar that misses it is orange",
            checks,
            _powers(checks),
            _TIMES,
        ),
        Panel(
            "Navigation: times the language server's own time",
            "shorter is better; the mark is the budget, and a bar that passes it is orange",
            asks,
            _halves(asks),
            _TIMES,
        ),
        Panel(
            "Questions, warm: times cclsp's time on the same Pyright",
            "shorter is better; left of 1 is faster than cclsp",
            rivals,
            _halves(rivals),
            _TIMES,
        ),
        Panel(
            "Wrong answers after edits from outside",
            "shorter is better",
            wrong,
            (0, 25, 50, 75, 100),
            " %",
            is_logarithmic=False,
        ),
    ]


def _rows(figures: Figures, *benches: str) -> list[Row]:
    return [row for bench in benches if bench in figures for row in figures[bench].rows]


def _faster(row: Row) -> Bar:
    times = 1 / row.ratio
    limit = None if row.limit is None else 1 / row.limit
    return Bar(row.title, times, _times(times), limit, is_over=limit is not None and times < limit)


def _slower(row: Row) -> Bar:
    return Bar(row.title, row.ratio, _times(row.ratio), row.limit, row.limit is not None and row.ratio > row.limit)


def _times(value: float) -> str:
    digits = 0 if value >= 20 else 1 if value >= 3 else 2
    return f"{value:.{digits}f}{_TIMES}"


def _powers(bars: Sequence[Bar]) -> list[float]:
    """Powers of ten around the bars, with 1 among them."""
    reached = [1.0, 10.0, *(bar.value for bar in bars), *(bar.mark for bar in bars if bar.mark)]
    low, high = math.floor(math.log10(min(reached))), math.ceil(math.log10(max(reached)))
    return [10.0**exponent for exponent in range(low, high + 1)]


def _halves(bars: Sequence[Bar]) -> list[float]:
    """Powers of two around the bars, with 1 among them, and a step between each two."""
    reached = [1.0, 2.0, *(bar.value for bar in bars), *(bar.mark for bar in bars if bar.mark)]
    low, high = math.floor(math.log2(min(reached))), math.ceil(math.log2(max(reached)))
    between = [step * 2.0**exponent for exponent in range(low, high) for step in (1.0, 1.5)]
    return [*between, 2.0**high]


def _drawn(panel: Panel) -> str:
    bottom = _HEAD + _STEP * len(panel.bars)
    lines = [
        f'<text class="title" x="8" y="24">{escape(panel.title)}</text>',
        f'<text class="note" x="8" y="42">{escape(panel.note)}</text>',
    ]
    for tick in panel.ticks:
        x = panel.x(tick)
        kind = "zero" if tick == panel.start else "grid"
        lines.append(f'<line class="{kind}" x1="{x:.1f}" y1="{_HEAD - 6}" x2="{x:.1f}" y2="{bottom}"/>')
        label = f"{tick:g}{panel.suffix}"
        lines.append(f'<text class="tick" text-anchor="middle" x="{x:.1f}" y="{bottom + 15}">{label}</text>')
    for number, bar in enumerate(panel.bars):
        lines += _drawn_bar(panel, bar, _HEAD + _STEP * number)
    return "\n".join(lines)


def _drawn_bar(panel: Panel, bar: Bar, top: float) -> list[str]:
    start, end = panel.x(panel.start), panel.x(bar.value)
    middle = top + _BAR / 2 + 4.5
    kind = "over" if bar.is_over else "bar"
    reach = [start, end]
    left, width = min(start, end), max(abs(end - start), 1.0)
    lines = [
        f'<text text-anchor="end" x="{_LABELS - 12}" y="{middle}">{escape(_plain(bar.label))}</text>',
        f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}" rx="2"/>',
    ]
    if bar.mark is not None:
        x = panel.x(bar.mark)
        reach.append(x)
        lines.append(f'<line class="budget" x1="{x:.1f}" y1="{top - 4}" x2="{x:.1f}" y2="{top + _BAR + 4}"/>')
    return [*lines, f'<text x="{max(reach) + 8:.1f}" y="{middle}">{escape(bar.shown)}</text>']


def _plain(label: str) -> str:
    """Without Markdown's quotes."""
    return label.replace("`", "")


if __name__ == "__main__":
    print(picture(read_figures(Path(sys.argv[1]))), end="")
