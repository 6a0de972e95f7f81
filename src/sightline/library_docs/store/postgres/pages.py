"""Pages in PostgreSQL: what is written and read, inside a transaction that somebody else owns."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import AsyncConnection

from sightline.library_docs.documents import Document
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.store.columns import library_of, library_text
from sightline.library_docs.store.passages import Passage, passages_of
from sightline.library_docs.store.postgres.search_words import search_words
from sightline.library_docs.store.records import PageFinding, PageKey, StoredPage
from sightline.library_docs.store.uses import Use

_SELECT: LiteralString = """
SELECT id, last_used, url, title, content, kind, trust, library, document_version, content_hash, fetched_at, expires_at,
  final_url, etag, last_modified, findings, pinned
FROM sightline.pages WHERE key = %s
"""
_PUT: LiteralString = """
INSERT INTO sightline.pages(key, url, variant, version, final_url, title, kind, trust, library, document_version,
  content_hash, etag, last_modified, fetched_at, expires_at, pinned, findings, content, size, footprint, last_used)
VALUES (%(key)s, %(url)s, %(variant)s, %(version)s, %(final_url)s, %(title)s, %(kind)s, %(trust)s, %(library)s,
  %(document_version)s, %(content_hash)s, %(etag)s, %(last_modified)s, %(fetched_at)s, %(expires_at)s, %(pinned)s,
  %(findings)s, %(content)s, %(size)s, %(footprint)s, %(last_used)s)
ON CONFLICT (key) DO UPDATE SET final_url = excluded.final_url, title = excluded.title, kind = excluded.kind,
  trust = excluded.trust, library = excluded.library, document_version = excluded.document_version,
  content_hash = excluded.content_hash, etag = excluded.etag, last_modified = excluded.last_modified,
  fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, pinned = pages.pinned OR excluded.pinned,
  findings = excluded.findings, content = excluded.content, size = excluded.size, footprint = excluded.footprint,
  last_used = excluded.last_used, put_off_until = 0
WHERE pages.fetched_at <= excluded.fetched_at
RETURNING id
"""
_PUT_PASSAGE: LiteralString = """
INSERT INTO sightline.passages(page, line, digest, heading, body, length, words)
VALUES (%s, %s, %s, %s, %s, %s, setweight(to_tsvector('sightline.words', %s), 'A') ||
  setweight(to_tsvector('sightline.words', %s), 'B') || setweight(to_tsvector('sightline.words', %s), 'C'))
"""
_RENEW: LiteralString = """
UPDATE sightline.pages SET fetched_at = %s, expires_at = %s, etag = coalesce(%s, etag),
  last_modified = coalesce(%s, last_modified), put_off_until = 0 WHERE key = %s
"""
_WRITE_USES: LiteralString = """
WITH used AS (SELECT * FROM unnest(%s::bigint[], %s::float8[]) AS used(id, at)),
  free AS (SELECT id FROM sightline.pages WHERE id IN (SELECT id FROM used) FOR NO KEY UPDATE SKIP LOCKED)
