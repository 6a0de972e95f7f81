"""Answers from the package that is installed: exact by nature, and there without a network."""

from __future__ import annotations

from dataclasses import replace

import anyio.to_thread

from sightline.contract import Notice
from sightline.errors import ErrorKind, ToolFailure
from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.answers.library_answer import MOST_PASSAGES, Asked, LibraryAnswer
from sightline.library_docs.documents import Document
from sightline.library_docs.installed.package_docs import Overview, TopicPassages
from sightline.library_docs.installed.packages import InstalledPackage
from sightline.library_docs.installed.passages import Passage
from sightline.library_docs.page_text import PageText, fenced_passage, notices_of, shown_text
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.untrusted_text import label
from sightline.library_docs.versions import version_match
from sightline.progress import telling_every_second
from sightline.tool import Progress

_MOST_DOCUMENTS = 30
_ELSEWHERE = (ErrorKind.LIBRARY_NOT_FOUND, ErrorKind.UNSUPPORTED)


async def from_package(libraries: ProjectLibraries, asked: Asked, progress: Progress) -> LibraryAnswer | None:
    """The answer, or None if the package is not installed here, or in another version than is wanted."""
    try:
        package = await anyio.to_thread.run_sync(libraries.docs.package, asked.library)
    except ToolFailure as failure:
        if failure.kind not in _ELSEWHERE or asked.library.ecosystem == "python":
            raise
        return None
    if asked.version and version_match(asked.library.ecosystem, asked.version, package.version) != "exact":
        return None

    async def work() -> LibraryAnswer:
        return await anyio.to_thread.run_sync(_answer, libraries, asked, package)

    return await telling_every_second(progress, lambda: f"reading {package.name} {package.version}", work)


def _answer(libraries: ProjectLibraries, asked: Asked, package: InstalledPackage) -> LibraryAnswer:
    overview = libraries.docs.overview
    if not asked.topic or not asked.topic.strip():
        return _of_overview(overview(asked.library), package, asked, f"{_name(package)}, from the installed package")
    found = libraries.docs.topic(asked.library, asked.topic, limit=MOST_PASSAGES)
    if found.passages:
        return _of_topic(found, asked)
    whether = _whether(found, asked.topic) or f"{_name(package)}, from the installed package"
    answer = _of_overview(
        overview(asked.library), package, asked, f"{whether}; nothing in it is on `{asked.topic[:80]}`"
    )
    return replace(answer, is_name_found=found.is_name_found)


def _name(package: InstalledPackage) -> str:
    return f"{package.name} {package.version}"


def _of_topic(found: TopicPassages, asked: Asked) -> LibraryAnswer:
    package = found.package
    shown = [_shown(each, asked, package) for each in found.passages]
    first, page = shown[0]
    return LibraryAnswer(
        library=asked.library,
        summary=_topic_summary(found, asked.topic or ""),
        version=package.version,
        version_match="exact",
        installed_version=package.version,
        address=first.address,
        title=first.title,
        trust="installed",
        line=first.line,
        heading=first.heading,
        is_name_found=found.is_name_found,
        content=first.content,
        next_offset=found.passages[0].next_line,
        evidence=page_evidence(page.document, None),
        passages=[passage for passage, _ in shown[1:]],
        notices=(*_notes(found.warnings), *notices_of(found for _, each in shown for found in each.findings)),
    )


def _topic_summary(found: TopicPassages, topic: str) -> str:
    if whether := _whether(found, topic):
        return f"{whether}; what is nearest to it"
    return f"what {_name(found.package)} says on `{topic.strip()[:80]}`"


def _whether(found: TopicPassages, topic: str) -> str | None:
    """That the package does not have a name, or that it cannot be told; None if nothing is to be said."""
    package, name = _name(found.package), topic.strip()[:80]
    if found.is_name_found is False:
        return f"no `{name}` was found in the source of {package} (names made at run time are not seen)"
    if found.unseen:
        return f"whether {package} has `{name}` cannot be told from its text: {label(found.unseen)}"
    return None


def _shown(passage: Passage, asked: Asked, package: InstalledPackage) -> tuple[PassageShown, PageText]:
    title = label(passage.title)
    document = Document(
        passage.address, title, passage.whole_lines, passage.kind, "installed", asked.library, package.version
    )
    page = shown_text(document)
    shown = PassageShown(
        address=passage.address,
        title=title,
        heading=label(passage.heading),
        line=passage.line,
        content=fenced_passage(page.text, document),
    )
    return shown, page


def _of_overview(overview: Overview, package: InstalledPackage, asked: Asked, summary: str) -> LibraryAnswer:
    page = shown_text(overview.document)
    return LibraryAnswer(
        library=asked.library,
        summary=summary,
        version=package.version,
        version_match="exact",
        installed_version=package.version,
        address=overview.document.address,
        title=label(overview.document.title),
        trust="installed",
        content=fenced_passage(page.text, overview.document),
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
    return tuple(Notice("package_oddity", label(each)) for each in warnings[:5])
