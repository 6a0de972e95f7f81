"""Answers from a folder that a person has named for a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.answers.library_answer import MOST_PASSAGES, Asked, LibraryAnswer
from sightline.library_docs.documents import Document
from sightline.library_docs.page_text import fenced_passage, notices_of
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.untrusted_text import clean, label

if TYPE_CHECKING:
    from sightline.library_docs.installed.passages import Passage

_MOST_DOCUMENTS = 30


async def from_folder(service: DocsService, asked: Asked) -> LibraryAnswer | None:
    """The answer, or None if no folder is named for the library, or it holds nothing."""
    documents = await anyio.to_thread.run_sync(service.folders.documents, asked.library)
    return await anyio.to_thread.run_sync(_answer, documents, asked) if documents else None


def _answer(documents: list[Document], asked: Asked) -> LibraryAnswer:
    found = _found(documents, asked.topic) if asked.topic else ()
    by_address = {each.address: each for each in documents}
    passages = [_shown(each, by_address[each.address]) for each in found]
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
        content=best.content if best else fenced_passage(document.text, document),
        next_offset=found[0].next_line if found else None,
        evidence=page_evidence(document, None),
        passages=passages[1:],
        documents=[(each.address, each.kind) for each in documents if each is not document][:_MOST_DOCUMENTS],
        notices=notices_of(clean(document.text).findings),
    )


def _found(documents: list[Document], topic: str) -> tuple[Passage, ...]:
    from sightline.library_docs.installed.passages import rank, split

    return rank(topic, (passage for each in documents for passage in split(each)), limit=MOST_PASSAGES)


def _shown(passage: Passage, document: Document) -> PassageShown:
    return PassageShown(
        address=passage.address,
        title=label(passage.title),
        heading=label(passage.heading),
        line=passage.line,
        content=fenced_passage(passage.whole_lines, document),
    )
