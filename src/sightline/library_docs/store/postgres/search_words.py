"""Texts as plain words, before PostgreSQL sees them: runs of letters and digits, small, without accents.

Its own parser takes `asyncio.TaskGroup` for a host and `a/b` for a file, which would hide the words in them.
"""

from __future__ import annotations

import re
import unicodedata

from sightline.library_docs.pages.lines import normal_text

_RUN = re.compile(r"[^\W_]+")
# A longer one is no word, and PostgreSQL does not index it.
_LONGEST = 500


def search_words(text: str) -> str:
    """The words of a text with a space between them."""
    plain = normal_text(text).lower()
    if not plain.isascii():
        spread = unicodedata.normalize("NFKD", plain)
        plain = "".join(sign for sign in spread if not unicodedata.combining(sign))
    return " ".join(run for run in _RUN.findall(plain) if len(run) <= _LONGEST)
