"""Which line of an old text is which line of the new one, by a patience diff.

Lines are counted as the engines do: `\\r\\n`, `\\n` and a lone `\\r` each end one, and a text that ends with a line end
has an empty last line. Two lines are the same if their characters are; how they end does not count.
The lines that are unique in both texts hold the rest in place, and what lies between them without a unique line is
one changed block. So no two lines are ever compared in all pairs, however often they repeat.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_DEEPEST = 16
"""How often a stretch is looked at again for lines that are unique in it; deeper only made-up texts go."""


@dataclass(frozen=True, slots=True)
class ChangedBlock:
    """Old lines that gave way to new ones; `end` is the line behind the last, and either side may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class LineMapping:
    """The changed blocks in order; all other lines are the same in both texts. Lines are counted from 1."""

    blocks: tuple[ChangedBlock, ...] = ()

    @classmethod
    def between(cls, before: str, after: str) -> LineMapping:
        old, new = _lines(before), _lines(after)
        whole = _Stretch(0, len(old), 0, len(new))
        return cls(tuple(each.as_block() for each in _changed(old, new, whole)))

    def to_new(self, line: int) -> int | None:
        """Where a line of the old text is in the new one; None if it was removed or changed."""
        block = self._last_from_old(line)
        if block is None:
            return line
        return None if line < block.old_end else line - block.old_end + block.new_end

    def to_old(self, line: int) -> int | None:
        """Where a line of the new text was in the old one; None if it was added or changed."""
        block = self._last_from_new(line)
        if block is None:
            return line
        return None if line < block.new_end else line - block.new_end + block.old_end

    def block_of_old(self, line: int) -> ChangedBlock | None:
        """The changed block that a line of the old text lies in."""
        block = self._last_from_old(line)
        return block if block and line < block.old_end else None

    def block_of_new(self, line: int) -> ChangedBlock | None:
        """The changed block that a line of the new text lies in."""
        block = self._last_from_new(line)
        return block if block and line < block.new_end else None

    def _last_from_old(self, line: int) -> ChangedBlock | None:
        index = bisect_right(self.blocks, line, key=lambda block: block.old_start)
        return self.blocks[index - 1] if index else None

    def _last_from_new(self, line: int) -> ChangedBlock | None:
        index = bisect_right(self.blocks, line, key=lambda block: block.new_start)
        return self.blocks[index - 1] if index else None


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Some lines of each text, as slices from 0."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def as_block(self) -> ChangedBlock:
        return ChangedBlock(self.old_start + 1, self.old_end + 1, self.new_start + 1, self.new_end + 1)


def _lines(text: str) -> list[str]:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def _changed(old: Sequence[str], new: Sequence[str], stretch: _Stretch, depth: int = 0) -> Iterator[_Stretch]:
    """What differs within a stretch, in order."""
    stretch = _trimmed(old, new, stretch)
    if stretch.old_start == stretch.old_end and stretch.new_start == stretch.new_end:
        return
    anchors = _anchors(old, new, stretch) if depth < _DEEPEST else []
    if not anchors:
        yield stretch
        return
    ends = [(stretch.old_start - 1, stretch.new_start - 1), *anchors, (stretch.old_end, stretch.new_end)]
    for (old_last, new_last), (old_next, new_next) in pairwise(ends):
        if old_last + 1 < old_next or new_last + 1 < new_next:
            between = _Stretch(old_last + 1, old_next, new_last + 1, new_next)
            yield from _changed(old, new, between, depth + 1)


def _trimmed(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> _Stretch:
    """Without the lines that are the same at its beginning and at its end."""
    old_start, old_end = stretch.old_start, stretch.old_end
    new_start, new_end = stretch.new_start, stretch.new_end
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        old_start, new_start = old_start + 1, new_start + 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    return _Stretch(old_start, old_end, new_start, new_end)


def _anchors(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> list[tuple[int, int]]:
    """The lines that occur once on each side, as many as keep their order."""
    in_old = _places_of_unique(old, stretch.old_start, stretch.old_end)
    in_new = _places_of_unique(new, stretch.new_start, stretch.new_end)
    return _longest_rising([(place, in_new[line]) for line, place in in_old.items() if line in in_new])


def _places_of_unique(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """By line, in order of place."""
    places: dict[str, int] = {}
    repeated: set[str] = set()
    for place in range(start, end):
        line = lines[place]
        if line in places:
            repeated.add(line)
        else:
            places[line] = place
    for line in repeated:
        del places[line]
    return places


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs that rise in the first number, the longest choice that also rises in the second."""
    smallest_ends: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, (_, value) in enumerate(pairs):
        length = bisect_left(smallest_ends, value)
        previous.append(ends[length - 1] if length else -1)
        smallest_ends[length : length + 1] = [value]
        ends[length : length + 1] = [index]
    chosen: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = previous[index]
    return chosen[::-1]
