"""What `read_page` answers."""

from __future__ import annotations

import anyio.to_thread

from sightline.contract import MAX_TOTAL_CHARS, Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.library_docs.answers.evidence import page_evidence
from sightline.library_docs.cached_pages import CachedPage
from sightline.library_docs.documents import Document
from sightline.library_docs.failures import as_tool_failures
from sightline.library_docs.installed.package_addresses import is_package_address
from sightline.library_docs.llms_index import whole_text_address
from sightline.library_docs.page_text import PageText, fenced, line_count, notices_of, shown_text
from sightline.library_docs.pages.outline import Heading, outline_of, short_outline
from sightline.library_docs.pages.sections import SectionAmbiguous, SectionNotFound, find_section
from sightline.library_docs.pages.windows import Window, read_window
from sightline.library_docs.private_folders import is_folder_address
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.read_page import ReadPageInput, ReadPageOutput
from sightline.library_docs.untrusted_text import label
from sightline.progress import telling_every_second
from sightline.tool import Call, Progress


async def page_at(service: DocsService, call: Call, args: ReadPageInput) -> Outcome[ReadPageOutput]:
    cached: CachedPage | None = None
    if is_package_address(args.url) or is_folder_address(args.url):
        libraries = await service.libraries(call, args.path)
        read = service.folders.read if is_folder_address(args.url) else libraries.docs.read
        document = await anyio.to_thread.run_sync(read, args.url)
        page = await anyio.to_thread.run_sync(shown_text, document)
    else:
        cached = await _web_page(service, args.url, call.progress)
        page = shown_text(cached.document, cached.findings)
    output = await anyio.to_thread.run_sync(_output, page, args)
    notices = (*notices_of(page.findings), *(service.store_notices() if cached else ()))
    return Outcome(output=output, evidence=page_evidence(page.document, cached), warnings=notices)


async def _web_page(service: DocsService, url: str, progress: Progress) -> CachedPage:
    if not url.startswith(("https://", "http://")):
        raise invalid_params(f"`{url[:80]}` is no address of a page", "use an address from another answer")

    async def work() -> CachedPage:
        with as_tool_failures(url):
            return await service.web.read(url)

    return await telling_every_second(progress, lambda: f"reading {url[:100]}", work)


def _output(page: PageText, args: ReadPageInput) -> ReadPageOutput:
    headings = outline_of(page.text)
    window = _window(page, headings, args)
    outline = short_outline(headings)
    return ReadPageOutput(
        address=page.document.address,
        title=label(page.document.title),
        trust=page.document.trust,
        content=fenced(window.content, page.document),
        offset=window.offset,
        total_lines=window.total_lines,
        next_offset=window.next_offset,
        content_hash=window.content_hash,
        outline="\n".join(map(label, outline.text.splitlines()))
        + (f"\n({outline.omitted})" if outline.omitted else ""),
    )


def _window(page: PageText, headings: tuple[Heading, ...], args: ReadPageInput) -> Window:
    total = line_count(page.text)
    wanted = args.section or _anchor(args.url, headings)
    if wanted is None:
        return read_window(page.text, args.offset, args.limit, max_characters=MAX_TOTAL_CHARS)
    try:
        section = find_section(headings, total, wanted)
    except SectionNotFound as error:
        near = ", ".join(f"`{each}`" for each in error.nearest)
        whole = _whole_text(page.document, wanted)
        raise _no_section(f"{error}; near are {near}" if near else str(error), page.document, *whole) from None
    except SectionAmbiguous as error:
        paths = ", ".join(f"`{each.path}`" for each in error.candidates[:5])
        raise _no_section(f"{error}: {paths}", page.document) from None
    first = max(section.first_line, args.offset) if args.offset > 1 else section.first_line
    return read_window(page.text, first, args.limit, max_characters=MAX_TOTAL_CHARS, last_line=section.last_line)


def _anchor(url: str, headings: tuple[Heading, ...]) -> str | None:
    """The part of a web address after `#`, if a heading of the page bears it."""
    anchor = url.partition("#")[2] if url.startswith("http") else ""
    return f"#{anchor}" if any(each.anchor == anchor for each in headings) else None


def _whole_text(document: Document, wanted: str) -> tuple[NextStep, ...]:
    """An index has no sections of its own; where the site has the text of all its pages in one, it may be there."""
    if not document.address.endswith("/llms.txt"):
        return ()
    arguments = {"url": whole_text_address(document.text, document.address), "section": wanted[:200]}
    return (NextStep("tool", "look in the whole text, if the site has one", tool="read_page", arguments=arguments),)


def _no_section(reason: str, document: Document, *steps: NextStep) -> ToolFailure:
    step = NextStep("tool", "see the outline", tool="read_page", arguments={"url": document.address, "limit": 1})
    return ToolFailure(ErrorKind.NO_MATCH, reason[:400], step, *steps)
