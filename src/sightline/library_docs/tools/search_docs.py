"""`search_docs`: full text over everything that is installed here or cached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.contract import Outcome
from sightline.library_docs.setting_failures import service_behind
from sightline.on_demand import OnDemand
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record

if TYPE_CHECKING:
    from sightline.library_docs.service import DocsService

_MOST = 50


@record
class SearchDocsInput(LongToolInput):
    query: str = param("Words or names; any text is safe", max_length=500)
    library_id: str | None = param("Only this library, e.g. `pypi:click`", default=None, max_length=300)
    limit: int = param("Most results", default=10, ge=1, le=_MOST)
    path: str | None = param("File or folder whose packages are meant", default=None, max_length=4096)


@record
class FoundPassage:
    """A passage; `read_page` reads on at `line` of `address`."""

    address: str
    line: int
    title: str
    heading: str
    snippet: str
    library_id: str | None = None
    version: str | None = None
    trust: str
    cached_at: str | None = None
    has_all_words: bool


@record
class SearchDocsOutput:
    summary: str
    results: list[FoundPassage] = output_field(brief=True)


async def run(docs: OnDemand[DocsService], call: Call, args: SearchDocsInput) -> Outcome[SearchDocsOutput]:
    from sightline.library_docs.answers.searched import searched

    return await searched(await service_behind(docs), call, args)


def render(output: SearchDocsOutput) -> str:
    lines = [output.summary]
    for each in output.results:
        of = f"{each.library_id or ''} {each.version or ''}".strip()
        words = "all words" if each.has_all_words else "some words"
        cached = f", cached {each.cached_at}" if each.cached_at else ""
        lines += [
            f"{each.address} line {each.line}: {each.title} > {each.heading} ({of}, {each.trust}{cached}, {words})",
            each.snippet,
        ]
    return "\n".join(lines)


SEARCH_DOCS = Tool(
    name="search_docs",
    title="Search documentation",
    description="Full text over the documentation of installed packages and cached pages; passages with addresses.",
    toolset="docs",
    input=SearchDocsInput,
    output=SearchDocsOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("results", narrower="ask with a smaller `limit`, a `library_id`, or a larger `max_total_chars`"),
    example={"query": "echo"},
)
