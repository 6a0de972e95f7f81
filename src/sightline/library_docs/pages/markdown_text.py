"""Markdown as text: moving blocks to the right and quoting them."""

from __future__ import annotations


def indented(text: str, width: int) -> str:
    """All lines but the first moved to the right."""
    return text.replace("\n", "\n" + " " * width).replace("\n" + " " * width + "\n", "\n\n") if "\n" in text else text


def quoted(text: str) -> str:
    """The text as a quotation."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))
