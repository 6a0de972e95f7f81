"""What an installed package is, whatever installed it, and the ways in which asking for one fails."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.library_docs.libraries import LibraryId

Markup = Literal["markdown", "rst", "plain"]


@dataclass(frozen=True, slots=True)
class InstalledPackage:
    """A package on disk at one version. Every file of it lies in `folder` by the names that `files` or a walk gives.

    `warnings` say what is odd about the installation; `fingerprint` changes when its files do, and is None where
    only the files themselves can tell (an editable install).
    """

    library: LibraryId
    version: str
    name: str
    folder: Path
    summary: str = ""
    license: str = ""
    urls: tuple[tuple[str, str], ...] = ()
    import_names: tuple[str, ...] = ()
    api_roots: tuple[str, ...] = ()
    readme: str = ""
    readme_markup: Markup = "markdown"
    files: tuple[str, ...] | None = None
    search_path: tuple[Path, ...] = ()
    is_editable: bool = False
    fingerprint: str | None = None
    warnings: tuple[str, ...] = ()


class NotInstalled(ToolFailure):
    """The package is not in the project's environment."""

    def __init__(self, library: LibraryId, looked_in: str, *next_steps: NextStep) -> None:
        super().__init__(
            ErrorKind.LIBRARY_NOT_FOUND,
            f"`{library}` is not installed: {looked_in}",
            *next_steps,
            data={"library_id": str(library)},
        )
        self.library = library


class OtherVersionInstalled(ToolFailure):
    """The address names another version than the one that is installed now."""

    def __init__(self, asked: str, installed: str, current_address: str) -> None:
        super().__init__(
            ErrorKind.PAGE_NOT_FOUND,
            f"version {asked} is not installed; {installed} is",
            NextStep("tool", "read the installed version's", "read_page", {"url": current_address}),
            data={"asked_version": asked, "installed_version": installed, "current_address": current_address},
        )
        self.current_address = current_address


class PartNotFound(ToolFailure):
    """The package has no such document or object."""

    def __init__(self, message: str, *next_steps: NextStep, unseen: str | None = None) -> None:
        """`unseen` says why an object may be there all the same."""
        super().__init__(ErrorKind.PAGE_NOT_FOUND, message, *next_steps)
        self.unseen = unseen
