"""What `resolve_library` answers."""

from __future__ import annotations

import re
import sys

import anyio.to_thread

from sightline.contract import Evidence, Notice, Outcome
from sightline.library_docs.installed.python_environment import NoEnvironment
from sightline.library_docs.libraries import Ecosystem
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.registry.registry import Registry
from sightline.library_docs.resolving.library_query import parse_library_query
from sightline.library_docs.resolving.other_ecosystems import other_manifests
from sightline.library_docs.resolving.resolution import Match, Resolution, Surroundings, resolve
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.resolve_library import (
    LibraryMatch,
    ResolveLibraryInput,
    ResolveLibraryOutput,
    Suggested,
)
from sightline.library_docs.untrusted_text import label
from sightline.tool import Call

_USER_INFO = re.compile(r"//[^/@\s]*@")


async def resolved(service: DocsService, call: Call, args: ResolveLibraryInput) -> Outcome[ResolveLibraryOutput]:
    known = await service.known.get()
    libraries = await service.libraries(call, args.path)
    found = await anyio.to_thread.run_sync(_resolved, args, libraries, known.registry)
    output = ResolveLibraryOutput(
        summary=_summary(found, args.query, len(known.registry.entries)),
        matches=[_shown(each, libraries) for each in found.matches],
        did_you_mean=[Suggested(library_id=str(each.library), known_from=each.source) for each in found.did_you_mean],
    )
    return Outcome(
        output=output,
        evidence=Evidence(
            method="installed",
            scope="installed packages, manifests and lock files, registry",
            details={
                "environment": libraries.environment,
                "registry": f"{known.registry.origin} {known.registry.version}",
            },
        ),
        warnings=(
            *_unseen(found, args.ecosystem, libraries),
            *await anyio.to_thread.run_sync(_elsewhere, found, libraries),
            *_warnings(libraries),
        ),
    )


def resolution_of(
    query: str, ecosystem: Ecosystem | None, libraries: ProjectLibraries, registry: Registry
) -> Resolution:
    """What a query means from here; blocks on the disk. Raises `ToolFailure`."""
    around = Surroundings(registry, libraries.packages(), libraries.declared(), sys.stdlib_module_names)
    return resolve(parse_library_query(query), around, ecosystem)


def _resolved(args: ResolveLibraryInput, libraries: ProjectLibraries, registry: Registry) -> Resolution:
    return resolution_of(args.query, args.ecosystem, libraries, registry)


def _summary(found: Resolution, query: str, count: int) -> str:
    shown = query.strip()[:80]
    if found.matches:
        names = ", ".join(str(each.library) for each in found.matches[:3])
        return f"`{shown}` is {names}" if len(found.matches) == 1 else f"`{shown}` may be {names}"
    return f"`{shown}`: {found.reason} (a registry of {count:,} libraries is known here; it may exist all the same)"


def _shown(match: Match, libraries: ProjectLibraries) -> LibraryMatch:
    return LibraryMatch(
        library_id=str(match.library),
        name=match.library.name,
        ecosystem=match.library.ecosystem,
        installed=label(match.installed) if match.installed else _standard_version(match, libraries),
        declared=_declared(match),
        locked=match.locked,
        latest=match.latest,
        sources=_sources(match),
        matched_via=match.matched_via,
        relevance=match.relevance,
    )


def _declared(match: Match) -> str | None:
    """As the manifest says, without what may be a password in an address."""
    if match.declared_in is None:
        return None
    return label(_USER_INFO.sub("//", match.declared)) if match.declared else "any version"


def _standard_version(match: Match, libraries: ProjectLibraries) -> str | None:
    return getattr(libraries.installed.python, "version", None) if match.library.ecosystem == "python" else None


def _sources(match: Match) -> list[str]:
    sources = ["installed"] if match.installed or match.library.ecosystem == "python" else []
    if entry := match.entry:
        sources += ["llms.txt"] if entry.llms_txt else []
        sources += ["site"] if entry.docs else []
        sources += ["repository"] if entry.repo else []
    return sources


def _unseen(found: Resolution, ecosystem: Ecosystem | None, libraries: ProjectLibraries) -> tuple[Notice, ...]:
    """Without an environment to look into, a Python package that was not found may be installed all the same."""
    is_python = any(each.library.ecosystem == "pypi" for each in found.matches) or not found.matches
    if not isinstance(libraries.installed.python, NoEnvironment) or not is_python or ecosystem == "npm":
        return ()
    message = f"which Python packages are installed is not known: {libraries.environment}"
    return (Notice("environment_unknown", message),)


def _elsewhere(found: Resolution, libraries: ProjectLibraries) -> tuple[Notice, ...]:
    """Where the library may be all the same: in a language that is not looked at, or behind a link that is not."""
    if any(each.installed or each.declared_in for each in found.matches):
        return ()
    query = found.query
    if linked := [name for name in query.npm_names if libraries.installed.node_packages.is_link_out(name)]:
        message = f"`{label(linked[0])}` in `node_modules` is a link out of the served folder, and is not read"
        return (Notice("link_not_followed", message),)
    names = {query.text, *query.python_names[:1], *query.npm_names[:1], query.repository or query.text}
    others = other_manifests(libraries.folder, libraries.within, names)
    if naming := next((each for each in others if each.is_naming), None):
        message = f"`{naming.file}` names it, as a library of {naming.language}: only Python and npm are looked at here"
        return (Notice("other_ecosystem", message),)
    if not others or found.matches:
        return ()
    message = f"libraries of {others[0].language} (`{others[0].file}`) are not looked at: only those of Python and npm"
    return (Notice("other_ecosystem", message),)


def _warnings(libraries: ProjectLibraries) -> tuple[Notice, ...]:
    declared = libraries.declared()
    places = [f"`{each.file}:{each.line}`" if each.line else f"`{each.file}`" for each in declared.warnings[:3]]
    return tuple(Notice("manifest_problem", f"{place} could not be read as a requirement") for place in places)
