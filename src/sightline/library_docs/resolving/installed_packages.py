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

    def names(self) -> tuple[str, ...]: ...
