"""Size limits that fail: long modules, long functions, and module names that say nothing.

Prints each offence as `path:line: what`, and exits with 1 if there is any. A root other than this repository can
be given as the only argument.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("src", "tests", "bench", "scripts")
LONGEST_MODULE = 500
LONGEST_FUNCTION = 60
EMPTY_NAMES = frozenset({"utils", "helpers", "common", "base", "manager"})


@dataclass(frozen=True, slots=True)
class Offence:
    """A place that is over a limit, and by how much."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def find_offences(root: Path) -> Iterator[Offence]:
    """Every offence in the checked folders, by path."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            yield from _offences_in(path, path.relative_to(root))


def _offences_in(path: Path, shown: Path) -> Iterator[Offence]:
    text = path.read_text(encoding="utf-8")
    yield from _empty_names(shown)
    if (lines := len(text.splitlines())) > LONGEST_MODULE:
        yield Offence(shown.as_posix(), LONGEST_MODULE + 1, f"module has {lines} lines; the limit is {LONGEST_MODULE}")
    for node in ast.walk(ast.parse(text, filename=str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _long_function(node, shown)


def _empty_names(shown: Path) -> Iterator[Offence]:
    for name in sorted(EMPTY_NAMES.intersection(shown.with_suffix("").parts)):
        yield Offence(shown.as_posix(), 1, f"`{name}` says nothing: name the module for what it holds")


def _long_function(node: ast.FunctionDef | ast.AsyncFunctionDef, shown: Path) -> Iterator[Offence]:
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if lines > LONGEST_FUNCTION:
        message = f"function `{node.name}` has {lines} lines; the limit is {LONGEST_FUNCTION}"
        yield Offence(shown.as_posix(), node.lineno, message)


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    offences = list(find_offences(root))
    sys.stdout.writelines(f"{offence}\n" for offence in offences)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
