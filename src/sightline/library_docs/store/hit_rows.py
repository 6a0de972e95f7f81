"""A row of a store's passages as a hit; every store selects the same columns in the same order."""

from __future__ import annotations

from typing import Any

from sightline.library_docs.store.columns import library_of
from sightline.library_docs.store.hit_choice import Matched
from sightline.library_docs.store.queries import Query, snippet_of
from sightline.library_docs.store.records import SearchHit
from sightline.library_docs.store.uses import Use


def hit_of(query: Query, row: tuple[Any, ...], score: float, matched: Matched) -> tuple[Use, SearchHit]:
    """The hit, with the page that it is of and when that was used last."""
    url, title, heading, line, body, library, version, kind, trust, fetched_at, page, last_used = row
    offset, snippet = snippet_of(body, query)
    hit = SearchHit(
        address=url,
        title=title,
        heading=heading,
        line=line + offset,
        snippet=snippet,
        matched=matched,
        score=score,
        library=library_of(library),
        version=version,
        kind=kind,
        trust=trust,
        fetched_at=fetched_at,
    )
    return Use(page, last_used), hit
