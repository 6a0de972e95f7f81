"""Searching passages in PostgreSQL: the index finds them, and a score in the manner of bm25 puts them in order.

`ts_rank` knows how often and in which column a phrase occurs, and neither how rare it is nor how long the passage is.
So it is taken for the weighted count of occurrences, and the rest of bm25 is done with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import AsyncConnection
from psycopg.sql import SQL, Composed

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.store.columns import library_text
from sightline.library_docs.store.hit_choice import HitChoice, Matched, Ranked, most_ranked
from sightline.library_docs.store.hit_rows import hit_of
from sightline.library_docs.store.postgres.search_words import search_words
from sightline.library_docs.store.queries import Query
from sightline.library_docs.store.records import SearchHit
from sightline.library_docs.store.uses import Use

# More are not counted: a word that is in so many passages tells little about any of them.
_MOST_COUNTED = 20_000
# Passages that stand for all: above that number the database's own estimate is good enough.
_SAMPLE = 2000
# Passages that are scored for one query, so that a common word in a large store costs a bounded time.
_MOST_SCORED = 20_000
_LEAST_RARENESS = 1e-6

_COUNTS: LiteralString = """
SELECT (SELECT count(*) FROM (SELECT 1 FROM sightline.passages LIMIT %(sample)s) AS looked_at),
  (SELECT avg(length) FROM (SELECT length FROM sightline.passages LIMIT %(sample)s) AS looked_at),
  (SELECT reltuples FROM pg_class WHERE oid = 'sightline.passages'::regclass),
  ARRAY(SELECT (SELECT count(*) FROM (
      SELECT 1 FROM sightline.passages WHERE words @@ phraseto_tsquery('sightline.words', phrase) LIMIT %(most)s
    ) AS found) FROM unnest(%(phrases)s::text[]) WITH ORDINALITY AS asked(phrase, number) ORDER BY number)
"""
# Weights of parts, body and heading as in `sqlite_search`, of which ts_rank takes none above 1: 1.5, 1 and 5 by 5. One
# occurrence in the body gives 0.2 / 1.645, so 8.225 times that is the count n. The rest is bm25 with k1 = 1.2 and
# b = 0.75, whose n * 2.2 / (n + k) is written so that the count is needed once.
_SCORE: LiteralString = """
{rareness} * 2.2 * (1 - length_factor / (8.225 * ts_rank('{{0, 0.3, 0.2, 1}}', words, {phrase}) + length_factor))
"""
# Each `ts_rank` unpacks the vector anew; for more than a few phrases it pays to do that once.
_FEW_PHRASES = 2
_UNPACKED: LiteralString = "passages.words || ''::tsvector"
_RANKED: LiteralString = """
SELECT id, {score} AS score, text, page FROM (
  SELECT passages.id, {words} AS words, passages.page,
    1.2 * (0.25 + 0.75 * passages.length / %(average)s) AS length_factor,
    passages.digest || pages.library || coalesce(pages.document_version, '') || pages.trust AS text
  FROM sightline.passages JOIN sightline.pages ON pages.id = passages.page
  WHERE passages.words @@ ({query}) AND (%(library)s::text IS NULL OR pages.library = %(library)s)
    AND (%(version)s::text IS NULL OR pages.document_version = %(version)s)
  LIMIT %(scored)s) AS found
ORDER BY score DESC, id LIMIT %(most)s
"""
_DETAILS: LiteralString = """
SELECT passages.id, pages.url, pages.title, passages.heading, passages.line, passages.body, pages.library,
  pages.document_version, pages.kind, pages.trust, pages.fetched_at, pages.id, pages.last_used
FROM sightline.passages JOIN sightline.pages ON pages.id = passages.page WHERE passages.id = ANY(%s)
"""
_PHRASE = SQL("phraseto_tsquery('sightline.words', {})")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query in PostgreSQL's words: every phrase, and how rare each is."""

    words: tuple[tuple[str, ...], ...]
    rareness: tuple[float, ...]
    average: float

    @property
    def phrases(self) -> list[str]:
        return [phrase for word in self.words for phrase in word]

    def expression(self, operator: LiteralString) -> Composed:
        """The words joined; phrases of a word are alternatives."""
        either = SQL(" || ")
        words = [SQL("({})").format(either.join(_PHRASE.format(phrase) for phrase in word)) for word in self.words]
        return SQL(operator).join(words)

    def score(self) -> Composed:
        """What a passage is worth: the sum over all phrases that tell anything, or over all if none does."""
        every = list(zip(self.phrases, self.rareness, strict=True))
        of_phrases = [pair for pair in every if pair[1] > _LEAST_RARENESS] or every
        return SQL(" + ").join(
            SQL(_SCORE).format(rareness=rareness, phrase=_PHRASE.format(phrase)) for phrase, rareness in of_phrases
        )


async def search_passages(
    connection: AsyncConnection, query: Query, library: LibraryId | None, version: str | None, limit: int
) -> list[tuple[Use, SearchHit]]:
    """The hits with the uses of their pages."""
    asked = await _asked(connection, query)
    if asked is None or limit < 1:
        return []
    narrowed = {
        "library": library_text(library) if library else None,
        "version": None if version is None else normal_text(version),
        "most": most_ranked(limit),
    }
    choice = HitChoice(query, limit)
    choice.take_all(await _ranked(connection, asked, " && ", narrowed))
    if choice.needs_some:
        choice.take_some(await _ranked(connection, asked, " || ", narrowed))
    return await _hits(connection, query, choice.chosen[:limit])


async def _asked(connection: AsyncConnection, query: Query) -> _Asked | None:
    words = tuple(tuple(text for phrase in word if (text := search_words(phrase))) for word in query.words)
    words = tuple(word for word in words if word)
    if not words:
        return None
    phrases = [phrase for word in words for phrase in word]
    cursor = await connection.execute(_COUNTS, {"sample": _SAMPLE, "most": _MOST_COUNTED, "phrases": phrases})
    counted, average, estimate, found = await cursor.fetchone() or (0, None, 0, [])
    every = max(counted, *found, estimate if counted == _SAMPLE else 0)
    rareness = tuple(max(_LEAST_RARENESS, math.log((max(every - each, 0) + 0.5) / (each + 0.5))) for each in found)
    return _Asked(words, rareness, float(average or 1.0))


async def _ranked(
    connection: AsyncConnection, asked: _Asked, operator: LiteralString, narrowed: dict[str, Any]
) -> list[Ranked]:
    words = SQL(_UNPACKED if len(asked.phrases) > _FEW_PHRASES else "passages.words")
    statement = SQL(_RANKED).format(words=words, score=asked.score(), query=asked.expression(operator))
    values = {**narrowed, "average": asked.average, "scored": _MOST_SCORED}
    cursor = await connection.execute(statement, values)
    return [Ranked(*row) for row in await cursor.fetchall()]


async def _hits(
    connection: AsyncConnection, query: Query, chosen: Sequence[tuple[Ranked, Matched]]
) -> list[tuple[Use, SearchHit]]:
    cursor = await connection.execute(_DETAILS, ([each.passage for each, _ in chosen],))
    rows = {row[0]: row[1:] for row in await cursor.fetchall()}
    return [hit_of(query, rows[each.passage], each.score, matched) for each, matched in chosen if each.passage in rows]
