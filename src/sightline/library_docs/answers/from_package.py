"""Answers from the package that is installed: exact by nature, and there without a network."""

from __future__ import annotations

import anyio.to_thread

from sightline.contract import Notice
from sightline.errors import ErrorKind, ToolFailure
from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.answers.library_answer import MOST_PASSAGES, Asked, LibraryAnswer
from sightline.library_docs.documents import Document
from sightline.library_docs.installed.package_docs import Overview, TopicPassages
from sightline.library_docs.installed.packages import InstalledPackage
from sightline.library_docs.installed.passages import Passage
from sightline.library_docs.page_text import PageText, fenced, line_count, notices_of, shown_text
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.versions import version_match
from sightline.progress import telling_every_second
from sightline.tool import Progress

_MOST_DOCUMENTS = 30


async def from_package(
    service: DocsService, libraries: ProjectLibraries, asked: Asked, progress: Progress
) -> LibraryAnswer | None:
    """The answer, or None if the package is not installed here, or in another version than is wanted."""
    try:
        package = await anyio.to_thread.run_sync(libraries.docs.package, asked.library)
    except ToolFailure as failure:
        if failure.kind is not ErrorKind.LIBRARY_NOT_FOUND or asked.library.ecosystem == "python":
            raise
        return None
    if asked.version and version_match(asked.library.ecosystem, asked.version, package.version) != "exact":
        return None

    async def work() -> LibraryAnswer:
        return await anyio.to_thread.run_sync(_answer, libraries, asked, package)

    return await telling_every_second(progress, lambda: f"reading {package.name} {package.version}", work)


def _answer(libraries: ProjectLibraries, asked: Asked, package: InstalledPackage) -> LibraryAnswer:
    if asked.topic and asked.topic.strip():
        found = libraries.docs.topic(asked.library, asked.topic, limit=MOST_PASSAGES)
        if found.passages:
            return _of_topic(found, asked)
    overview = libraries.docs.overview(asked.library)
    return _of_overview(overview, package, asked)


def _of_topic(found: TopicPassages, asked: Asked) -> LibraryAnswer:
    package = found.package
    shown: list[tuple[PassageShown, PageText]] = []
    for each in found.passages:
        document = Document(each.address, each.title, each.text, each.kind, "installed", asked.library, package.version)
        page = shown_text(document)
        passage = PassageShown(
            address=each.address,
            title=each.title,
            heading=each.heading,
            line=each.line,
            content=fenced(page.text, document),
        )
        shown.append((passage, page))
    (first, page), *_ = shown
    return LibraryAnswer(
        library=asked.library,
        summary=f"{len(shown)} passages of {package.name} {package.version} on `{(asked.topic or '')[:80]}`",
        version=package.version,
        version_match="exact",
        installed_version=package.version,
        address=first.address,
        title=first.title,
        trust="installed",
        content=first.content,
        next_offset=_next_line(found.passages[0], page),
        evidence=page_evidence(page.document, None),
        passages=[passage for passage, _ in shown],
        notices=(*_notes(found.warnings), *(note for _, each in shown for note in notices_of(each.findings))),
    )


def _next_line(passage: Passage, page: PageText) -> int | None:
    """What comes after the passage in its document; the page of an object is whole unless it was cut."""
    return first.line + line_count(page.text) if (first := passage).is_cut or first.kind != "api" else None


def _of_overview(overview: Overview, package: InstalledPackage, asked: Asked) -> LibraryAnswer:
    page = shown_text(overview.document)
    nothing = f"; nothing in it is on `{asked.topic[:80]}`" if asked.topic else ""
    return LibraryAnswer(
        library=asked.library,
        summary=f"{package.name} {package.version}, from the installed package{nothing}",
        version=package.version,
        version_match="exact",
        installed_version=package.version,
        address=overview.document.address,
        title=overview.document.title,
        trust="installed",
        content=fenced(page.text, overview.document),
        next_offset=None,
        evidence=page_evidence(overview.document, None),
        documents=_documents(overview),
        notices=(*_notes(overview.warnings), *notices_of(page.findings)),
    )


def _documents(overview: Overview) -> list[tuple[str, str]]:
    """What else there is, the API among it."""
    own = overview.document.address
    api = own.partition("#")[0] + "#api"
    listed = [(each.address, str(each.kind)) for each in overview.documents if each.address != own]
    return [*([(api, "api")] if api != own else []), *listed][:_MOST_DOCUMENTS]


def _notes(warnings: tuple[str, ...]) -> tuple[Notice, ...]:
    return tuple(Notice("package_oddity", each) for each in warnings[:5])
