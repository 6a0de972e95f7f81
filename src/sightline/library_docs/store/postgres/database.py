"""A database that never fails its users: what cannot be read is missing, what cannot be written is not kept.

Connections are few and pooled, every wait has a deadline, and a database that is away is not asked again for a while,
so that nobody waits for it in every call. A restarted one is found again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from sightline.library_docs.store.postgres.address import StoreAddress
from sightline.library_docs.store.postgres.schema import UnusableSchema, is_current, migrate

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]

_MOST_CONNECTIONS = 4
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_AWAY_STATES = ("08", "57P", "53300")
_LOST_SCHEMA = ("42P01", "42703", "3F000")
# The planner does not know what it costs to look into a text: it would rather read all of them than ask the index.
_SESSION = """
SELECT set_config('statement_timeout', %(limit)s, false), set_config('lock_timeout', %(limit)s, false),
  set_config('idle_in_transaction_session_timeout', %(limit)s, false), set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false)
"""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long anything may take; the server ends a statement first, and a dead network is ended by us."""

    connect_s: float = 3.0
    statement_s: float = 5.0
    migration_s: float = 20.0

    @property
    def work_s(self) -> float:
        return self.connect_s + self.statement_s + 2


class Database:
    """Runs work on a connection; `problem` says why the database cannot be used, and None while it can."""

    def __init__(
        self, address: StoreAddress, *, patience: Patience | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.address = address
        self.problem: str | None = None
        self.patience = patience or Patience()
        self._clock = clock
        self._pool: AsyncConnectionPool | None = None
        self._is_prepared = False
        self._is_closed = False
        self._opening = anyio.Lock()
        self._ask_again = 0.0
        self._pause_s = _FIRST_PAUSE_S

    async def read(self, what: str, work: Work[T], otherwise: T) -> T:
        """The result of work that only reads; `otherwise` when it fails."""
        return await self._run("shared_store_read_failed", what, work, otherwise)

    async def write(self, what: str, work: Work[T], otherwise: T) -> T:
        """The result of work in a transaction, which is kept whole or not at all; `otherwise` when it fails."""

        async def in_transaction(connection: AsyncConnection) -> T:
            async with connection.transaction():
                return await work(connection)

        return await self._run("shared_store_write_failed", what, in_transaction, otherwise)

    async def connect(self) -> AsyncConnection | None:
        """A connection of the caller's own; None while there is none to be had."""
        if await self._ready() is None:
            return None
        try:
            with anyio.fail_after(self.patience.connect_s + 1):
                return await self._connect()
        except (psycopg.Error, OSError) as error:
            self._failed("shared_store_connect_failed", "connect", error)
            return None

    async def aclose(self) -> None:
        """Let go of the database for good."""
        self._is_closed = True
        pool, self._pool = self._pool, None
        if pool:
            await pool.close(timeout=self.patience.connect_s)

    async def _run(self, event: str, what: str, work: Work[T], otherwise: T) -> T:
        pool = await self._ready()
        if pool is None:
            return otherwise
        try:
            with anyio.fail_after(self.patience.work_s):
                async with pool.connection() as connection:
                    return await work(connection)
        except (psycopg.Error, OSError) as error:
            self._failed(event, what, error)
            return otherwise

    async def _ready(self) -> AsyncConnectionPool | None:
        if self._is_prepared and self.problem is None:
            return self._pool
        async with self._opening:
            if self._is_closed or self._clock() < self._ask_again:
                return None
            if not self._is_prepared or self.problem is not None:
                await self._prepare()
            return self._pool if self.problem is None else None

    async def _prepare(self) -> None:
        """Look whether the database answers and has our tables; tells why where it does not."""
        try:
            with anyio.fail_after(self.patience.work_s) as looking:
                async with await self._connect(self.patience.migration_s) as connection:
                    if not await is_current(connection):
                        looking.deadline += self.patience.migration_s
                        await migrate(connection)
            await self._open_pool()
        except (psycopg.Error, UnusableSchema, OSError) as error:
            self._away(self._reason(error))
        else:
            if self.problem is not None:
                log.warning("shared_store_is_back", extra={"place": self.address.place})
            self.problem, self._is_prepared, self._pause_s, self._ask_again = None, True, _FIRST_PAUSE_S, 0.0

    async def _open_pool(self) -> None:
        if self._pool is None:
            self._pool = AsyncConnectionPool(
                min_size=0,
                max_size=_MOST_CONNECTIONS,
                open=False,
                timeout=self.patience.connect_s,
                reconnect_timeout=self.patience.connect_s,
                max_idle=300,
                check=AsyncConnectionPool.check_connection,
                configure=self._configure,
                conninfo=self.address.url,
                kwargs=self._options(),
            )
            await self._pool.open()

    async def _connect(self, statement_s: float | None = None) -> AsyncConnection:
        connection = await AsyncConnection.connect(self.address.url, **self._options())
        try:
            await self._configure(connection, statement_s)
        except BaseException:
            await connection.close()
            raise
        return connection

    def _options(self) -> dict[str, Any]:
        return {
            "autocommit": True,
            "prepare_threshold": None,
            "connect_timeout": max(2, int(self.patience.connect_s)),
            "application_name": "sightline",
            "tcp_user_timeout": int(self.patience.work_s * 1000),
        }

    async def _configure(self, connection: AsyncConnection, statement_s: float | None = None) -> None:
        limit = str(int((statement_s or self.patience.statement_s) * 1000))
        await connection.execute(_SESSION, {"limit": limit})

    def _failed(self, event: str, what: str, error: Exception) -> None:
        reason = self._reason(error)
        log.warning(event, extra={"what": what, "place": self.address.place, "error": reason})
        state = error.sqlstate or "" if isinstance(error, psycopg.Error) else ""
        is_broken = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | OSError)
        if is_broken and (not state or state.startswith(_AWAY_STATES)):
            self._away(reason)
        elif state in _LOST_SCHEMA:
            self._is_prepared = False

    def _away(self, reason: str) -> None:
        if reason != self.problem:
            log.warning("shared_store_unavailable", extra={"place": self.address.place, "reason": reason})
        self.problem = reason
        self._ask_again = self._clock() + self._pause_s
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def _reason(self, error: Exception) -> str:
        if isinstance(error, PoolTimeout | TimeoutError):
            return "it does not answer in time"
        return self.address.shown(str(error)) or type(error).__name__
