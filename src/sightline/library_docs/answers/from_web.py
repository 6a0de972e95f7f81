"""Answers from a library's site, where the package is not installed, or another version is wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sightline.contract import Notice
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.answers.library_answer import MOST_PASSAGES, Asked, LibraryAnswer
from sightline.library_docs.failures import as_tool_failures
from sightline.library_docs.llms_index import links_about
from sightline.library_docs.page_text import fenced_passage, notices_of
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.release_paths import release_root
from sightline.library_docs.resolving.declared import Declared
from sightline.library_docs.service import DocsService
from sightline.library_docs.store.records import SearchHit
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.untrusted_text import clean, fence, label
from sightline.library_docs.versions import VersionMatch, version_match
from sightline.library_docs.web.library_pages import NothingOnTheWeb, WebOverview, WholeText, is_place_of
from sightline.tool import Progress

_MOST_READ = 3


async def from_web(
    service: DocsService, libraries: ProjectLibraries, asked: Asked, progress: Progress
) -> LibraryAnswer:
    """The answer of the library's site; raises `ToolFailure` where there is none."""
    entry = (await service.known.get()).registry.entry(asked.library)
    declared = libraries.declared().of(asked.library.ecosystem, asked.library.name)
    installed = _installed(libraries, asked)
    wanted = asked.version or installed or _fixed_version(declared)
    if entry is None:
        raise _not_known(asked, installed)
    try:
        with as_tool_failures(entry.docs or str(entry.library)):
            overview = await service.web.overview(entry, wanted, progress)
    except NothingOnTheWeb as error:
        raise _nothing(entry, error, installed) from None
    if asked.topic and asked.topic.strip():
        await _read_about(service, overview, asked, asked.topic, entry)
        hits = await _hits(service, entry, asked.topic, overview)
        whole: WholeText | None = None
        if not any(_is_answer(hit, overview) for hit in hits):
            whole = await service.web.read_whole(entry, overview, progress)
            hits = await _hits(service, entry, asked.topic, overview) if whole and whole.is_read else hits
        if hits:
            return _of_topic(overview, hits, asked, _Context(wanted, installed, _not_read(whole, service)))
        return _of_overview(overview, asked, _Context(wanted, installed, _not_read(whole, service)))
    return _of_overview(overview, asked, _Context(wanted, installed))


@dataclass(frozen=True, slots=True)
class _Context:
    """The version that is wanted, the one that is installed, and what else an answer should say."""

    wanted: str | None
    installed: str | None
    notices: tuple[Notice, ...] = ()


def _is_answer(hit: SearchHit, overview: WebOverview) -> bool:
    """Whether a passage is on all of the topic, and no mere entry of the index."""
    return hit.matched == "all" and hit.address != overview.page.document.address


def _not_read(whole: WholeText | None, service: DocsService) -> tuple[Notice, ...]:
    if whole is None or not whole.is_too_large:
        return ()
    message = (
        f"the whole text of the site is at {whole.url}, and is over the {service.settings.max_page_mb:g} MB that a "
        "page may have: a person can raise `docs.max_page_mb`"
    )
    return (Notice("not_all_searched", message),)


def _fixed_version(declared: Declared | None) -> str | None:
    """The version that a project is bound to: locked, or declared as `==` one."""
    if declared is None:
        return None
    exact = re.fullmatch(r"={0,3}\s*(v?\d[\w.!+-]*)", declared.specifier or "")
    return declared.locked_version or (exact[1] if exact else None)


def _installed(libraries: ProjectLibraries, asked: Asked) -> str | None:
    for packages in libraries.packages():
        if packages.ecosystem == asked.library.ecosystem:
            return packages.version_of(asked.library.name)
    return None


async def _read_about(service: DocsService, overview: WebOverview, asked: Asked, topic: str, entry: Entry) -> None:
    """Bring in the pages of the site that are most likely about the topic."""
    found = [place for _, place in overview.inventory.find(topic)] if overview.inventory else []
    if overview.candidate.kind == "llms_txt":
        found += links_about(overview.page.document.text, topic, overview.candidate.url)
    own = [url.partition("#")[0] for url in found if is_place_of(entry, url)]
    pages = list(dict.fromkeys(own))[:_MOST_READ]
    for url in pages:
        try:
            with as_tool_failures(url):
                await service.web.read(url, library=asked.library, version=overview.candidate.version)
        except ToolFailure:
            continue  # the other pages may do


