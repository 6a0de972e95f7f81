"""What goes into a store and what comes out of it. Times are seconds since 1970, UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sightline.library_docs.documents import Document
from sightline.library_docs.libraries import LibraryId


@dataclass(frozen=True, slots=True)
class PageKey:
    """What a page is found by: its address without fragment, the form that was asked for, and the version it is for.

    A document of an installed package or of a private folder has its whole address and nothing else: there the part
    after the `#` names the document.
    """

    url: str
    variant: str = ""
    version: str = ""

    @staticmethod
    def of(url: str, variant: str = "", version: str | None = None) -> PageKey:
        """The key of an address as a caller gave it."""
        is_package = url.startswith(("pkg:", "folder:"))
        return PageKey(url if is_package else url.partition("#")[0], variant, "" if is_package else version or "")


@dataclass(frozen=True, slots=True)
class PageFinding:
    """Something in a page that does not belong in documentation: `count` times from a 1-based line on, 0 if unknown."""

    kind: str
    line: int
    count: int = 1
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """A document with what is needed to keep it current; `content_hash` is that of the text."""

    key: PageKey
    document: Document
    content_hash: str
    fetched_at: float
    expires_at: float
    final_url: str = ""
    etag: str | None = None
    last_modified: str | None = None
    findings: tuple[PageFinding, ...] = ()
    is_pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A passage that fits: where it is, under which headings, and the lines around the first words found.

    `line` is the 1-based line of the document that the snippet starts at. `matched` says whether all words of the query
    are in the passage, or only some. `score` compares hits of one search only; more is better.
    """

    address: str
    title: str
    heading: str
    line: int
    snippet: str
    matched: Literal["all", "some"]
    score: float
    library: LibraryId | None
    version: str | None
    kind: str
    trust: str
    fetched_at: float


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The hits; `unavailable` says why nothing could be searched, `partial` why only a part could."""

    hits: tuple[SearchHit, ...] = ()
    unavailable: str | None = None
    partial: str | None = None


@dataclass(frozen=True, slots=True)
class Eviction:
    """What was removed to stay within a budget, and the size after it."""

    pages: int = 0
    collections: int = 0
    used_bytes: int = 0
    is_within_budget: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatistics:
    """What a store holds; `problem` says what is wrong with it, `search_problem` why it cannot search."""

    place: str
    web_pages: int = 0
    installed_documents: int = 0
    collections: int = 0
    pinned_pages: int = 0
    passages: int = 0
    content_bytes: int = 0
    used_bytes: int = 0
    problem: str | None = None
    search_problem: str | None = None
