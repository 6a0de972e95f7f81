"""Answers from a folder that a person has named for a library."""

from __future__ import annotations

import anyio.to_thread

from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.answers.library_answer import MOST_PASSAGES, Asked, LibraryAnswer
from sightline.library_docs.documents import Document
from sightline.library_docs.fences import lines_between
from sightline.library_docs.page_text import fenced, notices_of
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.untrusted_text import clean, label

_MOST_DOCUMENTS = 30


async def from_folder(service: DocsService, asked: Asked) -> LibraryAnswer | None:
    """The answer, or None if no folder is named for the library, or it holds nothing."""
    documents = await anyio.to_thread.run_sync(service.folders.documents, asked.library)
    return await anyio.to_thread.run_sync(_answer, documents, asked) if documents else None


def _answer(documents: list[Document], asked: Asked) -> LibraryAnswer:
    passages = _passages(documents, asked.topic) if asked.topic else []
    by_address = {each.address: each for each in documents}
    document = by_address[passages[0].address] if passages else documents[0]
    nothing = f"; nothing in it is on `{asked.topic[:80]}`" if asked.topic and not passages else ""
    best = passages[0] if passages else None
    return LibraryAnswer(
        library=asked.library,
        summary=f"{asked.library}, from the folder that the settings name{nothing}",
        version=None,
        version_match="unknown",
        installed_version=None,
        address=document.address,
        title=document.title,
        trust="private",
        line=best.line if best else 1,
        heading=best.heading if best else "",
        content=best.content if best else fenced(document.text, document),
        next_offset=best.line + lines_between(best.content) if best else None,
        evidence=page_evidence(document, None),
        passages=passages[1:],
        documents=[(each.address, each.kind) for each in documents if each is not document][:_MOST_DOCUMENTS],
        notices=notices_of(clean(document.text).findings),
    )


def _passages(documents: list[Document], topic: str) -> list[PassageShown]:
    from sightline.library_docs.installed.passages import rank, split

    by_address = {each.address: each for each in documents}
    found = rank(topic, (passage for each in documents for passage in split(each)), limit=MOST_PASSAGES)
    return [
        PassageShown(
            address=each.address,
            title=label(each.title),
            heading=label(each.heading),
            line=each.line,
            content=fenced(
                (each.text.rpartition("\n")[0] or each.text) if each.is_cut else each.text, by_address[each.address]
            ),
        )
        for each in found
    ]
