"""Releases in the paths of documentation sites: `/en/stable/`, `/8.1.x/`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

_RELEASE = re.compile(r"^/(?:[a-z]{2}(?:[-_][A-Za-z]{2,4})?/)?(stable|latest|main|master|current|v?\d[\w.]*)(?=/|$)")


def release_span(path: str) -> tuple[int, int] | None:
    """Where in a path the release stands, if it has one."""
    found = _RELEASE.match(path)
    return found.span(1) if found else None


def release_root(page: str) -> str:
    """The folder of a page's release, or else the page's own folder."""
    parts = urlsplit(page)
    span = release_span(parts.path)
    folder = parts.path[: span[1]] + "/" if span else parts.path.rpartition("/")[0] + "/"
    return urlunsplit((parts.scheme, parts.netloc, folder, "", ""))


def is_same_release(one: str, other: str) -> bool:
    """Whether two pages are of one release of one site: a redirect may lead to another."""
    return release_root(one) == release_root(other)
