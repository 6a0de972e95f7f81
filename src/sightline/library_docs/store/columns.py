"""How values stand in a column of a table, the same for every store."""

from __future__ import annotations

from sightline.library_docs.libraries import ECOSYSTEMS, LibraryId
from sightline.library_docs.pages.lines import normal_text


def library_text(library: LibraryId | None) -> str:
    """A library in a column."""
    return normal_text(str(library)) if library else ""


def library_of(text: str) -> LibraryId | None:
    """A library from a column."""
    ecosystem, _, name = text.partition(":")
    return next((LibraryId(known, name) for known in ECOSYSTEMS if known == ecosystem), None)
