"""The tables in the schema `sightline`, made and brought up to date by steps; a table counts the steps that were taken.

Texts are cut into words before they come here, so the text search configuration only stems: by Porter's rules, as FTS5
does. Their vectors stay in the row (`MAIN`): scoring reads them four times as fast as from beside it. The two checks on
`pages` are the last word on what is never shared.
"""

from __future__ import annotations

from typing import Any, LiteralString

from psycopg import AsyncConnection

_MIGRATION_LOCK = 0x51_6874_6C69_6E65

_TABLES: LiteralString = """
CREATE TEXT SEARCH DICTIONARY sightline.stem (TEMPLATE = pg_catalog.snowball, LANGUAGE = porter);
CREATE TEXT SEARCH CONFIGURATION sightline.words (PARSER = pg_catalog."default");
ALTER TEXT SEARCH CONFIGURATION sightline.words ADD MAPPING FOR
  asciiword, word, numword, email, url, host, sfloat, version, hword_numpart, hword_part, hword_asciipart, protocol,
  numhword, asciihword, hword, url_path, file, float, int, uint WITH sightline.stem;
CREATE TABLE sightline.pages(
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key bytea NOT NULL UNIQUE,
  url text NOT NULL CHECK (url ~ '^https?://'), variant text NOT NULL, version text NOT NULL,
  final_url text NOT NULL, title text NOT NULL, kind text NOT NULL,
  trust text NOT NULL CHECK (trust IN ('registered', 'allowed')),
  library text NOT NULL, document_version text, content_hash text NOT NULL, etag text, last_modified text,
  fetched_at float8 NOT NULL, expires_at float8 NOT NULL, pinned boolean NOT NULL, findings text NOT NULL,
  content text NOT NULL, size bigint NOT NULL, footprint bigint NOT NULL, last_used float8 NOT NULL,
  put_off_until float8 NOT NULL DEFAULT 0);
CREATE INDEX pages_by_use ON sightline.pages(last_used, id) WHERE NOT pinned;
CREATE INDEX pages_by_library ON sightline.pages(library);
CREATE TABLE sightline.passages(
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  page bigint NOT NULL REFERENCES sightline.pages(id) ON DELETE CASCADE,
  line integer NOT NULL, digest text NOT NULL, heading text NOT NULL, body text NOT NULL,
  length integer NOT NULL, words tsvector NOT NULL);
ALTER TABLE sightline.passages ALTER COLUMN words SET STORAGE MAIN;
CREATE INDEX passages_by_page ON sightline.passages(page);
CREATE INDEX passages_by_word ON sightline.passages USING gin(words) WITH (fastupdate = off);
"""
_STEPS: tuple[LiteralString, ...] = (_TABLES,)
SCHEMA_VERSION = len(_STEPS)

_TABLES_OF_OTHERS = """
SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'sightline' LIMIT 1
"""
_NAMESPACE = "SELECT 1 FROM pg_namespace WHERE nspname = 'sightline'"
# By the tables themselves: `to_regclass` may remember from before the lock that there is none.
_COUNTER = """
SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = 'sightline' AND relname = 'schema_version'
"""


class UnusableSchema(Exception):
    """The database is there, and cannot be used; the message says why and what to do."""


async def is_current(connection: AsyncConnection) -> bool:
    """Whether the tables are those that this program knows. Raises `UnusableSchema` and what psycopg raises."""
    version = await _version(connection)
    if version > SCHEMA_VERSION:
        raise UnusableSchema(
            f"a later Sightline made its tables (schema {version}, this one knows {SCHEMA_VERSION}): update Sightline"
        )
    return version == SCHEMA_VERSION


async def migrate(connection: AsyncConnection) -> None:
    """Bring the tables up to date, one process at a time. Raises `UnusableSchema` and what psycopg raises."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
        if not await is_current(connection):
            await _take_steps(connection)


async def _version(connection: AsyncConnection) -> int:
    if not await _first(connection, _COUNTER):
        return 0
    return await _first(connection, "SELECT coalesce(max(version), 0) FROM sightline.schema_version") or 0


async def _take_steps(connection: AsyncConnection) -> None:
    version = await _version(connection)
    if version == 0:
        await _begin(connection)
    for number, step in enumerate(_STEPS[version:], start=version + 1):
        await connection.execute(step)
        await connection.execute("INSERT INTO sightline.schema_version VALUES (%s)", (number,))


async def _begin(connection: AsyncConnection) -> None:
    """An empty schema of our own; a role that may not make one can be given an empty one."""
    encoding = await _first(connection, "SELECT current_setting('server_encoding')")
    if encoding != "UTF8":
        raise UnusableSchema(f"the database has the encoding {encoding}: make one with UTF8")
    if not await _first(connection, _NAMESPACE):
        await connection.execute("CREATE SCHEMA sightline")
    elif await _first(connection, _TABLES_OF_OTHERS):
        raise UnusableSchema("the schema `sightline` belongs to another program: name another database")
    await connection.execute(
        "CREATE TABLE sightline.schema_version(version integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())"
    )


async def _first(connection: AsyncConnection, query: LiteralString) -> Any:
    row = await (await connection.execute(query)).fetchone()
    return None if row is None else row[0]
