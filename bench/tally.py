"""Answers counted by how they turned out, where the figure is not a time: done once, not in rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["right", "wrong", "none"]


@dataclass(slots=True)
class Outcomes:
    """How many answers were right, were wrong, or said that there was none yet."""

    right: int = 0
    wrong: int = 0
    none: int = 0

    def add(self, outcome: Outcome) -> None:
        setattr(self, outcome, getattr(self, outcome) + 1)

    @property
    def total(self) -> int:
        return self.right + self.wrong + self.none

    def __add__(self, other: Outcomes) -> Outcomes:
        return Outcomes(self.right + other.right, self.wrong + other.wrong, self.none + other.none)

    def __str__(self) -> str:
        without = f", {self.none} without an answer" if self.none else ""
        return f"{self.wrong} of {self.total}{without}"


Counts = Mapping[str, Mapping[str, Outcomes]]
"""Rows of columns of outcomes; every row has the same columns."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Something to count: `count` does all of it."""

    title: str
    row_head: str
    count: Callable[[], Counts]


def totals(counts: Counts) -> dict[str, Outcomes]:
    """Each column's outcomes over all rows."""
    columns = dict.fromkeys(column for row in counts.values() for column in row)
    return {column: sum((row[column] for row in counts.values()), Outcomes()) for column in columns}
