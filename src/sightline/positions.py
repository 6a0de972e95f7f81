"""Between the two ways to count columns: characters (code points), as answers do, and UTF-16 units.

Engines count from 0 in UTF-16 units; answers count from 1 in characters. Nothing else converts.
"""

from __future__ import annotations


def column_from_utf16(line: str, units: int) -> int:
    """The 1-based character column of a 0-based UTF-16 offset in a line."""
    if line.isascii():
        return min(units, len(line)) + 1
    seen = 0
    for index, character in enumerate(line):
        if seen >= units:
            return index + 1
        seen += 2 if ord(character) > 0xFFFF else 1
    return len(line) + 1


def utf16_from_column(line: str, column: int) -> int:
    """The 0-based UTF-16 offset of a 1-based character column in a line."""
    before = line[: column - 1]
    return len(before) + sum(ord(character) > 0xFFFF for character in before)
