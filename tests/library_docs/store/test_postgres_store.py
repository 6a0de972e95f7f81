"""The shared store and its database: migrations, roles, secrets, turns, and a database that is away, slow or gone."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from sightline.errors import SettingsError
from sightline.library_docs.store import PageKey
from sightline.library_docs.store.postgres.address import StoreAddress
from sightline.library_docs.store.postgres.database import Patience
from sightline.library_docs.store.postgres.postgres_store import PostgresPageStore
from sightline.library_docs.store.postgres.schema import SCHEMA_VERSION
from tests.library_docs.store.postgres_cluster import PASSWORD, Cluster
from tests.library_docs.store.sample_pages import Clock, addresses, page, shared_store_at

URL = "https://docs.example.test/a"
KEY = PageKey.of(URL)
SHORT = Patience(connect_s=2, statement_s=1, migration_s=5)


@pytest.fixture
async def store(database: str, clock: Clock) -> AsyncIterator[PostgresPageStore]:
    made = shared_store_at(database, clock)
    yield made
    await made.aclose()


@pytest.fixture
async def other(database: str, clock: Clock) -> AsyncIterator[PostgresPageStore]:
    made = shared_store_at(database, clock)
    yield made
    await made.aclose()


@pytest.fixture(scope="module")
def keeper(cluster: Cluster) -> str:
    """A role that needs a password."""
    cluster.execute(f"CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '{PASSWORD}'")  # type: ignore[arg-type] # a constant
    return "keeper"


async def test_another_replica_finds_what_one_kept(store: PostgresPageStore, other: PostgresPageStore) -> None:
    await store.put(page(URL, "lantern"))
    assert await other.get(KEY) == page(URL, "lantern")
    assert await addresses(other, "lantern") == [URL]


async def test_many_replicas_that_start_at_once_make_the_tables_once(cluster: Cluster, database: str) -> None:
    stores = [shared_store_at(database) for _ in range(8)]
    kept: list[bool] = []

    async def put(number: int) -> None:
        kept.append(await stores[number].put(page(f"{URL}/{number}")))

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(put, number)
    assert kept == [True] * 8
    assert cluster.execute("SELECT version FROM sightline.schema_version", database) == [(SCHEMA_VERSION,)]
    for each in stores:
        await each.aclose()


async def test_tables_of_a_later_version_are_left_alone(cluster: Cluster, database: str) -> None:
    first = shared_store_at(database)
    await first.put(page(URL))
    await first.aclose()
    cluster.execute("INSERT INTO sightline.schema_version VALUES (99)", database)
    store = shared_store_at(database)
    assert await store.get(KEY) is None
    assert not await store.put(page(URL, "new"))
    problem = str((await store.statistics()).problem)
    assert "schema 99" in problem
    assert "update Sightline" in problem
    assert cluster.execute("SELECT count(*) FROM sightline.pages", database) == [(1,)]
    await store.aclose()


async def test_a_schema_of_another_program_is_left_alone(cluster: Cluster, database: str) -> None:
    cluster.execute("CREATE SCHEMA sightline CREATE TABLE theirs(x int)", database)
    store = shared_store_at(database)
    assert not await store.put(page(URL))
    assert "another program" in str(store.problem)
    await store.aclose()


async def test_a_database_that_cannot_hold_all_characters_is_refused(cluster: Cluster) -> None:
    url = cluster.new_database("TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    store = shared_store_at(url)
    assert not await store.put(page(URL))
    assert "UTF8" in str(store.problem)
    await store.aclose()


async def test_a_half_made_migration_leaves_nothing(cluster: Cluster, database: str) -> None:
    cluster.execute("CREATE SCHEMA sightline", database)
    cluster.execute("CREATE TEXT SEARCH DICTIONARY sightline.stem (TEMPLATE = simple)", database)
    store = shared_store_at(database)
    assert not await store.put(page(URL))
    assert "already exists" in str(store.problem)
    assert cluster.execute("SELECT to_regclass('sightline.schema_version')", database) == [(None,)]
    await store.aclose()


async def test_a_schema_that_was_dropped_is_made_again(cluster: Cluster, database: str) -> None:
    store = shared_store_at(database)
    await store.put(page(URL))
    cluster.execute("DROP SCHEMA sightline CASCADE", database)
    assert await store.get(KEY) is None
    assert await store.put(page(URL))
    assert await store.get(KEY)
    await store.aclose()


async def test_a_role_that_may_only_read_reads(
    cluster: Cluster, database: str, store: PostgresPageStore, caplog: pytest.LogCaptureFixture
) -> None:
    await store.put(page(URL, "lantern"))
    name = database.rpartition("/")[2]
    cluster.execute("CREATE ROLE reader LOGIN", database)
    cluster.execute("GRANT USAGE ON SCHEMA sightline TO reader", database)
    cluster.execute("GRANT SELECT ON ALL TABLES IN SCHEMA sightline TO reader", database)
    reader = shared_store_at(cluster.url(name, "reader"))
    assert await reader.get(KEY)
    assert await addresses(reader, "lantern") == [URL]
    assert not await reader.put(page(URL, "other"))
    assert "permission denied" in str(caplog.records[-1].__dict__["error"])
    assert await reader.get(KEY)
    assert reader.problem is None
    await reader.aclose()


async def test_documents_of_a_machine_are_refused_by_the_tables_themselves(
    cluster: Cluster, store: PostgresPageStore, database: str
) -> None:
    public = page(URL)
    assert not await store.put(replace(public, document=replace(public.document, trust="private")))
    assert not await store.put(page("pkg:pypi/click@8.3.0#README.md"))
    assert not await store.put(page("folder:pypi/kiln#a.md"))
    assert cluster.execute("SELECT count(*) FROM sightline.pages", database) == [(0,)]


async def test_a_password_is_taken_from_the_address_a_passfile_or_a_service(
    cluster: Cluster, database: str, keeper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = database.rpartition("/")[2]
    passfile = tmp_path / "passwords"
    passfile.write_text(f"127.0.0.1:{cluster.port}:*:{keeper}:{PASSWORD}\n")
    passfile.chmod(0o600)
    services = tmp_path / "services.conf"
    services.write_text(f"[team]\nhost=127.0.0.1\nport={cluster.port}\ndbname={name}\nuser={keeper}\n")
    by_file = f"{cluster.url(name, keeper)}?passfile={passfile}"
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    by_service = f"postgresql:///?service=team&passfile={passfile}"
    for url in (cluster.url(name, keeper, password=PASSWORD), by_file, by_service):
        store = shared_store_at(url)
        assert await store.put(page(URL)), store.problem
        assert PASSWORD not in store.place
        await store.aclose()


async def test_a_password_is_in_no_message(cluster: Cluster, keeper: str, caplog: pytest.LogCaptureFixture) -> None:
    wrong = "-".join(["surely", "wrong"])
    caplog.set_level(logging.DEBUG)
    store = shared_store_at(cluster.url("postgres", keeper, password=wrong))
    assert not await store.put(page(URL))
    assert "password authentication failed" in str(store.problem)
    told = [store.place, str(store.problem), repr(StoreAddress.parse(cluster.url(password=wrong)))]
    told += [str(record.__dict__) + record.getMessage() for record in caplog.records]
    assert not [text for text in told if wrong in text]
    await store.aclose()


@pytest.mark.parametrize(
    "rest",
    [
        "mysql://u:{}@host/db",
        "host=x password={}",
        "postgresql://u:{}@[host/db",
        "postgresql://u:{}@h/db?odd=1",
        "postgresql://u:an@{}@host/db",
        "postgresql://u:a/{}@host/db",
        "postgresql://u:{}/slash@host/db",
    ],
)
def test_a_bad_address_is_refused_and_not_repeated(rest: str) -> None:
    with pytest.raises(SettingsError) as refused:
        StoreAddress.parse(rest.format(PASSWORD))
    assert PASSWORD not in f"{refused.value} {refused.value.hint}"
    assert "docs.store_url" in str(refused.value)


def test_without_the_driver_the_failure_names_the_remedy(tmp_path: Path) -> None:
    program = """
