"""Which library an agent means by an id; a plain name will do where it can mean only one."""

from __future__ import annotations

import anyio.to_thread

from sightline.contract import Notice
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.library_docs.answers.resolved import resolution_of
from sightline.library_docs.libraries import ECOSYSTEMS, LibraryId, python_name
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.service import DocsService


async def which_library(
    service: DocsService, libraries: ProjectLibraries, text: str
) -> tuple[LibraryId, tuple[Notice, ...]]:
    """The library; raises `ToolFailure` with suggestions if there is none, or more than one."""
    registry = (await service.known.get()).registry
    found = await anyio.to_thread.run_sync(resolution_of, text, None, libraries, registry)
    if len(found.matches) == 1:
        library = found.matches[0].library
        if _is_id_of(text, library):
            return library, ()
        return library, (Notice("name_resolved", f"`{text[:80]}` was taken for `{library}`"),)
    if found.matches:
        names = ", ".join(f"`{each.library}`" for each in found.matches)
        step = NextStep("doc", "name one of them")
        raise ToolFailure(ErrorKind.LIBRARY_NOT_FOUND, f"`{text[:80]}` may be {names}", step)
    near = ", ".join(f"`{each.library}`" for each in found.did_you_mean)
    message = f"`{text[:80]}`: {found.reason}" + (f"; similar names are {near}" if near else "")
    step = NextStep("tool", "look the name up", tool="resolve_library", arguments={"query": text[:80]})
    raise ToolFailure(ErrorKind.LIBRARY_NOT_FOUND, message, step)


def _is_id_of(text: str, library: LibraryId) -> bool:
    ecosystem, _, name = text.strip().partition(":")
    if ecosystem not in ECOSYSTEMS:
        return False
    return (python_name(name) if ecosystem == "pypi" else name) == library.name
