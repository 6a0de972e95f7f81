"""A project as one server serves it: which server, at which root, and what is known of its environment."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePath

from sightline.code.catalogue import Catalogue, is_python
from sightline.contract import Notice
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.lsp.server_spec import ServerSpec
from sightline.projects import Project, ProjectFinder
from sightline.projects.roots import ENVIRONMENT_MARKERS
from sightline.tool import Call

_MOST_ENTRIES = 20_000
_SKIPPED = ("node_modules", "__pycache__", "target")


@dataclass(frozen=True, slots=True)
class Served:
    """A root with its server; `python` is what is known of a Python project.

    `watched` is the folder whose changes the server hears of: files beside the root may be imported too, as in a
    repository of several packages.
    """

    spec: ServerSpec
    root: Path
    watched: Path
    python: Project | None = None

    @property
    def tells_interpreter(self) -> bool:
        """Whether the server is told which interpreter we found; another one chooses for itself."""
        return self.python is not None and "python" in self.spec.settings

    @property
    def lists_everything(self) -> bool:
        """Whether no configuration leaves files out."""
        return self.python is None or self.python.settings.scope.is_everything

    def is_listed(self, path: str) -> bool:
        """Whether the project's configuration lets the server list a file."""
        return self.python is None or self.python.settings.scope.lists(path)


@dataclass(frozen=True, slots=True)
class Languages:
    """How many files of a folder each server serves; not `is_whole` if the folder is too large to look through."""

    counts: Counter[str]
    is_whole: bool
    environments: tuple[Path, ...] = ()

    def notices(self, served: Served) -> tuple[Notice, ...]:
        """What a check of the folder leaves out, or takes from the wrong environment."""
        return (*self._of_environments(served), *self._of_languages(served))

    def _of_environments(self, served: Served) -> tuple[Notice, ...]:
        nested = [each for each in self.environments if each != served.root and each.is_relative_to(served.root)]
        if not nested or served.python is None:
            return ()
        shown = ", ".join(f"`{each.relative_to(served.root).as_posix()}`" for each in nested[:5])
        message = (
            f"these folders have environments of their own, which were not used for them: {shown}; check each by path"
        )
        return (Notice("nested_environments", message),)

    def _of_languages(self, served: Served) -> tuple[Notice, ...]:
        others = Counter({name: count for name, count in self.counts.items() if name != served.spec.id})
        if not others:
            return () if self.is_whole else (self.not_counted(),)
        counted = ", ".join(f"{count} of {server_id}" for server_id, count in others.most_common())
        message = (
            f"only files of {served.spec.id} were checked; other languages are here ({counted}): check them by file"
        )
        return (Notice("other_languages", message),)

    def not_counted(self) -> Notice:
        message = f"only the first {_MOST_ENTRIES:,} files were looked through for languages; name a folder or a file"
        return Notice("languages_not_counted", message)


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

    def of_folder(self, path: Path, call: Call) -> tuple[Served, Languages]:
        """The server of most files in a folder; Python's if the folder is a Python project's or holds nothing."""
        within = _within(path, call)
        languages = self.languages_of(path)
        counts, default = languages.counts, self.catalogue.default
        if counts[default.id] and (len(counts) == 1 or self.projects.find(path, within=within).root.marker):
            return self._served(default, path, within), languages
        best = max(counts, key=lambda server_id: counts[server_id], default=default.id)
        return self._served(self.catalogue.get(best) or default, path, within), languages

    def of_project(self, call: Call) -> tuple[list[Served], Languages]:
        """The servers of a project's languages, the one with most files first."""
        languages = self.languages_of(call.root)
        specs = [self.catalogue.get(server_id) for server_id, _ in languages.counts.most_common()]
        found = [self._served(spec, call.root, call.root) for spec in specs if spec]
        return found or [self._served(self.catalogue.default, call.root, call.root)], languages

    def linters_of(self, path: Path, call: Call) -> list[Served]:
        """The servers that add their findings on a file or a folder."""
        wanted = [spec for spec in self.catalogue.linters() if path.is_dir() or spec.is_source(path.name)]
        return [self._served(spec, path, _within(path, call)) for spec in wanted]

    def only(self, root: Path) -> Served | None:
        """The server that a person chose as the only one."""
        spec = self.catalogue.get(self.catalogue.only) if self.catalogue.only else None
        return spec and self._served(spec, root, root)

    def languages_of(self, folder: Path) -> Languages:
        """The typed languages of a folder, by their servers; all languages if it holds no typed one."""
        serving = self.catalogue.serving()
        by_ending: dict[str, str | None] = {}
        counts: Counter[str] = Counter()
        seen = 0
        environments: list[Path] = []
        for name in _names_below(folder, environments):
            seen += 1
            if seen > _MOST_ENTRIES:
                break
            kind = PurePath(name).suffix or name
            if kind not in by_ending:
                by_ending[kind] = next((spec.id for spec in serving if spec.is_source(name)), None)
            if server_id := by_ending[kind]:
                counts[server_id] += 1
        typed = Counter({spec.id: counts[spec.id] for spec in serving if spec.role == "types" and counts[spec.id]})
        return Languages(typed or counts, is_whole=seen <= _MOST_ENTRIES, environments=tuple(environments))

    def _served(self, spec: ServerSpec, path: Path, within: Path) -> Served:
        if is_python(spec):
            project = self.projects.find(path, within=within)
            return Served(spec, project.root.path, project.root.path, project)
        root = (within / spec.root_dir).resolve() if spec.root_dir else _marked_root(path, within, spec.root_markers)
        return Served(spec, root, within if root.is_relative_to(within) and not spec.is_single_file else root)


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


def _names_below(folder: Path, environments: list[Path]) -> Iterator[str]:
    """The names of all files; folders that have a Python environment are noted."""
    for place, folders, names in os.walk(folder):
        if any(Path(place, marker).exists() for marker in ENVIRONMENT_MARKERS if marker.partition("/")[0] in folders):
            environments.append(Path(place))
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from names


def _no_server(shown: str, path: Path) -> ToolFailure:
    ending = path.suffix or path.name
    return ToolFailure(
        ErrorKind.NO_SERVER_FOR_FILE,
        f"no language server is set up for `{shown}`",
        NextStep("config", f"a person can add one for `{ending}` under `[code.servers.<id>]` in the user settings"),
        NextStep("tool", "see which files are served", tool="list_servers", arguments={}),
    )
