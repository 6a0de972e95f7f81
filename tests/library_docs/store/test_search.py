"""Searching: identifiers and prose, all words before some, any text at all."""

from __future__ import annotations

import re
import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.store import PageStore
from sightline.library_docs.store.queries import library_expression, query_of
from tests.library_docs.store.sample_pages import CLICK, RICH, page

URL = "https://docs.example.test/a"
TEXT = """# Concurrency

Intro words about nothing.

## Task groups

Use `asyncio.TaskGroup` to wait for several jobs.
The useEffect hook and get_library_docs are named here.

## Retries

Configuring retries is done by the HTTPServer class.

```python
# Not a heading
server = HTTPServer(retries=3)
```
"""


@pytest.fixture
async def store(pages: PageStore) -> PageStore:
    await pages.put(page(URL, TEXT))
    return pages


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("TaskGroup", "Task groups"),
        ("asyncio.TaskGroup", "Task groups"),
        ("task group", "Task groups"),
        ("effect", "Task groups"),
        ("useEffect", "Task groups"),
        ("get_library_docs", "Task groups"),
        ("library docs", "Task groups"),
        ("configure retry", "Retries"),
        ("http server", "Retries"),
        ("how do I configure the retries?", "Retries"),
        ("HTTPServer(retries=3)", "Retries"),
    ],
)
async def test_names_and_prose_are_found(store: PageStore, query: str, heading: str) -> None:
    hit = (await store.search(query)).hits[0]
    assert hit.heading == f"Title > Concurrency > {heading}"
    assert hit.matched == "all"


async def test_a_hit_has_the_line_of_its_snippet(store: PageStore) -> None:
    hit = (await store.search("get_library_docs")).hits[0]
    lines = TEXT.split("\n")
    assert hit.snippet.startswith(lines[hit.line - 1])
    assert "get_library_docs" in hit.snippet
    assert len(hit.snippet) <= 400


async def test_some_words_are_enough_where_no_passage_has_all(store: PageStore) -> None:
    hits = (await store.search("retries zeppelin")).hits
    assert [(hit.heading.rpartition(" > ")[2], hit.matched) for hit in hits] == [("Retries", "some")]
    assert (await store.search("zeppelin")).hits == ()


async def test_weak_hits_are_left_out(pages: PageStore) -> None:
    for number in range(30):
        await pages.put(page(f"{URL}/{number}", f"common filler number{number} " + "plain words here " * 40))
    await pages.put(page(f"{URL}/rare", "zeppelin airship"))
    hits = (await pages.search("zeppelin airship common dirigible")).hits
    assert [hit.address for hit in hits] == [f"{URL}/rare"]


async def test_a_library_narrows_exactly(store: PageStore) -> None:
    plugins = LibraryId("pypi", "click-plugins")
    await store.put(page(f"{URL}/rich", "lantern", library=RICH))
    await store.put(page(f"{URL}/plugins", "lantern", library=plugins))
    await store.put(page(f"{URL}/click", "lantern", library=CLICK))
    for library, name in ((RICH, "rich"), (plugins, "plugins"), (CLICK, "click")):
        hits = (await store.search("lantern", library=library)).hits
        assert [hit.address for hit in hits] == [f"{URL}/{name}"]
    assert (await store.search("pypi")).hits == ()
    assert (await store.search("lantern", library=LibraryId("npm", "@scope/rich"))).hits == ()


async def test_the_same_text_is_found_once_and_a_page_only_a_few_times(store: PageStore) -> None:
    for number in range(3):
        await store.put(page(f"{URL}/copy{number}", "# Same\n\nlantern lantern"))
    await store.put(page(f"{URL}/long", "".join(f"# H{number}\n\nlantern {number}\n" for number in range(9))))
    found = [hit.address for hit in (await store.search("lantern", limit=20)).hits]
    assert sum("copy" in address for address in found) == 1
    assert found.count(f"{URL}/long") == 3


async def test_the_limit_holds(store: PageStore) -> None:
    for number in range(9):
        await store.put(page(f"{URL}/{number}", f"lantern {number}"))
    assert len((await store.search("lantern", limit=4)).hits) == 4
    assert (await store.search("lantern", limit=0)).hits == ()


def fts() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(library, heading, body, parts, "
        "tokenize='porter unicode61 remove_diacritics 2')"
    )
    connection.execute("INSERT INTO t VALUES ('pypi:x', 'head', 'body words AND near', 'part')")
    return connection


ODD = [
    "C++",
    "std::vector",
    "@scope/x",
    "AND",
    "a AND",
    "NOT x",
    "NEAR(a b)",
    'say "hi',
    "node-fetch",
    "a*",
    "^a",
    "{a b}:c",
    "-x",
    "x:y",
    "(",
    "'",
    "\0a",
    "\ud800",
    "ª",
    "²",
    "中文",
]


@pytest.mark.parametrize("text", ODD)
async def test_odd_queries_are_safe(store: PageStore, text: str) -> None:
    answer = await store.search(text)
    assert answer.unavailable is None
    assert (await store.search(text, library=CLICK)).unavailable is None


@given(st.text(max_size=80))
@example('" OR "')
@example("\u0345 ⅷ \U0001f600 \u200d")
def test_fts5_accepts_the_query_for_any_text(text: str) -> None:
    connection = fts()
    query = query_of(text)
    for operator in ("AND", "OR"):
        if query.words:
            expression = f"{{heading body parts}} : ({query.expression(operator)})"
            found = connection.execute("SELECT * FROM t WHERE t MATCH ?", (expression,)).fetchall()
            narrowed = f"{library_expression('npm:@s/x')} AND {expression}"
            assert set(connection.execute("SELECT * FROM t WHERE t MATCH ?", (narrowed,)).fetchall()) <= set(found)
    connection.close()


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F), min_size=1, max_size=20))
def test_a_word_of_a_text_finds_it(word: str) -> None:
    connection = fts()
    connection.execute("INSERT INTO t VALUES ('', '', ?, '')", (f"before {word} after",))
    expression = query_of(word).expression("AND")
    found = connection.execute("SELECT body FROM t WHERE t MATCH ?", (expression,)).fetchall()
    assert (f"before {word} after",) in found
    connection.close()


def test_a_long_query_is_cut_to_its_first_words() -> None:
    query = query_of(" ".join(f"word{number}" for number in range(500)))
    assert len(query.words) == 24


def test_filler_words_count_only_alone() -> None:
    assert query_of("how to use the lamp").words == (("lamp",),)
    assert query_of("how to").words == (("how",), ("to",))


def test_names_are_found_whole_and_in_parts() -> None:
    assert query_of("asyncio.TaskGroup").words == (("asyncio taskgroup", "asyncio task group"),)
    assert re.fullmatch(r"[a-z]+", "".join(query_of("HTTPServer").words[0]).replace(" ", ""))
