"""The libraries that a project sees on disk: Python distributions, standard library modules, npm packages."""

from __future__ import annotations

import re
import sys

from sightline.errors import NextStep
from sightline.library_docs.installed.module_files import ModuleFiles
from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.package_addresses import is_package_name
from sightline.library_docs.installed.packages import InstalledPackage, NotInstalled
from sightline.library_docs.installed.python_environment import NoEnvironment, PythonEnvironment
from sightline.library_docs.installed.python_packages import PythonPackages
from sightline.library_docs.libraries import LibraryId


class InstalledLibraries:
    """One project's libraries; each question looks at the disk. `packages` are those of an earlier look, if any."""

    def __init__(
        self, python: PythonEnvironment | NoEnvironment, node: NodePackages, packages: PythonPackages | None = None
    ) -> None:
        self.python = python
        self.python_packages = None if isinstance(python, NoEnvironment) else packages or PythonPackages(python)
        self.node_packages = node

    def find(self, library: LibraryId) -> InstalledPackage:
        """The package of a library; raises `NotInstalled`, or `ToolFailure` where nothing can be looked at."""
        if not is_package_name(library.ecosystem, library.name):
            raise NotInstalled(library, "that is not a name that a library can have")
        if library.ecosystem == "npm":
            return self._npm(library)
        if isinstance(self.python, NoEnvironment):
            raise self.python.failure()
        if library.ecosystem == "python":
            return _standard_module(library, self.python)
        packages = self.python_packages
        found = packages.find(library.name) if packages else None
        if found is None and packages and packages.has_trace_of(library.name):
            reason = "its metadata is there but is damaged, of another name, or a link out of the environment"
            raise NotInstalled(library, reason, _INSTALL)
        if found is None:
            raise NotInstalled(library, f"not in the project's environment ({self.python.reason})", _INSTALL)
        return _sound(found)

    def _npm(self, library: LibraryId) -> InstalledPackage:
        found = self.node_packages.find(library.name)
        if found is None:
            self.node_packages.require_readable()
            raise NotInstalled(library, "no `node_modules` from the folder up to the root has it", _INSTALL)
        return _sound(found)


def _sound(package: InstalledPackage) -> InstalledPackage:
    """Words of a stranger stand in for a version only if they look like one."""
    if not _VERSION.fullmatch(package.version):
        raise NotInstalled(package.library, "its metadata is damaged: the version is none", _INSTALL)
    return package


_VERSION = re.compile(r"[\w.!+-]{1,80}", re.ASCII)
_INSTALL = NextStep("command", "install the project's dependencies, or check the name")


def _standard_module(library: LibraryId, environment: PythonEnvironment) -> InstalledPackage:
    """A module of the standard library as a package of the interpreter's version."""
    folder = environment.standard_library
    top = library.name.partition(".")[0]
    if folder is None or environment.version is None:
        raise NotInstalled(library, "the standard library of the project's interpreter was not found on disk")
    if top not in sys.stdlib_module_names or (
        ModuleFiles([folder]).find(library.name) is None and library.name not in sys.stdlib_module_names
    ):
        raise NotInstalled(library, f"the standard library of Python {environment.version} has no such module")
    return InstalledPackage(
        library=library,
        version=environment.version,
        name=library.name,
        folder=folder,
        summary=f"Standard library of Python {environment.version}",
        import_names=(library.name,),
        files=(),
        search_path=(folder,),
        fingerprint=f"{environment.version};{folder}",
    )