import sys
sys.modules["psycopg"] = None
from pathlib import Path
from sightline.errors import SettingsError
from sightline.library_docs.store.opening import open_stores
try:
    open_stores("postgresql://host/db", Path(sys.argv[1]), clock=lambda: 0.0, permit=lambda url: None)
except SettingsError as error:
    print(error, error.hint)
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert "driver is not installed" in said.stdout, said.stderr
    assert 'pip install ".[postgres]"' in said.stdout


async def test_a_turn_is_one_replicas_at_a_time(store: PostgresPageStore, other: PostgresPageStore) -> None:
    async with store.turn(KEY, wait_s=0) as first:
        async with other.turn(KEY, wait_s=0) as second, store.turn(KEY, wait_s=0) as third:
            assert (first.is_ours, second.is_ours, third.is_ours) == (True, False, False)
        async with other.turn(PageKey.of(f"{URL}/b"), wait_s=0) as elsewhere:
            assert elsewhere.is_ours
    async with other.turn(KEY, wait_s=0) as later:
        assert later.is_ours


async def test_a_turn_is_waited_for(store: PostgresPageStore, other: PostgresPageStore) -> None:
    order: list[str] = []

    async def wait() -> None:
        async with other.turn(KEY, wait_s=30) as turn:
            order.append("second" if turn.is_ours else "never")

    async with anyio.create_task_group() as tasks, store.turn(KEY, wait_s=0):
        tasks.start_soon(wait)
        async with other.turn(PageKey.of(f"{URL}/b"), wait_s=0):
            order.append("first")
    assert order == ["first", "second"]


