"""Disks that are full, damaged, locked or read-only, and processes that are killed: the store bears it all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.library_docs.store import PageKey
from tests.library_docs.store.sample_pages import page, store_at
from tests.library_docs.store.store_driver import URL, text_of

REPOSITORY = Path(__file__).resolve().parent.parent.parent.parent
ROUNDS = 100 if os.environ.get("SIGHTLINE_ORACLE") == "full" else 4
NAME = "docs.sqlite"


def start(mode: str, folder: Path, *rest: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.library_docs.store.store_driver", mode, str(folder), *rest]
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return [json.loads(line) for line in output.splitlines()]


def check_soundness(folder: Path) -> None:
    connection = sqlite3.connect(folder / NAME, isolation_level=None)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.execute("INSERT INTO passages_fts(passages_fts, rank) VALUES ('integrity-check', 1)")
    connection.close()


def set_aside(folder: Path) -> list[Path]:
    return list(folder.glob(f"{NAME}.damaged-*"))


def damage(path: Path) -> None:
    """Overwrite all but the first two pages."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))


def forbid_writing(folder: Path) -> None:
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


def move_away(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.rename(path.with_name(path.name.replace("docs", "moved")))


def deny_virtual_tables(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_CREATE_VTABLE else sqlite3.SQLITE_OK


async def fill(folder: Path, count: int = 3) -> None:
    store = store_at(folder)
    for number in range(count):
        assert await store.put(page(f"{URL}/old-{number}", text_of(f"old-{number}")))
    await store.aclose()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.timeout(600)
async def test_a_process_killed_while_writing_loses_nothing_that_it_kept(tmp_path: Path) -> None:
    kept: list[str] = []
    for number in range(ROUNDS):
        process = start("write", tmp_path, f"round{number}", "100000")
        assert process.stdout
        for _ in range(3 + number * 5 % 17):
            kept.append(json.loads(process.stdout.readline())["name"])
        process.send_signal(signal.SIGKILL)
        kept += [json.loads(line)["name"] for line in process.communicate()[0].splitlines() if line.endswith("}")]
    check_soundness(tmp_path)
    store = store_at(tmp_path)
    for name in kept:
        found = await store.get(PageKey.of(f"{URL}/{name}"))
        assert found is not None
        assert found.document.text == text_of(name)
    assert not set_aside(tmp_path)
    await store.aclose()


async def test_processes_that_write_at_once_each_keep_everything(tmp_path: Path) -> None:
    both = [start("write", tmp_path, name, "40") for name in ("one", "two")]
    said = [line for process in both for line in finish(process)]
    assert len(said) == 80
    assert all(line["kept"] for line in said)
    check_soundness(tmp_path)
    store = store_at(tmp_path)
    assert (await store.statistics()).web_pages == 80
    await store.aclose()


async def test_another_process_sees_what_was_written(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    assert await store.get(PageKey.of(f"{URL}/one-0")) is None
    finish(start("write", tmp_path, "one", "1"))
    assert await store.get(PageKey.of(f"{URL}/one-0")) is not None
    assert len((await store.search("harbour")).hits) == 1
    await store.aclose()


async def test_a_locked_file_can_be_read_and_is_written_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await fill(tmp_path)
    store = store_at(tmp_path, busy_timeout_s=0.05)
    assert await store.get(PageKey.of(f"{URL}/old-0"))
    holder = start("hold", tmp_path)
    assert holder.stdout
    assert json.loads(holder.stdout.readline()) == {"held": True}
    assert not await store.put(page(f"{URL}/new"))
    assert "docs_store_write_failed" in caplog.text
    assert await store.get(PageKey.of(f"{URL}/old-0"))
    assert (await store.search("harbour")).hits
    holder.communicate("go\n")
    assert await store.put(page(f"{URL}/new"))
    await store.aclose()


async def test_a_file_locked_at_the_start_is_opened_later(tmp_path: Path) -> None:
    await fill(tmp_path)
    holder = start("hold", tmp_path)
    assert holder.stdout
    holder.stdout.readline()
    store = store_at(tmp_path, busy_timeout_s=0.05)
    assert await store.get(PageKey.of(f"{URL}/old-0")) is None
    holder.communicate("go\n")
    assert await store.get(PageKey.of(f"{URL}/old-0"))
    await store.aclose()


async def test_a_store_that_may_only_be_read_is_read(open_folder: Path) -> None:
    await fill(open_folder)
    forbid_writing(open_folder)
    (said,) = finish(start("read_only", open_folder, "old-0"))
    assert said == {"found": True, "kept": False, "hits": 3, "again": True}


async def test_a_full_disk_loses_only_what_came_last(tmp_path: Path) -> None:
    await fill(tmp_path)
    (said,) = finish(start("small_disk", tmp_path, "old-0"))
    assert said == {"found": True, "kept": False, "hits": 3, "again": True}
    check_soundness(tmp_path)


async def test_a_full_database_refuses_and_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def connect(uri: str) -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA max_page_count = 60")
        return connection

    store = store_at(tmp_path, connect=connect)
    assert await store.put(page(f"{URL}/small"))
    assert not await store.put(page(f"{URL}/large", text_of("large") * 200))
    assert "full" in caplog.records[-1].__dict__["error"]
    assert await store.put(page(f"{URL}/small2"))
    assert await store.get(PageKey.of(f"{URL}/small"))
    assert await store.get(PageKey.of(f"{URL}/large")) is None
    await store.aclose()


async def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / NAME).write_bytes(b"this is no database" * 1000)
    store = store_at(tmp_path)
    assert await store.put(page(f"{URL}/a"))
    assert await store.get(PageKey.of(f"{URL}/a"))
    (damaged,) = set_aside(tmp_path)
    assert damaged.read_bytes() == b"this is no database" * 1000
    assert "docs_store_set_aside" in caplog.text
    await store.aclose()


async def test_a_database_damaged_in_the_middle_is_set_aside_when_it_shows(tmp_path: Path) -> None:
    await fill(tmp_path, 20)
    damage(tmp_path / NAME)
    store = store_at(tmp_path)
    assert await store.get(PageKey.of(f"{URL}/old-1")) is None
    assert await store.put(page(f"{URL}/a"))
    assert await store.get(PageKey.of(f"{URL}/a"))
    assert set_aside(tmp_path)
    await store.aclose()
    check_soundness(tmp_path)


async def test_a_damaged_index_is_made_anew_and_the_pages_stay(tmp_path: Path) -> None:
    await fill(tmp_path)
    connection = sqlite3.connect(tmp_path / NAME)
    connection.execute("UPDATE passages_fts_data SET block = x'ffffffffffff' WHERE id > 1")
    connection.commit()
    connection.close()
    store = store_at(tmp_path)
    assert (await store.search("harbour")).unavailable is not None
    assert len((await store.search("harbour")).hits) == 3
    assert not set_aside(tmp_path)
    await store.aclose()


async def test_a_new_file_in_the_place_of_a_damaged_one_is_not_touched(tmp_path: Path) -> None:
    await fill(tmp_path, 20)
    store = store_at(tmp_path)
    await store.statistics()
    move_away(tmp_path)
    await fill(tmp_path, 2)
    damage(tmp_path / "moved.sqlite")
    await store.get(PageKey.of(f"{URL}/old-19"))
    assert await store.get(PageKey.of(f"{URL}/old-1"))
    assert (await store.statistics()).web_pages == 2
    assert not set_aside(tmp_path)
    await store.aclose()


async def test_without_full_text_search_everything_else_works(tmp_path: Path) -> None:
    def connect(uri: str) -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        connection.set_authorizer(deny_virtual_tables)
        return connection

    store = store_at(tmp_path, connect=connect)
    assert await store.put(page(f"{URL}/a", "lantern"))
    assert await store.put(page(f"{URL}/a", "harbour"))
    assert await store.get(PageKey.of(f"{URL}/a"))
    answer = await store.search("harbour")
    assert answer.hits == ()
    assert "no full-text search" in str(answer.unavailable)
    assert "no full-text search" in str((await store.statistics()).search_problem)
    await store.aclose()
    later = store_at(tmp_path)
    assert len((await later.search("harbour")).hits) == 1
    assert (await later.search("lantern")).hits == ()
    await later.aclose()


@pytest.mark.parametrize(
    ("statement", "problem"),
    [("PRAGMA user_version = 99", "later version"), ("CREATE TABLE theirs(x)", "another program")],
)
async def test_a_file_that_is_not_for_us_is_left_alone(tmp_path: Path, statement: str, problem: str) -> None:
    connection = sqlite3.connect(tmp_path / NAME)
    connection.execute(statement)
    connection.commit()
    connection.close()
    before = (tmp_path / NAME).read_bytes()
    store = store_at(tmp_path)
    assert await store.get(PageKey.of(f"{URL}/a")) is None
    assert not await store.put(page(f"{URL}/a"))
    assert problem in str((await store.search("x")).unavailable)
    assert problem in str((await store.statistics()).problem)
    await store.aclose()
    after = (tmp_path / NAME).read_bytes()
    assert after[100:] == before[100:]
    assert not set_aside(tmp_path)


async def test_a_place_where_no_file_can_be_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / "file").write_text("")
    for store in (store_at(tmp_path), store_at(tmp_path / "file")):
        caplog.clear()
        assert await store.get(PageKey.of(f"{URL}/a")) is None
        assert not await store.put(page(f"{URL}/a"))
        assert (await store.evict(1)).is_within_budget is False
        assert (await store.statistics()).problem
        assert [record.message for record in caplog.records] == ["docs_store_unavailable"]
        await store.aclose()
