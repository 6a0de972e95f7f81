"""What `search_docs` answers."""

from __future__ import annotations

import anyio.to_thread

from sightline.contract import Evidence, Notice, Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.library_docs.answers.evidence import stamp
from sightline.library_docs.answers.which_library import which_library
from sightline.library_docs.fetching.allowed_hosts import Permission
from sightline.library_docs.indexing import IndexReport
from sightline.library_docs.known_libraries import Known
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.page_text import notices_of
from sightline.library_docs.pages.code_fences import part_of
from sightline.library_docs.private_folders import fingerprint, is_folder_address
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.service import DocsService
from sightline.library_docs.store.records import SearchHit
from sightline.library_docs.tools.search_docs import FoundPassage, SearchDocsInput, SearchDocsOutput
from sightline.library_docs.untrusted_text import clean, fence, label
from sightline.tool import Call
from sightline.wording import counted

_OVERFETCH = 6
_MOST_ASKED = 5_000
_MOST_OBJECTS = 4
_LONGEST_OBJECT = 600
_INDEX_WITHIN_S = 10.0


async def searched(service: DocsService, call: Call, args: SearchDocsInput) -> Outcome[SearchDocsOutput]:
    libraries = await service.libraries(call, args.path)
    library, notices = (None, ())
    if args.library_id:
        library, notices = await which_library(service, libraries, args.library_id)
    report = await _indexed(service, call, libraries, library)
    await _bring_in_folders(service, library)
    found, partial = await _hits(service, args, library, report)
    hits = [_shown(hit) for hit in found]
    objects = await _objects(libraries, library, args.query) if library in report.versions else []
    is_name = len(args.query.split()) == 1
    results = (objects + hits if is_name else hits + objects)[: args.limit]
    scope = f"documents of {len(report.versions)} installed packages, of folders, and cached pages; " + (
        "API of the library" if library else "API only with `library_id`"
    )
    return Outcome(
        output=SearchDocsOutput(summary=_summary(results, args.query), results=results),
        evidence=Evidence(method="index", scope=scope, details={"environment": libraries.environment}),
        warnings=(
            *notices,
            *_left(report),
            *(service.store_notices() or ([Notice("not_all_searched", partial)] if partial else ())),
            *notices_of(each for hit in hits for each in clean(hit.snippet).findings),
        ),
    )


async def _hits(
    service: DocsService, args: SearchDocsInput, library: LibraryId | None, report: IndexReport
) -> tuple[list[SearchHit], str | None]:
    """What is found and may be shown here, and why a part was not searched.

    Others' versions in the store do not crowd it out.
    """
    known = await service.known.get()
    asked = args.limit * _OVERFETCH
    while True:
        answer = await service.store.search(args.query, library=library, limit=asked)
        if answer.unavailable:
            step = NextStep("doc", "read documents by their addresses: `get_library_docs`, `read_page`")
            raise ToolFailure(ErrorKind.UNSUPPORTED, f"nothing can be searched: {answer.unavailable}", step)
        hits = [hit for hit in answer.hits if _is_here(hit, report) and _is_served(hit, service, known)]
        if len(hits) >= args.limit or len(answer.hits) < asked or asked >= _MOST_ASKED:
            return hits, answer.partial
        asked *= _OVERFETCH


async def _indexed(
    service: DocsService, call: Call, libraries: ProjectLibraries, library: LibraryId | None
) -> IndexReport:
    wanted = [library] if library else await anyio.to_thread.run_sync(_all, libraries)
    return await service.index.bring_in(libraries, wanted, _INDEX_WITHIN_S, call.progress)


async def _bring_in_folders(service: DocsService, library: LibraryId | None) -> None:
    for each in [library] if library else list(service.folders.folders):
        if each in service.folders.folders:
            documents = await anyio.to_thread.run_sync(service.folders.documents, each)
            await service.store.put_documents(each, "", fingerprint(documents), documents)


async def _objects(libraries: ProjectLibraries, library: LibraryId | None, query: str) -> list[FoundPassage]:
    """Functions and classes of one library: its source is read for them, so they are not in the index of all."""
    if library is None:
        return []
    found = await anyio.to_thread.run_sync(libraries.docs.topic, library, query)
    return [
        FoundPassage(
            address=each.address,
            line=each.line,
            title=label(each.title),
            heading=label(each.heading),
            snippet=fence(clean(_beginning(each.text)).text, source=each.address, trust="installed"),
            library_id=str(library),
            version=found.package.version,
            trust="installed",
            has_all_words=all(word in each.text.casefold() for word in query.casefold().split()),
        )
        for each in found.passages
        if each.kind == "api"
    ][:_MOST_OBJECTS]


def _beginning(text: str) -> str:
    lines = text.split("\n")
    return part_of(lines, 0, len(lines), _LONGEST_OBJECT)[1]


def _all(libraries: ProjectLibraries) -> list[LibraryId]:
    """Every installed package, those that the project declares first."""
    declared = {(each.ecosystem, each.name) for each in libraries.declared().packages if each.is_direct}
    found = [
        LibraryId(packages.ecosystem, name)
        for packages in libraries.packages()
        for name in packages.names()
        if packages.ecosystem != "npm" or (packages.ecosystem, name) in declared
    ]
    return sorted(found, key=lambda each: ((each.ecosystem, each.name) not in declared, each))


def _is_here(hit: SearchHit, report: IndexReport) -> bool:
    """Other projects share the store: their versions of a package are not this project's."""
    if hit.trust != "installed":
        return True
    return hit.library is not None and report.versions.get(hit.library) == hit.version


def _is_served(hit: SearchHit, service: DocsService, known: Known) -> bool:
    """What was taken off a list since is kept, and not shown."""
    if is_folder_address(hit.address):
        return hit.library in service.folders.folders
    return hit.trust == "installed" or isinstance(known.allowed.permit(hit.address), Permission)


def _shown(hit: SearchHit) -> FoundPassage:
    return FoundPassage(
        address=hit.address,
        line=hit.line,
        title=label(hit.title),
        heading=label(hit.heading),
        snippet=fence(hit.snippet, source=hit.address, trust=hit.trust),
        library_id=str(hit.library) if hit.library else None,
        version=hit.version,
        trust=hit.trust,
        cached_at=None if hit.trust == "installed" else stamp(hit.fetched_at),
        has_all_words=hit.matched == "all",
    )


def _summary(results: list[FoundPassage], query: str) -> str:
    name = query.strip()[:80]
    if not results:
        return f"nothing was found for `{name}`"
    if not any(each.has_all_words for each in results):
        return f"{counted(len(results), 'passage')} with some of the words of `{name}`"
    return f"{counted(len(results), 'passage')} for `{name}`"


def _left(report: IndexReport) -> tuple[Notice, ...]:
    if not report.left:
        return ()
    message = f"{len(report.left)} installed packages are not searched yet; ask again, or name a `library_id`"
    return (Notice("not_all_indexed", message),)
