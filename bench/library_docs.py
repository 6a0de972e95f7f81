"""`docs`: an overview against reading the README, a cached page against a bare read, a search against grep.

The overview is of a package in the environment that the bench runs in, cold: each figure is a new interpreter. The
pages are made up: 10,000 of them, with words drawn from the documentation of that environment.
"""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import anyio

from bench.measure import Bench, Budget, Comparison, Contender
from sightline.library_docs.documents import Document
from sightline.library_docs.store.records import PageKey, StoredPage
from sightline.library_docs.store.sqlite_store import SqliteDocsStore

_PACKAGE = "click"
_PAGES = 10_000
_WORDS_OF_A_PAGE = 180
_READS = 200
_LONG_PAGE = 4_321
_QUERY = "context manager"
_SEED = 7


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = _pages()
        _write(folder / "text", texts)
        store = SqliteDocsStore(folder / "docs.sqlite3", clock=time.time)
        _run(lambda: _fill(store, texts))
        yield [_overviews(), _reads(store, folder / "docs.sqlite3"), _searches(store, folder / "text")]
        _run(store.aclose)


def _overviews() -> Comparison:
    project = Path(sys.prefix).parent
    readme = next(file.locate() for file in distribution(_PACKAGE).files or () if file.name == "METADATA")
    plain = [sys.executable, "-c", f"print(open({str(readme)!r}, encoding='utf-8').read())"]
    ours = [sys.executable, "-m", "bench.docs_overview", str(project), _PACKAGE]
    return Comparison(
        f"Documentation of an installed package ({_PACKAGE}), cold and offline",
        "ms",
        [
            Contender("reading its README in a fresh interpreter", lambda: _process_ms(plain)),
            Contender("its overview in a fresh interpreter", lambda: _process_ms(ours), Budget(10)),
        ],
    )


def _reads(store: SqliteDocsStore, file: Path) -> Comparison:
    url = _address(_LONG_PAGE)
    bare = sqlite3.connect(file)

    def bare_ms() -> float:
        started = time.perf_counter()
        for _ in range(_READS):
            bare.execute("SELECT * FROM pages WHERE url = ?", (url,)).fetchone()
        return (time.perf_counter() - started) * 1000 / _READS

    async def read() -> float:
        started = time.perf_counter()
        for _ in range(_READS):
            await store.get(PageKey.of(url))
        return (time.perf_counter() - started) * 1000 / _READS

    return Comparison(
        "A cached page of 30 KB",
        "ms",
        [
            Contender("a bare SQLite read of its row", bare_ms),
            Contender("the page from the store", lambda: _run(read), Budget(3)),
        ],
    )


def _searches(store: SqliteDocsStore, folder: Path) -> Comparison:
    program = "rg" if shutil.which("rg") else "grep"
    command = (
        [program, "-r", "-i", "-l", _QUERY, str(folder)] if program == "grep" else ["rg", "-il", _QUERY, str(folder)]
    )

    async def search() -> float:
        started = time.perf_counter()
        answer = await store.search(_QUERY, limit=10)
        if not answer.hits:
            raise RuntimeError("the search found nothing")
        return (time.perf_counter() - started) * 1000

    return Comparison(
        f"A search over {_PAGES:,} pages",
        "ms",
        [
            Contender(f"`{program}` over the same text", lambda: _process_ms(command)),
            Contender("`search_docs`' search, ranked", lambda: _run(search), Budget(1)),
        ],
    )


def _pages() -> list[str]:
    description = distribution(_PACKAGE).read_text("METADATA") or ""
    words = re.findall(r"\w+", description + " ".join(f"word{number}" for number in range(3_000)))
    draw = random.Random(_SEED)
    pages: list[str] = []
    for number in range(_PAGES):
        body = " ".join(draw.choices(words, k=_WORDS_OF_A_PAGE))
        special = f"\n\nUse a {_QUERY} here.\n" if number % 500 == 0 else ""
        if number == _LONG_PAGE:
            body = "\n".join([body] * 25)
        pages.append(f"# Page {number}\n\n{body}{special}")
    return pages


def _write(folder: Path, texts: Sequence[str]) -> None:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.md").write_text(text)


async def _fill(store: SqliteDocsStore, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        url = _address(number)
        document = Document(url, f"Page {number}", text, "page", "registered")
        await store.put(
            StoredPage(key=PageKey.of(url), document=document, content_hash="0" * 12, fetched_at=0, expires_at=0)
        )


def _address(number: int) -> str:
    return f"https://docs.example/{number}"


def _process_ms(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
    return (time.perf_counter() - started) * 1000


def _run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return anyio.run(work)


LIBRARY_DOCS = Bench("docs", "What do documentation, cached pages and searches cost?", prepare)
