"""A project as one server serves it: which server, at which root, and what is known of its environment."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from sightline.code.catalogue import Catalogue, is_python
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.lsp.server_spec import ServerSpec
from sightline.projects import Project, ProjectFinder
from sightline.tool import Call

_MOST_ENTRIES = 5_000
_SKIPPED = ("node_modules", "__pycache__", "target")


@dataclass(frozen=True, slots=True)
class Served:
    """A root with its server; `python` is what is known of a Python project."""

    spec: ServerSpec
    root: Path
    python: Project | None = None

    def is_listed(self, path: str) -> bool:
        """Whether the project's configuration lets the server list a file."""
        return self.python is None or self.python.settings.scope.lists(path)


@dataclass(frozen=True, slots=True)
class Router:
    """From a path to the server that answers for it."""

    catalogue: Catalogue
    projects: ProjectFinder

    def of_file(self, path: Path, call: Call, shown: str) -> Served:
        """The server of a file; raises `ToolFailure(no_server_for_file)`."""
        spec = self.catalogue.for_file(path)
        if spec is None:
            raise _no_server(shown, path)
        return self._served(spec, path, _within(path, call))

    def of_folder(self, path: Path, call: Call) -> Served:
        """The server of most files in a folder; Python's if the folder is a Python project's or holds nothing."""
        within = _within(path, call)
        counts = self.files_by_server(path)
        python = self.catalogue.python
        if counts[python.id] and (self.projects.find(path, within=within).root.marker or len(counts) == 1):
            return self._served(python, path, within)
        best = max(counts, key=lambda server_id: counts[server_id], default=python.id)
        return self._served(self.catalogue.get(best) or python, path, within)

    def of_project(self, call: Call) -> list[Served]:
        """The servers of a project's languages, the one with most files first."""
        counts = self.files_by_server(call.root)
        specs = [self.catalogue.get(server_id) for server_id, _ in counts.most_common()]
        found = [self._served(spec, call.root, call.root) for spec in specs if spec]
        return found or [self._served(self.catalogue.python, call.root, call.root)]

    def files_by_server(self, folder: Path) -> Counter[str]:
        """How many files of typed languages a folder holds, by their server; of all languages if it holds no such.

        Counted among the first few thousand.
        """
        serving = self.catalogue.serving()
        counts: Counter[str] = Counter()
        for name in _names_below(folder):
            if spec := next((spec for spec in serving if spec.is_source(name)), None):
                counts[spec.id] += 1
        typed = Counter({spec.id: counts[spec.id] for spec in serving if spec.role == "types" and counts[spec.id]})
        return typed or counts

    def _served(self, spec: ServerSpec, path: Path, within: Path) -> Served:
        if is_python(spec):
            project = self.projects.find(path, within=within)
            return Served(spec, project.root.path, project)
        if spec.root_dir:
            return Served(spec, (within / spec.root_dir).resolve())
        return Served(spec, _marked_root(path, within, spec.root_markers))


def _within(path: Path, call: Call) -> Path:
    """The allowed root that a path lies in."""
    roots = (call.root, *call.paths.allowed_roots)
    return next((root for root in roots if path.is_relative_to(root)), call.root)


def _marked_root(path: Path, within: Path, markers: tuple[str, ...]) -> Path:
    """The nearest folder with one of the markers, at or below `within`; else the repository, else `within`."""
    folders = [path, *path.parents] if path.is_dir() else list(path.parents)
    inside = [folder for folder in folders if folder.is_relative_to(within)]
    for folder in inside:
        if any(_holds(folder, marker) for marker in markers):
            return folder
    return next((folder for folder in inside if (folder / ".git").exists()), within)


def _holds(folder: Path, marker: str) -> bool:
    if "*" not in marker:
        return (folder / marker).exists()
    try:
        return any(fnmatch(entry.name, marker) for entry in os.scandir(folder))
    except OSError:
        return False


def _names_below(folder: Path) -> Iterator[str]:
    seen = 0
    for _, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from names
        seen += len(names)
        if seen > _MOST_ENTRIES:
            return


def _no_server(shown: str, path: Path) -> ToolFailure:
    ending = path.suffix or path.name
    return ToolFailure(
        ErrorKind.NO_SERVER_FOR_FILE,
        f"no language server is set up for `{shown}`",
        NextStep("config", f"a person can add one for `{ending}` under `[code.servers.<id>]` in the user settings"),
        NextStep("tool", "see which files are served", tool="list_servers", arguments={}),
    )
