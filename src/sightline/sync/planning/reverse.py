"""How to get the old bytes back from the new ones, holding only what is not in the new ones any more.

So a backup of a file that others write too has nothing of theirs, and no secret of theirs either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from sightline.frozen import frozen

_TOKEN = re.compile(rb"\w+|\W", re.DOTALL)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_MOST_PAIRS = 4_000_000


@frozen
class Reversal:
    """Put `old` in the place of `start` to `end` of the new bytes."""

    start: int
    end: int
    old: bytes = field(repr=False)


def reversals(before: bytes, after: bytes) -> tuple[Reversal, ...]:
    """The shortest that lines, and words within lines, allow."""
    found: list[Reversal] = []
    for start, end, old in _differences(_LINE.findall(before), _LINE.findall(after)):
        old_tokens, new_tokens = _TOKEN.findall(old), _TOKEN.findall(after[start:end])
        inner = _differences(old_tokens, new_tokens)
        found += (Reversal(start + first, start + last, piece) for first, last, piece in inner)
    return tuple(found)


def restored(after: bytes, changes: Sequence[Reversal]) -> bytes:
    """The old bytes."""
    parts: list[bytes] = []
    at = 0
    for change in changes:
        parts += (after[at : change.start], change.old)
        at = change.end
    return b"".join((*parts, after[at:]))


def _differences(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Each run that differs: its offsets in the new bytes, and the old bytes."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    offsets = [0]
    for piece in new:
        offsets.append(offsets[-1] + len(piece))
    for first_old, last_old, first_new, last_new in _runs(old[head : len(old) - tail], new[head : len(new) - tail]):
        old_bytes = b"".join(old[head + first_old : head + last_old])
        yield offsets[head + first_new], offsets[head + last_new], old_bytes


def _runs(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, int, int]]:
    from difflib import SequenceMatcher

    if len(old) * len(new) > _MOST_PAIRS:  # comparing would take seconds
        return [(0, len(old), 0, len(new))]
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(one, two, three, four) for tag, one, two, three, four in opcodes if tag != "equal"]
