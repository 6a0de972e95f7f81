"""Answers from a folder that a person has named for a library."""

from __future__ import annotations

import anyio.to_thread

from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.answers.library_answer import MOST_PASSAGES, Asked, LibraryAnswer
from sightline.library_docs.documents import Document
from sightline.library_docs.page_text import fenced, notices_of, shown_text
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.untrusted_text import clean

_MOST_DOCUMENTS = 30


async def from_folder(service: DocsService, asked: Asked) -> LibraryAnswer | None:
    """The answer, or None if no folder is named for the library, or it holds nothing."""
    documents = await anyio.to_thread.run_sync(service.folders.documents, asked.library)
    return await anyio.to_thread.run_sync(_answer, documents, asked) if documents else None


def _answer(documents: list[Document], asked: Asked) -> LibraryAnswer:
    passages = _passages(documents, asked.topic) if asked.topic else []
    first = documents[0]
    page = shown_text(first)
    best = passages[0] if passages else None
    nothing = f"; nothing in it is on `{asked.topic[:80]}`" if asked.topic and not passages else ""
    return LibraryAnswer(
        library=asked.library,
        summary=f"{asked.library}, from the folder that the settings name{nothing}",
        version=None,
        version_match="unknown",
        installed_version=None,
        address=best.address if best else first.address,
        title=best.title if best else first.title,
        trust="private",
        content=best.content if best else fenced(page.text, first),
        next_offset=None,
        evidence=page_evidence(first, None),
        passages=passages,
        documents=[(each.address, each.kind) for each in documents[1 : 1 + _MOST_DOCUMENTS]],
        notices=notices_of(page.findings),
    )


def _passages(documents: list[Document], topic: str) -> list[PassageShown]:
    from sightline.library_docs.installed.passages import rank, split

    by_address = {each.address: each for each in documents}
    found = rank(topic, (passage for each in documents for passage in split(each)), limit=MOST_PASSAGES)
    return [
        PassageShown(
            address=each.address,
            title=each.title,
            heading=each.heading,
            line=each.line,
            content=fenced(clean(each.text).text, by_address[each.address]),
        )
        for each in found
    ]
