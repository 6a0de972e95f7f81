"""The two stores put the same things first: every heading of this project's own documents, looked for in both."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.library_docs.pages.outline import outline_of
from sightline.library_docs.store import PageStore
from tests.library_docs.store.sample_pages import page, shared_store_at, store_at

REPOSITORY = Path(__file__).resolve().parent.parent.parent.parent
FIRST = 5


def corpus() -> dict[str, str]:
    files = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    return {f"https://docs.example.org/{path.name}": path.read_text() for path in sorted(files)}


async def fill(store: PageStore, texts: dict[str, str]) -> None:
    for url, text in texts.items():
        assert await store.put(page(url, text))


async def found(store: PageStore, query: str) -> list[tuple[str, str]]:
    return [(hit.address, hit.heading) for hit in (await store.search(query, limit=FIRST)).hits]


def place_of(url: str, title: str, hits: list[tuple[str, str]]) -> float:
    """One by the place of the wanted passage; nothing where it is not among the first."""
    places = [n for n, hit in enumerate(hits, start=1) if hit[0] == url and title in hit[1]]
    return 1 / places[0] if places else 0.0


@pytest.mark.timeout(300)
async def test_both_stores_find_a_heading_equally_well(tmp_path: Path, database: str) -> None:
    texts = corpus()
    wanted = [(url, each.title) for url, text in texts.items() for each in outline_of(text) if each.level <= 3][:250]
    local, shared = store_at(tmp_path), shared_store_at(database)
    await fill(local, texts)
    await fill(shared, texts)
    ours, theirs, same = 0.0, 0.0, 0.0
    for url, title in wanted:
        here, there = await found(local, title), await found(shared, title)
        ours, theirs = ours + place_of(url, title, here), theirs + place_of(url, title, there)
        same += len(set(here) & set(there)) / max(len(set(here) | set(there)), 1)
    await local.aclose()
    await shared.aclose()
    count = len(wanted)
    figures = f"{count} headings: {ours / count:.3f} and {theirs / count:.3f}, {same / count:.2f} in common"
    assert count > 100, figures
    assert theirs >= 0.97 * ours, figures
    assert same / count >= 0.8, figures
    print(figures)  # noqa: T201 - the figures that the guide names
