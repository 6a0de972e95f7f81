"""Which pages of a library's site to try, the one that fits the version best first. Pure: asks nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin, urlsplit, urlunsplit

from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.release_paths import release_root, release_span

SiteKind = Literal["llms_txt", "site", "readme"]

_VERSION = re.compile(r"v?\d[\w.!+-]{0,79}", re.ASCII)
_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_README_NAMES = ("README.md", "readme.md", "README.rst")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page to try; `version` if the address itself is bound to one."""

    url: str
    kind: SiteKind
    version: str | None = None


def candidates(entry: Entry, version: str | None, *, has_own_repo: bool = True) -> list[Candidate]:
    """In order: the site of this very version, the index for language models, the site as it is, the repository.

    The README of a repository that several libraries share is about none of them. What is no version is not put into
    an address.
    """
    version = version if version and _VERSION.fullmatch(version) else None
    found = [*_pinned(entry, version), *_indexes(entry), *_sites(entry)]
    found += _readmes(entry, version) if has_own_repo else []
    return list({each.url: each for each in reversed(found)}.values())[::-1]


def inventory_address(page: str) -> str:
    """Where a Sphinx site keeps its inventory: at the root of the release, or beside the page."""
    return f"{release_root(page)}objects.inv"


def _pinned(entry: Entry, version: str | None) -> Iterator[Candidate]:
    """Sites with a release in their path (`/en/stable/`) usually have the others beside it."""
    if not version or not entry.docs:
        return
    parts = urlsplit(entry.docs)
    span = release_span(parts.path)
    if span is None:
        return
    start, end = span
    for name in dict.fromkeys((version, f"v{version}", ".".join(version.split(".")[:2]))):
        path = f"{parts.path[:start]}{name}/"
        is_whole = name.removeprefix("v") == version
        yield Candidate(
            urlunsplit((parts.scheme, parts.netloc, path + parts.path[end:].lstrip("/"), "", "")),
            "site",
            version if is_whole else name,
        )


def _indexes(entry: Entry) -> Iterator[Candidate]:
    if entry.llms_txt:
        yield Candidate(entry.llms_txt, "llms_txt")
    elif entry.docs and not _is_code_host(entry.docs):
        yield Candidate(urljoin(_folder(entry.docs), "llms.txt"), "llms_txt")


def _sites(entry: Entry) -> Iterator[Candidate]:
    for address in (entry.docs, entry.homepage):
        if address and not _is_code_host(address):
            yield Candidate(address, "site")


def _readmes(entry: Entry, version: str | None) -> Iterator[Candidate]:
    """The raw file of a repository on GitHub, at the version's tag and at the newest commit."""
    parts = urlsplit(entry.repo or "")
    owner_and_name = parts.path.strip("/").split("/")[:2]
    if parts.netloc != "github.com" or len(owner_and_name) < 2:
        return
    tags = (version, f"v{version}") if version else ()
    for tag in (*tags, "HEAD"):
        for name in _README_NAMES if tag == "HEAD" else _README_NAMES[:1]:
            url = f"https://raw.githubusercontent.com/{'/'.join(owner_and_name)}/{tag}/{name}"
            yield Candidate(url, "readme", version if tag != "HEAD" else None)


def _folder(address: str) -> str:
    parts = urlsplit(address)
    path = parts.path if parts.path.endswith("/") else parts.path.rpartition("/")[0] + "/"
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _is_code_host(address: str) -> bool:
    return urlsplit(address).netloc.removeprefix("www.") in _CODE_HOSTS
