"""What an edit does to the diagnostics: which are new, which are gone, how many stayed.

A diagnostic stayed if its file (through a move), severity, rule and message agree, and
  - its line is unchanged: it is on the same line, wherever that is now, at the same column;
  - its line was changed: it is in the same changed block, the nearest first, at any column.
Each is matched once. Messages are compared as they are: one that quotes a line number counts as another problem when
that line has moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from operator import itemgetter
from types import MappingProxyType

from sightline.code.diagnostics import Diagnostic, in_reading_order
from sightline.code.line_mapping import ChangedBlock, LineMapping

_NOTHING_CHANGED = LineMapping()
_NO_MOVES: Mapping[str, str] = MappingProxyType({})
_MOST_PAIRS = 250_000
"""Above this many pairs of like diagnostics in one block, their order decides and not their distance."""

_Position = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Delta:
    """`introduced` have places in the new texts, `fixed` in the old ones; both are in reading order."""

    introduced: list[Diagnostic]
    fixed: list[Diagnostic]
    unchanged_count: int


@dataclass(slots=True)
class _Alike:
    """Diagnostics that may be the same problem, with their positions relative to the place they share."""

    old: list[tuple[_Position, Diagnostic]] = field(default_factory=list[tuple[_Position, Diagnostic]])
    new: list[tuple[_Position, Diagnostic]] = field(default_factory=list[tuple[_Position, Diagnostic]])


def delta(
    before: Sequence[Diagnostic],
    after: Sequence[Diagnostic],
    mappings: Mapping[str, LineMapping],
    moved: Mapping[str, str] = _NO_MOVES,
) -> Delta:
    """Compare the diagnostics of two states; `mappings` and `moved` have the names of files before the edit as keys.

    A file without a mapping did not change. A file whose name another one took by a move is gone.
    """
    groups: defaultdict[Hashable, _Alike] = defaultdict(_Alike)
    overwritten = set(moved.values()) - moved.keys()
    for each in before:
        mapping = mappings.get(each.file, _NOTHING_CHANGED)
        place, position = _place(each, mapping.block_of_old(each.line), mapping.to_new(each.line), is_old=True)
        name = None if each.file in overwritten else moved.get(each.file, each.file)
        groups[_kind(each), name, place].old.append((position, each))
    new_mappings = {moved.get(file, file): each for file, each in mappings.items() if file not in overwritten}
    for each in after:
        mapping = new_mappings.get(each.file, _NOTHING_CHANGED)
        place, position = _place(each, mapping.block_of_new(each.line), each.line, is_old=False)
        groups[_kind(each), each.file, place].new.append((position, each))
    return _collected(groups.values(), len(before))


def _kind(diagnostic: Diagnostic) -> Hashable:
    return diagnostic.severity, diagnostic.rule, diagnostic.message


def _place(
    diagnostic: Diagnostic, block: ChangedBlock | None, new_line: int | None, *, is_old: bool
) -> tuple[Hashable, _Position]:
    """What the same problem shares, and where it is from there."""
    lines = diagnostic.end_line - diagnostic.line
    if block is None:
        return (new_line, diagnostic.column), (0, 0, lines, diagnostic.end_column)
    start = block.old_start if is_old else block.new_start
    return block, (diagnostic.line - start, diagnostic.column, lines, diagnostic.end_column)


def _collected(groups: Iterable[_Alike], count_before: int) -> Delta:
    introduced: list[Diagnostic] = []
    fixed: list[Diagnostic] = []
    for group in groups:
        gone, come = _unmatched(group)
        fixed += gone
        introduced += come
    return Delta(_ordered(introduced), _ordered(fixed), count_before - len(fixed))


def _unmatched(group: _Alike) -> tuple[Iterable[Diagnostic], Iterable[Diagnostic]]:
    """The old ones and the new ones that are left when each is matched with its nearest."""
    by_position = itemgetter(0)
    old = dict(enumerate(sorted(group.old, key=by_position)))
    new = dict(enumerate(sorted(group.new, key=by_position)))
    for i, j in _nearest_first([each for each, _ in old.values()], [each for each, _ in new.values()]):
        if i in old and j in new:
            del old[i], new[j]
    return (each for _, each in old.values()), (each for _, each in new.values())


def _nearest_first(old: Sequence[_Position], new: Sequence[_Position]) -> Iterable[tuple[int, int]]:
    """Pairs of indices. Pairs with one in common keep their order if old and new change places: both are sorted."""
    if len(old) * len(new) > _MOST_PAIRS:
        return zip(range(len(old)), range(len(new)), strict=False)

    def distance(pair: tuple[int, int]) -> list[int]:
        return [abs(one - other) for one, other in zip(old[pair[0]], new[pair[1]], strict=True)]

    return sorted(product(range(len(old)), range(len(new))), key=distance)


def _ordered(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """In reading order, and at one place by content, so that the order of the reports does not show."""
    by_content = sorted(
        diagnostics, key=lambda each: (each.end_line, each.end_column, each.severity, each.rule or "", each.message)
    )
    return in_reading_order(by_content)
