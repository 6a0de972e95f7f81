"""Small words that every answer needs."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """So many of a thing: "1 file", "2 files"; the noun is one whose plural has an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
