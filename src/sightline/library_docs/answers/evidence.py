"""How the docs tools know: from the installed package, from the cache, or from the web."""

from __future__ import annotations

from datetime import UTC, datetime

from sightline.contract import Evidence
from sightline.library_docs.cached_pages import CachedPage
from sightline.library_docs.documents import Document


def page_evidence(document: Document, cached: CachedPage | None, **details: str | None) -> Evidence:
    """Of one document; `cached` if it came from the web, now or earlier."""
    known = {"version": document.version, "trust": document.trust, **details}
    if cached is None:
        return Evidence(method="installed", scope=document.address, details=known)
    return Evidence(
        method="cache" if cached.from_cache else "web",
        scope=document.address,
        details={**known, "cached_at": stamp(cached.cached_at), "stale": cached.is_stale},
    )


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
