"""What a fetch gives: the document, where it really came from, and what makes it doubtful."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sightline.library_docs.fetching.allowed_hosts import Tier

Doubt = Literal[
    "empty",
    "looks_like_not_found",
    "looks_like_login",
    "redirected_to_root",
    "charset_guessed",
    "characters_lost",
    "type_guessed",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A text document. With `not_modified` the text is empty: what the caller has is still current.

    `final_url` is the address after redirects; `etag` and `last_modified` belong to it. `doubts` says why the text may
    not be the document that was meant: keep such a text out of the cache, or say so.
    """

    url: str
    final_url: str
    tier: Tier
    status: int
    not_modified: bool
    content_type: str
    charset: str
    text: str
    etag: str | None
    last_modified: str | None
    received_bytes: int
    redirects: tuple[str, ...]
    doubts: frozenset[Doubt]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedBytes:
    """A document of any kind, as its bytes; the other fields as in `Fetched`."""

    url: str
    final_url: str
    tier: Tier
    status: int
    not_modified: bool
    content_type: str
    charset: str | None
    body: bytes
    etag: str | None
    last_modified: str | None
    received_bytes: int
    redirects: tuple[str, ...]
