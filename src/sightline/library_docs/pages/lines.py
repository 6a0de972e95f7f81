"""The one way to count lines of a page: outline, sections, windows and search agree on it.

A line ends at `\\n`, `\\r\\n` or `\\r` and nowhere else, as in CommonMark; a final newline starts no further line.
"""

from __future__ import annotations

import hashlib

_MARK = "\ufeff"


def normal_text(text: str) -> str:
    """The text with `\\n` only, no byte order mark, and nothing that a store cannot hold (NUL, lone surrogates)."""
    text = text.removeprefix(_MARK).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; an empty text has none."""
    lines = normal_text(text).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def content_hash(text: str) -> str:
    """Twelve hexadecimal digits that change with the text."""
    return hashlib.sha256(normal_text(text).encode()).hexdigest()[:12]
