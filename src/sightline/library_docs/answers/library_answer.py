"""An answer about a library, wherever it came from, before a tool shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sightline.contract import Evidence, Notice
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.tools.get_library_docs import PassageShown
from sightline.library_docs.versions import VersionMatch

MOST_PASSAGES = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted: a library, perhaps a topic, perhaps a version."""

    library: LibraryId
    topic: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryAnswer:
    """The text and everything that is known of it; `passages` are others than the text itself."""

    library: LibraryId
    summary: str
    version: str | None
    version_match: VersionMatch
    installed_version: str | None
    address: str
    title: str
    trust: str
    content: str
    next_offset: int | None
    line: int = 1
    heading: str = ""
    is_name_found: bool | None = None
    evidence: Evidence
    passages: Sequence[PassageShown] = ()
    documents: Sequence[tuple[str, str]] = ()
    notices: tuple[Notice, ...] = ()