UPDATE sightline.pages SET last_used = greatest(last_used, used.at)
FROM used JOIN free USING (id) WHERE pages.id = used.id
"""
# Measured with 10,000 pages of 1.5 KB: what a page takes in tables and indexes.
_OF_A_PAGE = 1000
_OF_A_PASSAGE = 1500
_OF_A_BYTE = 3.2


@dataclass(frozen=True, slots=True)
class Indexed:
    """A page and its passages as rows; `index_page` makes it."""

    values: Mapping[str, Any]
    passages: tuple[tuple[Any, ...], ...]


def index_page(page: StoredPage) -> Indexed:
    """The rows of a page; takes its time for a long one, so it is for a thread."""
    passages = tuple(_passage(each) for each in passages_of(page.document.title, page.document.text))
    return Indexed(_values(page, len(passages)), passages)


def key_bytes(key: PageKey) -> bytes:
    """A key of fixed size: addresses may be too long for an index."""
    parts = (normal_text(key.url), normal_text(key.variant), normal_text(key.version))
    return hashlib.sha256("\0".join(parts).encode()).digest()


async def find_page(connection: AsyncConnection, key: PageKey) -> tuple[Use, StoredPage] | None:
    """The page of a key with its number and last use."""
    row = await (await connection.execute(_SELECT, (key_bytes(key),))).fetchone()
    return None if row is None else (Use(row[0], row[1]), _page(key, row[2:]))


async def put_page(connection: AsyncConnection, indexed: Indexed, now: float) -> None:
    """Write a page in place of the one under its key, with its passages.

    One that was fetched before the one that is there stays out: somebody else was faster.
    """
    row = await (await connection.execute(_PUT, {**indexed.values, "last_used": now})).fetchone()
    if row is None:
        return
    number = row[0]
    await connection.execute("DELETE FROM sightline.passages WHERE page = %s", (number,))
    async with connection.cursor() as cursor:
        await cursor.executemany(_PUT_PASSAGE, [(number, *each) for each in indexed.passages])


async def renew_page(
    connection: AsyncConnection,
    key: PageKey,
    fetched_at: float,
    expires_at: float,
    etag: str | None,
    last_modified: str | None,
) -> bool:
    values = (fetched_at, expires_at, etag and normal_text(etag), last_modified and normal_text(last_modified))
    return (await connection.execute(_RENEW, (*values, key_bytes(key)))).rowcount > 0


async def write_uses(connection: AsyncConnection, uses: Mapping[int, float]) -> None:
    """Note when pages were used; those that somebody is changing are left out, so that nobody waits for it."""
    await connection.execute(_WRITE_USES, (list(uses), list(uses.values())))


def _passage(each: Passage) -> tuple[Any, ...]:
    heading, body = search_words(each.heading), search_words(each.body)
    parts = search_words(each.parts)
    length = sum(len(text.split()) for text in (heading, body, parts))
    return each.line, each.digest, normal_text(each.heading), normal_text(each.body), length, heading, body, parts


def _values(page: StoredPage, passages: int) -> dict[str, Any]:
    document = page.document
    content = normal_text(document.text)
    size = len(content.encode())
    return {
        "key": key_bytes(page.key),
        "url": normal_text(page.key.url),
        "variant": normal_text(page.key.variant),
        "version": normal_text(page.key.version),
        "final_url": normal_text(page.final_url),
        "title": normal_text(document.title),
        "kind": document.kind,
        "trust": document.trust,
        "library": library_text(document.library),
        "document_version": document.version and normal_text(document.version),
        "content_hash": page.content_hash,
        "etag": page.etag and normal_text(page.etag),
        "last_modified": page.last_modified and normal_text(page.last_modified),
        "fetched_at": page.fetched_at,
        "expires_at": page.expires_at,
        "pinned": page.is_pinned,
        "findings": normal_text(json.dumps([dataclasses.astuple(finding) for finding in page.findings])),
        "content": content,
        "size": size,
        "footprint": int(_OF_A_PAGE + _OF_A_PASSAGE * passages + _OF_A_BYTE * size),
    }


def _page(key: PageKey, row: tuple[Any, ...]) -> StoredPage:
    """The page of a row; the order is that of `_SELECT`."""
    url, title, content, kind, trust, library, version, digest, fetched_at, expires_at = row[:10]
    final_url, etag, last_modified, findings, pinned = row[10:]
    return StoredPage(
        key=key,
        document=Document(url, title, content, kind, trust, library_of(library), version),
        content_hash=digest,
        fetched_at=fetched_at,
        expires_at=expires_at,
        final_url=final_url,
        etag=etag,
        last_modified=last_modified,
        findings=tuple(PageFinding(*one) for one in json.loads(findings)),
        is_pinned=pinned,
    )
