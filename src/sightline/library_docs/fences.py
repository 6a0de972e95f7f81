"""Third-party text between marks, counted and shortened by lines."""

from __future__ import annotations

_LINES_BEFORE = 3
_LINES_AFTER = 1


def lines_between(content: str) -> int:
    """How many lines are between the marks."""
    return len(content.split("\n")) - _LINES_BEFORE - _LINES_AFTER


def first_lines(content: str, count: int, *, source: str, trust: str) -> str:
    """A fenced text with only the first lines of what is between the marks."""
    from sightline.library_docs.untrusted_text import fence

    lines = content.split("\n")[_LINES_BEFORE:-_LINES_AFTER]
    return fence("\n".join(lines[:count]), source=source, trust=trust)
