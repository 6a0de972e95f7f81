"""`resolve_library`: which library a name means, in this project and in general."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.contract import Outcome
from sightline.library_docs.libraries import Ecosystem
from sightline.library_docs.setting_failures import service_behind
from sightline.on_demand import OnDemand
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record

if TYPE_CHECKING:
    from sightline.library_docs.service import DocsService


@record
class ResolveLibraryInput(LongToolInput):
    query: str = param(
        "Name, import name, requirement (`x[y]>=2`), `@scope/x@1`, or a line of an import", max_length=500
    )
    ecosystem: Ecosystem | None = param("Only here; `python`: standard library", default=None)
    path: str | None = param("File or folder whose manifest decides the versions", default=None, max_length=4096)


@record
class LibraryMatch:
    """A library that the query means."""

    library_id: str
    name: str
    ecosystem: Ecosystem
    installed: str | None = None
    declared: str | None = None
    locked: str | None = None
    latest: str | None = output_field("As of the registry's snapshot", default=None)
    sources: list[str]
    matched_via: str
    relevance: float


@record
class Suggested:
    """A library with a similar name, which nobody asked for."""

    library_id: str
    known_from: str


@record
class ResolveLibraryOutput:
    summary: str
    matches: list[LibraryMatch] = output_field("With `library_id`, versions and sources", brief=True)
    did_you_mean: list[Suggested] = output_field("Similar names; never what was asked for", brief=True)


async def run(docs: OnDemand[DocsService], call: Call, args: ResolveLibraryInput) -> Outcome[ResolveLibraryOutput]:
    from sightline.library_docs.answers.resolved import resolved

    return await resolved(await service_behind(docs), call, args)


def render(output: ResolveLibraryOutput) -> str:
    lines = [output.summary]
    for each in output.matches:
        versions = ", ".join(
            f"{name} {value}"
            for name, value in (
                ("installed", each.installed or "none found"),
                ("declared", each.declared),
                ("locked", each.locked),
                ("latest known", each.latest),
            )
            if value
        )
        sources = ", ".join(each.sources) or "none"
        lines.append(
            f"  {each.library_id} ({each.name}, {each.ecosystem}): {versions}; sources: {sources}; "
            f"by {each.matched_via}, relevance {each.relevance}"
        )
    if output.did_you_mean:
        lines.append(
            "did you mean: " + ", ".join(f"{each.library_id} ({each.known_from})" for each in output.did_you_mean)
        )
    return "\n".join(lines)


RESOLVE_LIBRARY = Tool(
    name="resolve_library",
    title="Resolve a library",
    description=(
        "Which library a name means here: installed, declared or known, with versions. Use before importing something "
        "new: a name without a match does not exist as far as is known."
    ),
    toolset="docs",
    input=ResolveLibraryInput,
    output=ResolveLibraryOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    is_core=True,
    cut=cut_list("matches", narrower="give `ecosystem`"),
    example={"query": "click>=8"},
)