async def test_a_turn_ends_with_a_cancelled_task(store: PostgresPageStore, other: PostgresPageStore) -> None:
    held = anyio.Event()

    async def hold() -> None:
        async with store.turn(KEY, wait_s=0):
            held.set()
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold)
        await held.wait()
        tasks.cancel_scope.cancel()
    async with other.turn(KEY, wait_s=0) as turn:
        assert turn.is_ours


async def test_a_turn_ends_with_its_connection(
    cluster: Cluster, store: PostgresPageStore, other: PostgresPageStore
) -> None:
    async with store.turn(KEY, wait_s=0) as lost:
        assert lost.is_ours
        cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        async with other.turn(KEY, wait_s=10) as turn:
            assert turn.is_ours
    async with store.turn(KEY, wait_s=10) as again:
        assert again.is_ours


async def test_a_connection_that_was_ended_while_idle_does_not_give_turns_to_all(
    cluster: Cluster, store: PostgresPageStore, other: PostgresPageStore
) -> None:
    async with store.turn(KEY, wait_s=0), other.turn(PageKey.of(f"{URL}/b"), wait_s=0):
        pass
    cluster.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'sightline' AND query LIKE '%advisory%'"
    )
    async with store.turn(KEY, wait_s=0) as first, other.turn(KEY, wait_s=0) as second:
        assert (first.is_ours, second.is_ours) == (True, False)


async def test_a_page_that_was_fetched_earlier_does_not_replace_a_later_one(
    store: PostgresPageStore, other: PostgresPageStore
) -> None:
    await store.put(replace(page(URL, "harbour new"), fetched_at=200))
    assert await other.put(replace(page(URL, "harbour old"), fetched_at=100))
    found = await store.get(KEY)
    assert found is not None
    assert found.document.text == "harbour new"
    assert [hit.snippet for hit in (await store.search("harbour")).hits] == ["harbour new"]


async def test_what_was_put_off_is_nobodys_turn_until_then(
    store: PostgresPageStore, other: PostgresPageStore, clock: Clock
) -> None:
    await store.put(page(URL))
    async with store.turn(KEY, wait_s=0) as turn:
        await turn.put_off(clock.now + 100)
    async with other.turn(KEY, wait_s=0) as turn:
        assert not turn.is_ours
    clock.now += 101
    async with other.turn(KEY, wait_s=0) as turn:
        assert turn.is_ours


async def test_only_one_replica_tidies_at_a_time(cluster: Cluster, store: PostgresPageStore, database: str) -> None:
    import psycopg

    await store.put(page(URL, "word " * 3000))
    async with await psycopg.AsyncConnection.connect(database) as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (0x51_7469_6479_0001,))
        done = await store.evict(1)
        assert (done.pages, done.is_within_budget) == (0, False)
    assert (await store.evict(1)).pages == 1


async def test_a_database_that_cannot_be_reached_gives_nothing_and_says_why(cluster: Cluster) -> None:
    store = PostgresPageStore(StoreAddress.parse("postgresql://nobody@127.0.0.1:1/none"), clock=Clock(), patience=SHORT)
    assert await store.get(KEY) is None
    assert not await store.put(page(URL))
    assert "refused" in str((await store.search("lantern")).unavailable)
    assert "refused" in str((await store.statistics()).problem)
    async with store.turn(KEY, wait_s=30) as turn:
        assert turn.is_ours
    await store.aclose()


async def test_a_database_that_hangs_is_given_up_and_found_again(cluster: Cluster, database: str) -> None:
    store = shared_store_at(database, patience=SHORT)
    assert await store.put(page(URL, "lantern"))
    cluster.freeze()
    try:
        with anyio.fail_after(60):
            assert await store.get(KEY) is None
            assert "in time" in str(store.problem)
            assert not await store.put(page(URL, "new"))
            async with store.turn(KEY, wait_s=30) as turn:
                assert turn.is_ours
    finally:
        cluster.thaw()
    with anyio.fail_after(60):
        while await store.get(KEY) is None:
            await anyio.lowlevel.checkpoint()
    assert store.problem is None
    await store.aclose()


async def test_a_long_statement_is_ended_and_the_store_goes_on(cluster: Cluster, database: str) -> None:
    import psycopg

    store = shared_store_at(database, patience=SHORT)
    await store.put(page(URL, "lantern"))
    async with await psycopg.AsyncConnection.connect(database) as connection:
        await connection.execute("LOCK TABLE sightline.pages IN ACCESS EXCLUSIVE MODE")
        assert await store.get(KEY) is None
        assert store.problem is None
    assert await store.get(KEY)
    await store.aclose()
