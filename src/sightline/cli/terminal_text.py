"""Text of others on a terminal: a comment in a client's file or a client's words must not move the cursor."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with every control character spelt out, line ends too."""
    return "".join(each if each.isprintable() or each == "\t" else f"\\x{ord(each):02x}" for each in text)
