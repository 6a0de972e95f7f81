"""Words of a text for ranking: lower-case, with identifiers whole and in their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:[._][^\W_]+)*", re.UNICODE)
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_STOP = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it",
     "of", "on", "or", "that", "the", "this", "to", "use", "using", "what", "when", "with", "you", "your"}
)  # fmt: skip
_LONGEST = 60


def words_of(text: str) -> Iterator[str]:
    """All words: `Client.send_all` gives `client.send_all`, `client`, `send`, `all`."""
    for found in _WORD.finditer(text):
        word = found[0][:_LONGEST]
        whole = word.lower()
        parts = [part.lower() for part in _PART.findall(word)]
        yield from parts
        if len(parts) > 1:
            yield whole
            yield from (each for each in whole.split(".") if each != whole and each not in parts)


def query_words(text: str) -> list[str]:
    """The words of a question, without those that every question has, unless nothing else is left."""
    words = list(dict.fromkeys(words_of(text[:500])))
    return [word for word in words if word not in _STOP] or words


def stem(word: str) -> str:
    """A word without its plainest English ending, so that `routes` finds `route`."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word.removesuffix("e") if len(word) > 4 else word
