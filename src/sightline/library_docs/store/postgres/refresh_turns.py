"""One fetch per address among all who share the database: by advisory locks, which die with their holder.

All locks of a process are held by one connection of its own, so that a slow site does not use up the pool. A process
that is killed loses its connection, and with it its turns; one that hangs loses them after a while.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import LiteralString

import anyio
import psycopg
from psycopg import AsyncConnection

from sightline.library_docs.store.postgres.database import Database
from sightline.library_docs.store.postgres.pages import key_bytes
from sightline.library_docs.store.records import PageKey

log = logging.getLogger(__name__)

_FIRST_LOOK_S = 0.05
_LONGEST_LOOK_S = 0.5
_HAS_IDLE_TIMEOUT = 140_000
_ENDED_WHEN_LOST: LiteralString = (
    "SELECT set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false), "
    "set_config('tcp_keepalives_count', '3', false)"
)
_ENDED_WHEN_HUNG: LiteralString = _ENDED_WHEN_LOST + ", set_config('idle_session_timeout', '10min', false)"
_PUT_OFF = "UPDATE sightline.pages SET put_off_until = greatest(put_off_until, %s) WHERE key = %s"
_TAKE = """
SELECT CASE WHEN EXISTS (SELECT 1 FROM sightline.pages WHERE key = %(key)s AND put_off_until > %(now)s) THEN NULL
  ELSE pg_try_advisory_lock(%(lock)s) END
"""


@dataclass(frozen=True, slots=True)
class SharedTurn:
    """A turn among all who share the database."""

    is_ours: bool
    key: PageKey
    database: Database

    async def put_off(self, until: float) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_PUT_OFF, (until, key_bytes(self.key)))

        await self.database.write("put off", work, None)


class RefreshTurns:
    """Gives turns; a database that is away gives one to everybody."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: AsyncConnection | None = None
        self._using = anyio.Lock()
        self._held: set[int] = set()

    @asynccontextmanager
    async def turn(self, key: PageKey, now: float, wait_s: float) -> AsyncGenerator[SharedTurn]:
        """The turn for a page, waited for so long; released when the block ends."""
        lock = _lock_number(key)
        if lock in self._held:
            yield SharedTurn(False, key, self._database)
            return
        self._held.add(lock)
        try:
            is_ours, holder = await self._take(key, lock, now, wait_s)
            try:
                yield SharedTurn(is_ours, key, self._database)
            finally:
                if holder:
                    await self._release(lock, holder)
        finally:
            self._held.discard(lock)

    async def aclose(self) -> None:
        """Give up all turns."""
        async with self._using:
            await self._drop()

    async def _take(self, key: PageKey, lock: int, now: float, wait_s: float) -> tuple[bool, AsyncConnection | None]:
        """Whether the turn is ours, and the connection that holds it; none where there was nobody to ask."""
        until = monotonic() + wait_s
        pause = _FIRST_LOOK_S
        while True:
            answer = await self._try(key, lock, now)
            if answer is None:
                return True, None
            is_taken, is_put_off, holder = answer
            if is_taken or is_put_off or monotonic() >= until:
                return is_taken, holder if is_taken else None
            await anyio.sleep(min(pause, max(until - monotonic(), 0)))
            pause = min(2 * pause, _LONGEST_LOOK_S)

    async def _try(self, key: PageKey, lock: int, now: float) -> tuple[bool, bool, AsyncConnection] | None:
        """Whether the lock is taken now or the page put off, and by which connection; None if nobody answers.

        A connection that was ended while it was idle shows it only now: then a new one is asked.
        """
        async with self._using:
            for _ in range(2):
                connection = await self._connected()
                if connection is None:
                    return None
                row = await self._ask(connection, _TAKE, {"key": key_bytes(key), "now": now, "lock": lock})
                if row is not None:
                    return row[0] is True, row[0] is None, connection
            return None

    async def _release(self, lock: int, holder: AsyncConnection) -> None:
        with anyio.CancelScope(shield=True):
            async with self._using:
                if holder is self._connection:
                    await self._ask(holder, "SELECT pg_advisory_unlock(%(lock)s)", {"lock": lock})

    async def _ask(
        self, connection: AsyncConnection, query: LiteralString, values: dict[str, object]
    ) -> tuple[object, ...] | None:
        """The answer; shielded, for a lock that is taken while nobody looks would stay."""
        try:
            with anyio.fail_after(self._database.patience.work_s, shield=True):
                return await (await connection.execute(query, values)).fetchone()
        except (psycopg.Error, OSError) as error:
            reason = self._database.address.shown(str(error)) or type(error).__name__
            log.warning("shared_store_turns_lost", extra={"place": self._database.address.place, "error": reason})
            await self._drop()
            return None

    async def _connected(self) -> AsyncConnection | None:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        await self._drop()
        connection = self._connection = await self._database.connect()
        if connection is None:
            return None
        can_end_idle = connection.info.server_version >= _HAS_IDLE_TIMEOUT
        is_set = await self._ask(connection, _ENDED_WHEN_HUNG if can_end_idle else _ENDED_WHEN_LOST, {})
        return connection if is_set else None

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


def _lock_number(key: PageKey) -> int:
    return int.from_bytes(key_bytes(key)[:8], signed=True)
