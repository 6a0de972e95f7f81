"""`python -m bench [NAME ...] [--repeats N] [--write]`: run benches and print their figures; never fails on one."""

from __future__ import annotations

import argparse

from bench.commands import REPOSITORY
from bench.figures import read_figures, records_of, store_figures
from bench.measure import MIN_REPEATS, Bench, Comparison, measure
from bench.plot import picture
from bench.registry import BENCHES
from bench.report import Counted, Measured, tables, write_between_markers

PAGE = REPOSITORY / "docs" / "benchmarks.md"
FIGURES = PAGE.with_suffix(".json")
PICTURE = PAGE.with_suffix(".svg")

_USUAL = [name for name, bench in BENCHES.items() if not bench.is_on_request]


def main() -> None:
    arguments = _parser().parse_args()
    for name in arguments.names or _USUAL:
        bench = BENCHES[name]
        print(f"## {bench.name}\n\n{bench.question}\n", flush=True)
        measured, counted = _run(bench, arguments.repeats)
        text = tables(measured, counted, arguments.repeats)
        print(f"{text}\n", flush=True)
        if arguments.write:
            write_between_markers(PAGE, bench, text)
            store_figures(FIGURES, bench.name, records_of(measured, counted))
            PICTURE.write_text(picture(read_figures(FIGURES)), encoding="utf-8")


def _run(bench: Bench, repeats: int) -> tuple[list[Measured], list[Counted]]:
    measured: list[Measured] = []
    counted: list[Counted] = []
    with bench.prepare() as items:
        for item in items:
            if isinstance(item, Comparison):
                measured.append((item, measure(item, repeats)))
            else:
                counted.append((item, item.count()))
    return measured, counted


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Figures of Sightline, as ratios within one run.")
    names = f"of: {', '.join(BENCHES)}; default: {', '.join(_USUAL)}"
    parser.add_argument("names", nargs="*", metavar="NAME", type=_known, help=names)
    parser.add_argument("--repeats", type=_repeats, default=9, help=f"at least {MIN_REPEATS}; default: %(default)s")
    parser.add_argument(
        "--write", action="store_true", help=f"put tables and picture into {PAGE.relative_to(REPOSITORY)}"
    )
    return parser


def _known(name: str) -> str:
    if name not in BENCHES:
        raise argparse.ArgumentTypeError(f"no such bench: `{name}`; there are {', '.join(BENCHES)}")
    return name


def _repeats(text: str) -> int:
    if not text.isdecimal() or int(text) < MIN_REPEATS:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of at least {MIN_REPEATS}")
    return int(text)


if __name__ == "__main__":
    main()
