"""`python -m bench [NAME ...] [--repeats N] [--write]`: run benches and print their figures; never fails on one."""

from __future__ import annotations

import argparse

from bench.commands import REPOSITORY
from bench.measure import MIN_REPEATS, Bench, measure
from bench.registry import BENCHES
from bench.report import tables, write_between_markers

PAGE = REPOSITORY / "docs" / "benchmarks.md"


def main() -> None:
    arguments = _parser().parse_args()
    for name in arguments.names or BENCHES:
        bench = BENCHES[name]
        print(f"## {bench.name}\n\n{bench.question}\n", flush=True)
        text = _measured(bench, arguments.repeats)
        print(f"{text}\n", flush=True)
        if arguments.write:
            write_between_markers(PAGE, bench, text)


def _measured(bench: Bench, repeats: int) -> str:
    with bench.prepare() as comparisons:
        return tables([(comparison, measure(comparison, repeats)) for comparison in comparisons], repeats)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Figures of Sightline, as ratios within one run.")
    parser.add_argument("names", nargs="*", metavar="NAME", type=_known, help=f"of: {', '.join(BENCHES)}; default: all")
    parser.add_argument("--repeats", type=_repeats, default=9, help=f"at least {MIN_REPEATS}; default: %(default)s")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.relative_to(REPOSITORY)}")
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
