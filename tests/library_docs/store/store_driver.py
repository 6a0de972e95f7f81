"""A second process at a store: writes and says what it wrote, holds the lock, or works under limits."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import sqlite3
import sys
from pathlib import Path

import anyio

from sightline.library_docs.store import PageKey
from sightline.library_docs.store.sqlite_store import SqliteDocsStore
from tests.library_docs.store.sample_pages import page, store_at

URL = "https://docs.example.test"
NOBODY = 65534


def text_of(name: str) -> str:
    return f"# Page {name}\n\n" + f"lantern {name} harbour\n" * 100


def say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def write(folder: Path, name: str, count: int) -> None:
    """Put pages one after another and name each when it is kept."""
    store = store_at(folder)
    for number in range(count):
        kept = await store.put(page(f"{URL}/{name}-{number}", text_of(f"{name}-{number}")))
        say(kept=kept, name=f"{name}-{number}")
    await store.aclose()


def hold(folder: Path) -> None:
    """Hold the write lock until told."""
    connection = sqlite3.connect(folder / "docs.sqlite", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    say(held=True)
    sys.stdin.readline()
    connection.execute("ROLLBACK")
    connection.close()


async def _try_all(store: SqliteDocsStore, name: str) -> None:
    found = await store.get(PageKey.of(f"{URL}/{name}"))
    kept = await store.put(page(f"{URL}/new", text_of("new") * 200))
    hits = await store.search("lantern")
    again = await store.get(PageKey.of(f"{URL}/{name}"))
    say(found=found is not None, kept=kept, hits=len(hits.hits), again=again is not None)
    await store.aclose()


async def read_only(folder: Path, name: str) -> None:
    """Use a store that may not be written; root may write everything, and becomes nobody first."""
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    await _try_all(store_at(folder), name)


def _largest(folder: Path) -> int:
    return max(path.stat().st_size for path in folder.iterdir())


async def small_disk(folder: Path, name: str) -> None:
    """Use a store on which no file may grow any further."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    largest = _largest(folder)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    await _try_all(store_at(folder), name)


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    mode, folder, *rest = sys.argv[1:]
    match mode:
        case "write":
            anyio.run(write, Path(folder), rest[0], int(rest[1]))
        case "hold":
            hold(Path(folder))
        case "read_only":
            anyio.run(read_only, Path(folder), rest[0])
        case _:
            anyio.run(small_disk, Path(folder), rest[0])


if __name__ == "__main__":
    main()
