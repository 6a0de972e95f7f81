"""Files of other projects in the served folder, which the server that was asked does not read.

A repository may hold several projects, each with a server of its own. What one server says about the uses of a name
is about its own project; the text of the others tells whether that is all.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from anyio import to_thread

from sightline.code.catalogue import is_python
from sightline.code.import_order import ImportIndex
from sightline.code.navigation import View
from sightline.code.served import Served
from sightline.code.text_scan import scan_for_name
from sightline.contract import Notice
from sightline.tool import Call
from sightline.wording import counted

_SKIPPED = ("node_modules", "__pycache__")
_SHOWN = 5


async def dependents_elsewhere(files: Iterable[str], served: Served, root: Path) -> list[str]:
    """Python files of other projects below `root` that import one of these, directly or through others.

    The server of `root` itself reads all of them, and is not asked for here.
    """
    if not is_python(served.spec) or served.root == root or not served.root.is_relative_to(root):
        return []

    def look() -> list[str]:
        sources = list(_sources_below(root, served))
        own = str(served.root) + os.sep
        return _that_import(files, [path for path in sources if not path.startswith(own)], root, sources)

    return await to_thread.run_sync(look)


async def uses_elsewhere(name: str, uses: Iterable[str], view: View) -> list[str]:
    """Files of other projects that hold the name as text and may mean it; `uses` are files that surely do."""
    served, root = view.served, view.call.root
    found, known = frozenset(uses), frozenset(view.workspace.files.files if view.workspace else ())

    def look() -> list[str]:
        others = _files_of_others(served, root, known)
        holding = {str(hit.path) for hit in scan_for_name(name, others)} - found
        if holding and is_python(served.spec):
            holding &= set(_that_import(found, others, root, known))
        return sorted(holding)

    return await to_thread.run_sync(look) if _has_others(served, root, known) else []


def elsewhere_notice(name: str, files: Collection[str], call: Call) -> tuple[Notice, ...]:
    if not files:
        return ()
    held = counted(len(files), "file")
    message = (
        f"`{name}` also stands in {held} of other projects here, or left out by the configuration, which were not "
        f"asked: {shown_files(files, call)}; read them, or ask by `symbol` without `file`"
    )
    return (Notice("other_projects", message),)


def shown_files(files: Collection[str], call: Call) -> str:
    shown = [call.paths.display(Path(file)) for file in sorted(files)[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else "")


def _that_import(files: Iterable[str], others: Collection[str], root: Path, known: Collection[str]) -> list[str]:
    inside = str(root) + os.sep
    begin = [path for path in files if path.startswith(inside)]
    index = ImportIndex()
    index.learn({path for path in (*others, *known, *begin) if path.startswith(inside)}, (), root)
    wanted = frozenset(others)
    return [path for path in index.dependents(begin) if path in wanted]


def _has_others(served: Served, root: Path, known: Collection[str]) -> bool:
    is_below = served.root != root and served.root.is_relative_to(root)
    return is_below or not served.lists_everything or bool(_nested_roots(served, known))


def _files_of_others(served: Served, root: Path, known: Collection[str]) -> list[str]:
    """Source files below the served folder whose project is not the server's, or that its configuration leaves out."""
    sources = [path for path in known if served.spec.is_source(path)]
    others = [] if served.lists_everything else [path for path in sources if not served.is_listed(path)]
    if served.root != root and served.root.is_relative_to(root):
        own = str(served.root) + os.sep
        return [*others, *(path for path in _sources_below(root, served) if not path.startswith(own))]
    roots = _nested_roots(served, known)
    return [*others, *(path for path in sources if roots and path.startswith(roots))]


def _nested_roots(served: Served, known: Collection[str]) -> tuple[str, ...]:
    """Folders with a manifest of their own, by the files that the server hears of."""
    markers = tuple(os.sep + name for name in served.spec.root_markers if "*" not in name)
    folders = {path.rpartition(os.sep)[0] for path in known if path.endswith(markers)}
    return tuple(sorted(folder + os.sep for folder in folders - {str(served.root)}))


def _sources_below(folder: Path, served: Served) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_skipped(place, name))
        yield from (f"{place}{os.sep}{name}" for name in names if served.spec.is_source(name))


def _is_skipped(place: str, name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED or Path(place, name, "pyvenv.cfg").exists()