async def _hits(service: DocsService, entry: Entry, topic: str, overview: WebOverview) -> list[SearchHit]:
    answer = await service.store.search(topic, library=entry.library, limit=20 * MOST_PASSAGES)
    return [hit for hit in answer.hits if is_place_of(entry, hit.address) and _is_of_release(hit, overview, service)][
        :MOST_PASSAGES
    ]


def _shown(hit: SearchHit) -> PassageShown:
    return PassageShown(
        address=hit.address,
        title=label(hit.title),
        heading=label(hit.heading),
        line=hit.line,
        content=fence(clean(hit.snippet).text, source=hit.address, trust=hit.trust),
    )


def _is_of_release(hit: SearchHit, overview: WebOverview, service: DocsService) -> bool:
    """Whether a page is of the version that the answer claims.

    An address may be bound to it. What only the site's inventory tells holds for pages of that release as they are now.
    """
    bound = overview.page.document.version
    if hit.version != bound or overview.candidate.kind != "site":
        return hit.version == bound
    root = release_root(overview.page.final_url or overview.candidate.url)
    is_current = bound is not None or overview.version is None or service.web.is_fresh(hit.fetched_at)
    return hit.address.startswith(root) and is_current


def _of_topic(overview: WebOverview, hits: list[SearchHit], asked: Asked, context: _Context) -> LibraryAnswer:
    match = version_match(asked.library.ecosystem, context.wanted, overview.version)
    first, *others = map(_shown, hits)
    doubtful = notices_of(each for hit in hits for each in clean(hit.snippet).findings)
    return LibraryAnswer(
        library=asked.library,
        summary=f"what the site of {asked.library} says on `{(asked.topic or '')[:80]}`",
        version=overview.version,
        version_match=match,
        installed_version=context.installed,
        address=first.address,
        title=first.title,
        trust=hits[0].trust,
        line=first.line,
        heading=first.heading,
        content=first.content,
        next_offset=first.line,
        evidence=page_evidence(overview.page.document, overview.page),
        passages=others,
        notices=(*doubtful, *_notices(overview, match, context)),
    )


def _of_overview(overview: WebOverview, asked: Asked, context: _Context) -> LibraryAnswer:
    document = overview.page.document
    match = version_match(asked.library.ecosystem, context.wanted, overview.version)
    nothing = f"; nothing was found on `{asked.topic[:80]}`" if asked.topic else ""
    return LibraryAnswer(
        library=asked.library,
        summary=f"{asked.library} {overview.version or ''}, from its site{nothing}".replace(" ,", ","),
        version=overview.version,
        version_match=match,
        installed_version=context.installed,
        address=document.address,
        title=label(document.title),
        trust=document.trust,
        content=fenced_passage(document.text, document),
        next_offset=None,
        evidence=page_evidence(document, overview.page),
        notices=(*notices_of(overview.page.findings), *_notices(overview, match, context)),
    )


def _notices(overview: WebOverview, match: VersionMatch, context: _Context) -> tuple[Notice, ...]:
    notices: list[Notice] = []
    described = overview.version
    if match == "other":
        message = f"the text describes {described}, and {context.wanted} is wanted: names and signatures may differ"
        notices.append(Notice("other_version", message))
    elif match == "unknown":
        untold = "the text does not tell which version it describes"
        message = (
            untold if described is None else f"the text describes {described}; which version is wanted is not known"
        )
        notices.append(Notice("version_unknown", message))
    if overview.page.is_stale:
        notices.append(Notice("stale", "the page had expired; it is being refreshed for the next call"))
    return (*notices, *context.notices)


def _not_known(asked: Asked, installed: str | None) -> ToolFailure:
    have = f"; {installed} is installed" if installed else ""
    wanted = f" {asked.version}" if asked.version else ""
    step = NextStep(
        "doc", "leave `version` out" if installed else "check the name; install it to read its own documents"
    )
    message = f"no documentation of `{asked.library}`{wanted} is known{have}"
    return ToolFailure(ErrorKind.LIBRARY_NOT_FOUND, message, step)


def _nothing(entry: Entry, error: NothingOnTheWeb, installed: str | None) -> ToolFailure:
    steps = [NextStep("doc", "leave `version` out: the installed version has its own documents")] if installed else []
    if error.is_offline:
        steps.append(NextStep("config", "a person can set `docs.offline` to false"))
    message = f"no page of `{entry.library}` could be read: {'; '.join(error.tried[:4]) or 'no address is known'}"
    return ToolFailure(
        ErrorKind.FETCH_FAILED,
        message,
        *(steps or [NextStep("doc", "install the package to read its own documents")]),
        retryable=error.is_transient,
    )
