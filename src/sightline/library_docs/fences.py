"""Third-party text between marks, counted and shortened by pieces: lines, or parts of a very long line."""

from __future__ import annotations

_LINES_BEFORE = 3
_LINES_AFTER = 1
_PIECE = 500


def pieces_between(content: str) -> int:
    """How many pieces are between the marks."""
    return sum(_pieces(line) for line in _between(content))


def first_pieces(content: str, count: int, *, source: str, trust: str, is_passage: bool = False) -> tuple[str, int]:
    """A fenced text with only its first pieces, and how many lines that are; a line that is cut says so.

    In a passage, code that is open at the end is closed; a page is given as it is, to be read on.
    """
    from sightline.library_docs.pages.code_fences import closed
    from sightline.library_docs.untrusted_text import fence

    kept: list[str] = []
    for line in _between(content):
        if count <= 0:
            break
        if _pieces(line) > count:
            left = len(line) - count * _PIECE
            kept.append(f"{line[: count * _PIECE]}… ({left:,} more characters: ask with a larger `max_total_chars`)")
            break
        kept.append(line)
        count -= _pieces(line)
    text = "\n".join(kept)
    return fence(closed(text) if is_passage else text, source=source, trust=trust), len(kept)


def _between(content: str) -> list[str]:
    return content.split("\n")[_LINES_BEFORE:-_LINES_AFTER]


def _pieces(line: str) -> int:
    return max(1, -(-len(line) // _PIECE))
