"""Any text as a query that FTS5 understands, and the lines of a passage that show why it was found.

Nothing of the text reaches FTS5 but runs of letters and digits, each between quotes: operators, column names and odd
quotes mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sightline.library_docs.pages.code_fences import part_of
from sightline.library_docs.store.passages import identifier_parts

_MOST_WORDS = 24
_RUN = re.compile(r"[^\W_]+")
_SNIPPET_LINES = 5
_SNIPPET_CHARACTERS = 400
_FILLER_WORDS = (
    "a an and any are as at be by can do does for from get have how i in is it me my of on or please show should that "
    "the this to use using was we what when where which why with you"
)


@dataclass(frozen=True, slots=True)
class Query:
    """The words of a query, each as phrases of which one has to occur."""

    words: tuple[tuple[str, ...], ...]

    def expression(self, operator: str) -> str:
        """The words joined by `AND` or `OR`."""
        return f" {operator} ".join("(" + " OR ".join(f'"{phrase}"' for phrase in word) + ")" for word in self.words)


def query_of(text: str) -> Query:
    """The query for a text; filler words count only where there is nothing else."""
    words = [runs for word in text[:2000].split() if (runs := _RUN.findall(word))]
    telling = [runs for runs in words if " ".join(runs).lower() not in set(_FILLER_WORDS.split())]
    phrases = dict.fromkeys(_phrases(runs) for runs in (telling or words)[:_MOST_WORDS])
    return Query(tuple(phrases))


def library_expression(name: str) -> str:
    """The phrase that passages of a library have in their own column; narrows, does not decide."""
    return f'library : "{" ".join(_RUN.findall(name))}"'


def snippet_of(body: str, query: Query) -> tuple[int, str]:
    """How many lines into the passage the best lines begin, and these lines, cut to a bearable length.

    They are well-formed by themselves: code that they begin or end in is opened again and closed.
    """
    lines = body.split("\n")
    terms = {term for word in query.words for phrase in word for term in phrase.split()}
    scores = [sum(term in folded for term in terms) for folded in (line.casefold() for line in lines)]
    best = max(range(len(lines)), key=lambda index: (scores[index], -index))
    first = best - 1 if best and lines[best - 1].strip() else best
    return part_of(lines, first, first + _SNIPPET_LINES, _SNIPPET_CHARACTERS)


def _phrases(runs: list[str]) -> tuple[str, ...]:
    """`TaskGroup` is found as one word and as `task group`, and `asyncio.TaskGroup` as a phrase of two words."""
    plain = " ".join(runs).lower()
    spread = " ".join(identifier_parts(run) or run.lower() for run in runs)
    return (plain,) if spread == plain else (plain, spread)
