"""Searching passages in SQLite: all words first, then some of them, the best by bm25, each text once."""

from __future__ import annotations

import sqlite3

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.store.columns import library_text
from sightline.library_docs.store.hit_choice import HitChoice, Matched, Ranked, most_ranked
from sightline.library_docs.store.hit_rows import hit_of
from sightline.library_docs.store.queries import Query, library_expression
from sightline.library_docs.store.records import SearchHit
from sightline.library_docs.store.uses import Use

# Weights of the columns library, heading, body, parts. Joined to its passage each match would be read from the disk.
_RANKED = """
SELECT rowid, -bm25(passages_fts, 0.0, 5.0, 1.0, 1.5) AS score FROM passages_fts WHERE passages_fts MATCH ?
ORDER BY score DESC LIMIT ?
"""
_OF_PASSAGE = (
    "SELECT passages.digest || pages.library || coalesce(pages.document_version, '') || pages.trust, page "
    "FROM passages JOIN pages ON pages.id = passages.page WHERE passages.id = ?"
)
_RANKED_IN_LIBRARY = """
SELECT passages.id, -bm25(passages_fts, 0.0, 5.0, 1.0, 1.5) AS score,
  passages.digest || pages.library || coalesce(pages.document_version, '') || pages.trust, passages.page
FROM passages_fts JOIN passages ON passages.id = passages_fts.rowid JOIN pages ON pages.id = passages.page
WHERE passages_fts MATCH ? AND pages.library = ? AND (? IS NULL OR pages.document_version = ?)
ORDER BY score DESC LIMIT ?
"""
_DETAILS = """
SELECT pages.url, pages.title, passages.heading, passages.line, passages.body, pages.library, pages.document_version,
  pages.kind, pages.trust, pages.fetched_at, pages.id, pages.last_used
FROM passages JOIN pages ON pages.id = passages.page WHERE passages.id = ?
"""


def search_passages(
    connection: sqlite3.Connection, query: Query, library: LibraryId | None, version: str | None, limit: int
) -> list[tuple[Use, SearchHit]]:
    """The hits with the uses of their pages."""
    if not query.words or limit < 1:
        return []
    choice = HitChoice(query, limit)
    choice.take_all(_ranked(connection, query, "AND", library, version, limit))
    if choice.needs_some:
        choice.take_some(_ranked(connection, query, "OR", library, version, limit))
    return [_hit(connection, query, each.passage, each.score, matched) for each, matched in choice.chosen[:limit]]


def _ranked(
    connection: sqlite3.Connection,
    query: Query,
    operator: str,
    library: LibraryId | None,
    version: str | None,
    limit: int,
) -> list[Ranked]:
    expression = f"{{heading body parts}} : ({query.expression(operator)})"
    most = most_ranked(limit)
    if library is None:
        ranked: list[tuple[int, float]] = connection.execute(_RANKED, (expression, most)).fetchall()
        return [
            Ranked(number, score, *connection.execute(_OF_PASSAGE, (number,)).fetchone()) for number, score in ranked
        ]
    name = library_text(library)
    narrowed = f"{library_expression(name)} AND {expression}"
    version = None if version is None else normal_text(version)
    rows = connection.execute(_RANKED_IN_LIBRARY, (narrowed, name, version, version, most)).fetchall()
    return [Ranked(*row) for row in rows]


def _hit(
    connection: sqlite3.Connection, query: Query, number: int, score: float, matched: Matched
) -> tuple[Use, SearchHit]:
    return hit_of(query, connection.execute(_DETAILS, (number,)).fetchone(), score, matched)
