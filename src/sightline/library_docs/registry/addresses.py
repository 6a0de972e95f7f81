"""Which web addresses a registry entry may hold, and which part of the web each one opens.

An address opens its exact host, never a whole domain. On a host that many people share it opens only the folder of
that owner and project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import SplitResult, urlsplit, urlunsplit

LONGEST_ADDRESS = 300

# How many leading path segments belong to one owner, by host or by the domain under which owners have hosts.
_SHARED_HOSTS = {
    "github.com": 2,
    "gitlab.com": 2,
    "bitbucket.org": 2,
    "codeberg.org": 2,
    "raw.githubusercontent.com": 2,
    "huggingface.co": 2,
    "sourceforge.net": 2,
    "git.sr.ht": 2,
    "sites.google.com": 2,
    "docs.google.com": 3,
    "googleapis.dev": 2,
    "cloud.google.com": 4,
    "medium.com": 1,
    "www.notion.so": 1,
    "marketplace.visualstudio.com": 1,
}
_SHARED_DOMAINS = {"github.io": 1, "gitlab.io": 1}
_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht"})
# A package registry is asked by its client only; its pages are never documentation.
_REGISTRY_LABELS = frozenset({"pypi", "testpypi", "pythonhosted", "npmjs", "npmjscdn", "rubygems", "anaconda"})

_HOST = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]\Z")
_PLAIN = re.compile(r"[!-~]+\Z")


class InvalidAddress(ValueError):
    """An address that no registry entry may hold; the message says why."""


@dataclass(frozen=True, slots=True, order=True)
class AllowedPlace:
    """An exact host, and the folder on it (`/` for all of it); the folder ends with a slash or is one whole path."""

    host: str
    path_prefix: str = "/"

    def admits(self, address: str) -> bool:
        """Whether an https address lies in this place; the path is taken as it stands, so `..` never passes."""
        parts = urlsplit(address)
        if parts.scheme != "https" or parts.hostname != self.host or ".." in parts.path.split("/"):
            return False
        return self.path_prefix == "/" or f"{parts.path}/".startswith(f"{self.path_prefix.rstrip('/')}/")


def checked_address(text: str, *, is_private: bool = False) -> str:
    """The address with a lower-case host and no fragment; raises `InvalidAddress`."""
    if len(text) > LONGEST_ADDRESS:
        raise InvalidAddress(f"longer than {LONGEST_ADDRESS} characters")
    if not _PLAIN.match(text) or "\\" in text:
        raise InvalidAddress("has a character that must be escaped")
    parts = _split(text)
    if parts.scheme != "https":
        raise InvalidAddress("is not https")
    host = _checked_host(parts)
    if ".." in parts.path.split("/"):
        raise InvalidAddress("has `..` in its path")
    if not is_private and is_registry_host(host):
        raise InvalidAddress("is a package registry")
    return urlunsplit(("https", host, parts.path or "/", parts.query, ""))


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        has_port = parts.port not in {None, 443}
    except ValueError:
        raise InvalidAddress("cannot be parsed") from None
    if has_port:
        raise InvalidAddress("names a port")
    return parts


def _checked_host(parts: SplitResult) -> str:
    if "@" in parts.netloc:
        raise InvalidAddress("has user information")
    host = (parts.hostname or "").rstrip(".")
    if not _HOST.match(host):
        raise InvalidAddress("has no host name, or an IP address for one")
    return host


def is_registry_host(host: str) -> bool:
    return not _REGISTRY_LABELS.isdisjoint(host.split("."))


@cache
def _public_suffixes() -> object:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)


def require_registrable(address: str) -> None:
    """Raise `InvalidAddress` if the host is itself a public suffix, or under none; costs a fifth of a second once."""
    from publicsuffixlist import PublicSuffixList

    suffixes = _public_suffixes()
    assert isinstance(suffixes, PublicSuffixList)  # noqa: S101 - the cache has no better type without the import
    host = urlsplit(address).hostname or ""
    if suffixes.privatesuffix(host) is None:
        raise InvalidAddress("its host is not under a registrable domain")


def place_of(address: str) -> AllowedPlace | None:
    """The part of the web that a checked address opens; None for the front of a host that is shared."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    segments = [segment for segment in parts.path.split("/") if segment]
    depth = _SHARED_HOSTS.get(host)
    if depth is not None:
        return AllowedPlace(host, "/" + "/".join(segments[:depth]) + "/") if len(segments) >= depth else None
    depth = _SHARED_DOMAINS.get(host.partition(".")[2], 0)
    return AllowedPlace(host, "/" + "".join(f"{segment}/" for segment in segments[:depth]))


def is_code_host(address: str) -> bool:
    return urlsplit(address).hostname in _CODE_HOSTS


def repository_of(address: str) -> str | None:
    """`https://host/owner/project` for an address on a code host that lies in a project; else None."""
    parts = urlsplit(address)
    segments = [segment for segment in parts.path.split("/") if segment]
    if parts.hostname not in _CODE_HOSTS or len(segments) < 2 or segments[0] in {"sponsors", "orgs", "topics"}:
        return None
    return f"https://{parts.hostname}/{segments[0]}/{segments[1].removesuffix('.git')}"


def raw_files_of(repository: str) -> AllowedPlace | None:
    """Where the plain files of a repository are served, for the one code host that has a host of its own for them."""
    parts = urlsplit(repository)
    if parts.hostname != "github.com":
        return None
    return AllowedPlace("raw.githubusercontent.com", f"{parts.path.rstrip('/')}/")
