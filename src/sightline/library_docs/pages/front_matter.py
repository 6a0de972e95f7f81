"""The block of metadata with which many Markdown files open; it is no part of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONGEST = 500
_KEY = {"---": re.compile(r"\s*[\w\"'.$-]+\s*:(\s|$)"), "+++": re.compile(r"\s*(\[|[\w\"'.-]+\s*=)")}
_ENDS = {"---": ("---", "..."), "+++": ("+++",)}


def front_matter_lines(lines: Sequence[str]) -> int:
    """How many lines the front matter takes, its two fences included; 0 where there is none.

    A rule (`---`) above ordinary text looks the same at first: the first line inside has to be a key.
    """
    if not lines or (fence := lines[0].rstrip()) not in _KEY:
        return 0
    for number, line in enumerate(lines[1:_LONGEST], start=1):
        if line.rstrip() in _ENDS[fence]:
            return number + 1 if _opens_with_key(lines[1:number], _KEY[fence]) else 0
    return 0


def _opens_with_key(inside: Sequence[str], key: re.Pattern[str]) -> bool:
    for line in inside:
        if line.strip() and not line.lstrip().startswith("#"):
            return key.match(line) is not None
    return not any(line.strip() for line in inside)
