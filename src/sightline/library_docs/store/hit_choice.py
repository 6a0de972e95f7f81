"""Which of the ranked passages are shown, the same for every store: all words first, then some, each text once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from sightline.library_docs.store.queries import Query

Matched = Literal["all", "some"]

_FLOOR = 0.5
_FEW = 3
_MOST_PER_PAGE = 3


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage by its number, with its score, the page it is of, and what tells two texts apart."""

    passage: int
    score: float
    text: str
    page: int


def most_ranked(limit: int) -> int:
    """How many ranked passages are enough to choose that many from."""
    return limit * 4 + 20


@dataclass(slots=True)
class HitChoice:
    """The passages chosen so far."""

    query: Query
    limit: int
    chosen: list[tuple[Ranked, Matched]] = field(default_factory=list["tuple[Ranked, Matched]"])
    _texts: set[str] = field(default_factory=set[str])
    _pages: dict[int, int] = field(default_factory=dict[int, int])

    def take_all(self, ranked: Iterable[Ranked]) -> None:
        """Choose from passages that have all words, best first."""
        self.chosen.extend((each, "all") for each in ranked if self._is_new(each))

    @property
    def needs_some(self) -> bool:
        """Whether passages with only some of the words are worth a look."""
        return len(self.chosen) < min(_FEW, self.limit) and len(self.query.words) > 1

    def take_some(self, ranked: list[Ranked]) -> None:
        """Choose from passages that have some of the words, best first; not from those that are far behind."""
        least = _FLOOR * ranked[0].score if ranked else 0.0
        self.chosen.extend((each, "some") for each in ranked if each.score >= least and self._is_new(each))

    def _is_new(self, each: Ranked) -> bool:
        """The same text counts once, and a page only a few times."""
        if each.text in self._texts or self._pages.get(each.page, 0) >= _MOST_PER_PAGE:
            return False
        self._texts.add(each.text)
        self._pages[each.page] = self._pages.get(each.page, 0) + 1
        return True
