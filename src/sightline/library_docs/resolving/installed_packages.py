"""What resolution needs to know about the packages that a project has on disk."""

from __future__ import annotations

from typing import Protocol

from sightline.library_docs.libraries import Ecosystem


class InstalledPackages(Protocol):
    """The packages of one ecosystem that are installed for one project; names in their normal form."""

    @property
    def ecosystem(self) -> Ecosystem: ...

    def version_of(self, name: str) -> str | None:
        """The installed version of a package, or None if it is not installed."""
        ...

    def providers_of(self, import_name: str) -> tuple[str, ...]:
        """The names of the packages that provide an import name, which may be dotted."""
        ...

    def holds(self, name: str, import_name: str, *, as_folder: bool = False) -> bool:
        """Whether a package has the module, or one that the name leads through; a folder that several share is none.

        With `as_folder`, whether it has its part of exactly that folder.
        """
        ...

    def names(self) -> tuple[str, ...]: ...
