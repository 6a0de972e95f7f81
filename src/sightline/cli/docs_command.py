"""`sightline docs resolve|show|read|search|prefetch|status|clear`: library documentation for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from sightline.cli.navigation_commands import WIDEST, show
from sightline.cli.project_options import project_option, project_root, settings_for, settings_option
from sightline.cli.tool_call import call_tool
from sightline.errors import SettingsError
from sightline.library_docs.libraries import Ecosystem
from sightline.places import standard_places

if TYPE_CHECKING:
    from sightline.library_docs.prefetching import Prefetched
    from sightline.library_docs.project_libraries import ProjectLibraries
    from sightline.library_docs.service import DocsService
    from sightline.library_docs.store.records import StoreStatistics

R = TypeVar("R")


@click.group("docs", help="Documentation of libraries, at the version that a project has.")
def command() -> None:
    pass


def _call(tool: str, project: str | None, assignments: tuple[str, ...], **arguments: Any) -> None:
    root = project_root(project)
    given = {name: value for name, value in arguments.items() if value is not None}
    show(call_tool(tool, {**given, **WIDEST}, root, settings_for(root, assignments)))


@command.command("resolve", help="Which library a name means here.")
@click.argument("query")
@click.option("--ecosystem", type=click.Choice(get_args(Ecosystem)), help="Only in this ecosystem.")
@click.option("--path", help="File or folder whose manifest decides the versions.")
@project_option
@settings_option
def resolve(
    query: str, ecosystem: str | None, path: str | None, project: str | None, assignments: tuple[str, ...]
) -> None:
    _call("resolve_library", project, assignments, query=query, ecosystem=ecosystem, path=path)


@command.command("show", help="A library's documentation, or what it says on a TOPIC.")
@click.argument("library")
@click.argument("topic", required=False)
@click.option("--version", help="Another version than the installed one.")
@project_option
@settings_option
def show_docs(
    library: str, topic: str | None, version: str | None, project: str | None, assignments: tuple[str, ...]
) -> None:
    _call("get_library_docs", project, assignments, library_id=library, topic=topic, version=version)


@command.command("read", help="A page by its address.")
@click.argument("url")
@click.option("--offset", type=int, help="First line, from 1.")
@click.option("--limit", type=int, help="Most lines.")
@click.option("--section", help="Heading, #anchor or A > B.")
@project_option
@settings_option
def read(
    url: str,
    offset: int | None,
    limit: int | None,
    section: str | None,
    project: str | None,
    assignments: tuple[str, ...],
) -> None:
    _call("read_page", project, assignments, url=url, offset=offset, limit=limit, section=section)


@command.command("search", help="Full text over what is installed and cached.")
@click.argument("query")
@click.option("--library", help="Only this library, e.g. pypi:click.")
@click.option("--limit", type=int, help="Most results.")
@project_option
@settings_option
def search(
    query: str, library: str | None, limit: int | None, project: str | None, assignments: tuple[str, ...]
) -> None:
    _call("search_docs", project, assignments, query=query, library_id=library, limit=limit)


@command.command("prefetch", help="Fill the cache for all direct dependencies, or for the LIBRARIES named.")
@click.argument("libraries", nargs=-1)
@project_option
@settings_option
def prefetch(libraries: tuple[str, ...], project: str | None, assignments: tuple[str, ...]) -> None:
    from sightline.library_docs.answers.which_library import which_library
    from sightline.library_docs.prefetching import direct_dependencies
    from sightline.library_docs.prefetching import prefetch as fill

    async def work(service: DocsService, seen: ProjectLibraries) -> list[Prefetched]:
        named = [(await which_library(service, seen, each))[0] for each in libraries]
        wanted = named or await direct_dependencies(seen)
        if not wanted:
            click.echo("no direct dependencies are declared here", err=True)
        with click.progressbar(length=len(wanted), label="prefetch", file=sys.stderr) as bar:
            return await fill(service, seen, wanted, lambda _: bar.update(1))

    done = _with_service(work, project, assignments)
    for each in done:
        versions = f"installed {each.installed}" if each.installed else "not installed"
        click.echo(f"{each.library}: {each.state}, {versions}, {each.web or each.reason or 'no site'}")
    if any(each.state in ("failed", "unknown") for each in done):
        raise SystemExit(1)


@command.command("status", help="What the cache holds, and which registry is in use.")
@project_option
@settings_option
def status(project: str | None, assignments: tuple[str, ...]) -> None:
    async def work(service: DocsService, seen: ProjectLibraries) -> list[str]:
        known = (await service.known.get()).registry
        held = await service.store.statistics()
        return [
            f"registry: {known.origin}, version {known.version}, {len(known.entries)} libraries",
            *(f"registry problem: {each}" for each in known.problems),
            f"environment: {seen.environment}",
            f"cache: {held.place}",
            f"  pages of the web: {held.web_pages} ({held.pinned_pages} pinned)",
            f"  documents of installed packages: {held.installed_documents}, of {held.collections} packages",
            f"  passages: {held.passages}; size: {held.used_bytes / 1e6:.1f} MB",
            *(f"cache problem: {each}" for each in (held.problem, held.search_problem) if each),
            *(_shared_lines(await service.shared.statistics()) if service.shared else ()),
            f"network: {'off' if service.settings.offline else 'on'}",
        ]

    click.echo("\n".join(_with_service(work, project, assignments)))


def _shared_lines(held: StoreStatistics) -> list[str]:
    if held.problem:
        return [f"shared: {held.place}", f"shared problem: {held.problem}"]
    return [
        f"shared: {held.place}",
        f"  pages of the web: {held.web_pages} ({held.pinned_pages} pinned)",
        f"  passages: {held.passages}; size: {held.used_bytes / 1e6:.1f} MB",
    ]


@command.command("clear", help="Empty the cache, or what it holds of one library.")
@click.option("--library", help="Only this library, e.g. pypi:click.")
@click.option("--shared", is_flag=True, help="Also for everybody who shares `docs.store_url`.")
@project_option
@settings_option
def clear(library: str | None, shared: bool, project: str | None, assignments: tuple[str, ...]) -> None:
    from sightline.library_docs.answers.which_library import which_library

    async def work(service: DocsService, seen: ProjectLibraries) -> int:
        named = (await which_library(service, seen, library))[0] if library else None
        if shared and service.shared is None:
            raise SettingsError("no shared store is set up", "set `docs.store_url`, or leave --shared out")
        theirs = await service.shared.clear(named) if shared and service.shared else 0
        return await service.store.clear(named) + theirs

    click.echo(f"{_with_service(work, project, assignments)} documents removed")


def _with_service(
    work: Callable[[DocsService, ProjectLibraries], Awaitable[R]], project: str | None, assignments: tuple[str, ...]
) -> R:
    """Do something with the docs service of a project, outside of any tool."""
    import anyio

    from sightline.children import Children
    from sightline.cli.log_setup import logging_by
    from sightline.library_docs.service import open_service
    from sightline.paths import PathPolicy
    from sightline.progress import no_progress
    from sightline.projects import Surroundings
    from sightline.tool import Call

    root = project_root(project)
    loaded = settings_for(root, assignments)

    async def run() -> R:
        around = Surroundings(os.environ, Path.home())
        data = standard_places().data
        with Children() as children:
            async with open_service(loaded.values.docs, around, data, children=children) as service:
                call = Call(root, PathPolicy(root, (root,)), no_progress)
                return await work(service, await service.libraries(call, None))

    level = "WARNING" if loaded.values.logging.mode == "stderr" else None
    with logging_by(loaded.values.logging, level=level):
        return anyio.run(run)
