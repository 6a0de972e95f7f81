"""Links in an index for language models (`llms.txt`): lists of `- [name](address): note`.

Beside it a site may have `llms-full.txt`: the text of all its pages in one.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

_LINK = re.compile(r"\[(?P<name>[^\]\n]{1,200})\]\((?P<url>[^)\s]{1,2000})\)(?P<note>[^\n]{0,400})")
_WHOLE_NAME = "llms-full.txt"
_WHOLE_TEXT = re.compile(r"\]\((?P<url>[^)\s]{0,2000}/?llms-full\.txt)\)")
_WORD = re.compile(r"[a-z0-9]+")
_MOST_LINKS = 20_000


def links_about(text: str, topic: str, base: str) -> list[str]:
    """Addresses of the links whose names and notes share most words with a topic, the best first."""
    wanted = _words(topic)
    if not wanted:
        return []
    scored: list[tuple[float, int, str]] = []
    for number, found in enumerate(_LINK.finditer(text)):
        if number >= _MOST_LINKS:
            break
        name, note = _words(found["name"]), _words(found["note"])
        score = 2.0 * len(wanted & name) + len(wanted & note) + 0.5 * len(wanted & _words(found["url"]))
        if score:
            scored.append((-score, number, urljoin(base, found["url"])))
    return list(dict.fromkeys(url for _, _, url in sorted(scored)))


def whole_text_address(text: str, base: str) -> str:
    """Where the whole text is: as the index says, or else beside it."""
    found = _WHOLE_TEXT.search(text)
    return urljoin(base, found["url"] if found else _WHOLE_NAME)


def _words(text: str) -> set[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return {word for word in _WORD.findall(spaced.casefold()) if len(word) > 1}
