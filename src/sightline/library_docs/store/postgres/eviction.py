"""Keeping the shared store within a budget: what was not used for longest goes first, pinned pages never.

A deleted row frees room inside the database's files, not on the disk, so sizes are what was estimated when pages were
written. One replica tidies at a time.
"""

from __future__ import annotations

from psycopg import AsyncConnection

from sightline.library_docs.store.records import Eviction

_TIDY_LOCK = 0x51_7469_6479_0001
_OLDEST = """
SELECT id, footprint FROM sightline.pages WHERE NOT pinned ORDER BY last_used, id LIMIT 500 FOR UPDATE SKIP LOCKED
"""


async def used_bytes(connection: AsyncConnection) -> int:
    """What the pages take, by estimate."""
    row = await (await connection.execute("SELECT coalesce(sum(footprint), 0)::bigint FROM sightline.pages")).fetchone()
    return row[0] if row else 0


async def evict_some(connection: AsyncConnection, max_bytes: int) -> Eviction:
    """Remove about as much as is too much, some hundred pages at most; nothing while another replica is at it."""
    row = await (await connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_TIDY_LOCK,))).fetchone()
    used = await used_bytes(connection)
    if not row or not row[0] or used <= max_bytes:
        return Eviction(used_bytes=used, is_within_budget=used <= max_bytes)
    victims: list[int] = []
    for number, footprint in await (await connection.execute(_OLDEST)).fetchall():
        if used <= max_bytes:
            break
        victims.append(number)
        used -= footprint
    await connection.execute("DELETE FROM sightline.pages WHERE id = ANY(%s)", (victims,))
    return Eviction(pages=len(victims), used_bytes=used, is_within_budget=used <= max_bytes)
