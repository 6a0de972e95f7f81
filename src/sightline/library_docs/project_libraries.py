"""What one folder of a project sees: installed packages, declared ones, and their documents."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.library_docs.installed.api_readers import ApiReaders
from sightline.library_docs.installed.installed_libraries import InstalledLibraries
from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.package_docs import PackageDocs
from sightline.library_docs.installed.python_environment import (
    Ask,
    NoEnvironment,
    PythonEnvironment,
    read_python_environment,
)
from sightline.library_docs.installed.python_packages import PythonPackages
from sightline.projects import ProjectFinder, Surroundings
from sightline.tool import Call

if TYPE_CHECKING:
    from sightline.library_docs.resolving.declared import DeclaredPackages
    from sightline.library_docs.resolving.installed_packages import InstalledPackages

_MOST_READERS = 8


@dataclass(frozen=True, slots=True)
class ProjectLibraries:
    """The libraries of one folder; each question looks at the disk."""

    installed: InstalledLibraries
    docs: PackageDocs
    folder: Path
    within: Path

    @property
    def environment(self) -> str:
        """Which Python environment was looked at, and why."""
        return self.installed.python.reason

    def declared(self) -> DeclaredPackages:
        from sightline.library_docs.resolving.manifests import declared_near

        return declared_near(self.folder, self.within)

    def packages(self) -> tuple[InstalledPackages, ...]:
        python = self.installed.python_packages
        return (self.installed.node_packages,) if python is None else (python, self.installed.node_packages)


class ProjectShelf:
    """Finds the libraries that a call means; readers of APIs are kept, because they are slow to fill."""

    def __init__(
        self,
        around: Surroundings,
        clock: Callable[[], float],
        ask: Callable[[Path, Path], Sequence[Path]] | None = None,
    ) -> None:
        """`ask` is for a `python` that is only a script: given it and a folder, the folders that it tells there."""
        self._ask = ask
        self._projects = ProjectFinder(around)
        self._around = around
        self._clock = clock
        self._packages: OrderedDict[PythonEnvironment | NoEnvironment, PythonPackages] = OrderedDict()
        self._readers: OrderedDict[tuple[Path, Path | None], ApiReaders] = OrderedDict()

    def of(self, call: Call, path: str | None) -> ProjectLibraries:
        """The libraries as seen from a path (the project's root if none is given); raises `ToolFailure`."""
        place = call.paths.resolve(path) if path else call.root
        folder = place if place.is_dir() else place.parent
        roots = (call.root, *call.paths.allowed_roots)
        within = next((root for root in roots if folder.is_relative_to(root)), call.root)
        project = self._projects.find(folder, within=within)
        python = read_python_environment(
            project.interpreter,
            self._around.variables,
            own_prefix=Path(sys.prefix),
            ask=self._asker(project.root.path, within),
        )
        installed = self._installed(python, NodePackages(folder, root=within))
        library = None if isinstance(python, NoEnvironment) else python.standard_library
        docs = PackageDocs(installed, self._reader(within, library), _rst_to_markdown)
        return ProjectLibraries(installed, docs, folder, within)

    def _asker(self, root: Path, within: Path) -> Ask | None:
        """Asks in the project, whose files may name a version; what the project itself brings along is not run."""
        ask = self._ask
        if ask is None:
            return None

        def asked(python: Path) -> Sequence[Path]:
            places = (python, python.resolve())
            is_of_project = any(place.is_relative_to(folder) for place in places for folder in (root, within))
            return () if is_of_project else ask(python, root)

        return asked

    def _installed(self, python: PythonEnvironment | NoEnvironment, node: NodePackages) -> InstalledLibraries:
        """What is known of the packages of an environment is kept; each question still looks at the disk."""
        kept = self._packages.pop(python, None)
        libraries = InstalledLibraries(python, node, kept)
        if libraries.python_packages and not isinstance(python, NoEnvironment):
            self._packages[python] = libraries.python_packages
            if len(self._packages) > _MOST_READERS:
                self._packages.popitem(last=False)
        return libraries

    def _reader(self, root: Path, library: Path | None) -> ApiReaders:
        key = (root, library)
        reader = self._readers.pop(key, None) or ApiReaders(root, self._clock, library)
        self._readers[key] = reader
        if len(self._readers) > _MOST_READERS:
            self._readers.popitem(last=False)
        return reader


def _rst_to_markdown(text: str) -> str:
    from sightline.library_docs.pages.rst_to_markdown import convert_rst

    return convert_rst(text)
