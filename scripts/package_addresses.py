"""From what a package client says to the addresses of a registry entry: facts only, checked, or left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from sightline.library_docs.registry.addresses import (
    InvalidAddress,
    checked_address,
    is_code_host,
    repository_of,
    require_registrable,
)

Addresses = dict[str, str]

_LABELS = {
    "docs": ("documentation", "docs", "documentations", "readthedocs", "apidocumentation", "userguide", "apidocs"),
    "homepage": ("homepage", "home", "website", "projecthomepage", "projectpage"),
    "repo": ("source", "repository", "sourcecode", "github", "code", "gitlab", "sourcerepository", "githubrepo"),
    "changelog": ("changelog", "changes", "releasenotes", "whatsnew", "history", "changeslog", "releases", "news"),
}
_SHORT_REPOSITORY = re.compile(r"(?:(github|gitlab|bitbucket):)?([\w.-]+/[\w.-]+)\Z")
_SSH_REPOSITORY = re.compile(r"(?:ssh://)?(?:[\w.-]+@)([\w.-]+)[:/]([\w.-]+/[\w./-]+)\Z")
_HOSTS = {None: "github.com", "github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}


def python_addresses(metadata: Mapping[str, Any]) -> Addresses:
    """`docs`, `homepage`, `repo` and `changelog` from the labels of a Python package."""
    labelled = dict(_labelled(metadata))
    found = {
        field: address
        for field, labels in _LABELS.items()
        if (address := next((address for label in labels if (address := labelled.get(label))), None))
    }
    return _sorted_out(found)


def npm_addresses(answer: Mapping[str, Any]) -> Addresses:
    """`homepage` and `repo` of an npm package."""
    found: Addresses = {}
    if home := _checked(answer.get("homepage")):
        found["homepage"] = home
    if repo := _checked(_npm_repository(answer.get("repository"))):
        found["repo"] = repo
    return _sorted_out(found)


def inventory_folder(docs: str | None) -> str | None:
    """Where Read the Docs serves `objects.inv` for the version that the address names; `latest` if it names none."""
    parts = urlsplit(docs or "")
    if not (parts.hostname or "").endswith(".readthedocs.io"):
        return None
    segments = [segment for segment in parts.path.split("/") if segment]
    folder = segments[:2] if len(segments) >= 2 and re.match(r"[a-z]{2}(?:[-_][a-zA-Z]{2})?\Z", segments[0]) else []
    return f"https://{parts.hostname}/{'/'.join(folder or ['en', 'latest'])}/"


def _labelled(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if home := _checked(metadata.get("home_page")):
        yield "homepage", home
    for line in reversed(metadata.get("project_url", [])):
        label, _, address = line.partition(",")
        if checked := _checked(address.strip()):
            yield re.sub(r"[\W_]", "", label).lower(), checked


def _sorted_out(found: Addresses) -> Addresses:
    """A code host's project page is a repository, whatever it was called."""
    for field in ("repo", "homepage", "docs"):
        address = found.get(field)
        if address and is_code_host(address):
            repository = repository_of(address)
            if repository and ("repo" not in found or field == "repo"):
                found["repo"] = repository
            if field == "homepage" or (field == "docs" and address.rstrip("/") == repository):
                del found[field]
    if found.get("docs") == found.get("homepage") and "docs" in found:
        del found["homepage"]
    return found


def _checked(text: object) -> str | None:
    if not isinstance(text, str):
        return None
    try:
        address = checked_address(re.sub(r"\Ahttp://", "https://", text))
        require_registrable(address)
    except InvalidAddress:
        return None
    return address


def _npm_repository(value: object) -> str | None:
    if isinstance(value, dict):
        value = value.get("url")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON edge
    if not isinstance(value, str):
        return None
    text = value.removeprefix("git+").partition("#")[0].removesuffix("/").removesuffix(".git")
    if short := _SHORT_REPOSITORY.match(text):
        return f"https://{_HOSTS[short[1]]}/{short[2]}"
    if ssh := _SSH_REPOSITORY.match(text):
        return f"https://{ssh[1]}/{ssh[2]}"
    return re.sub(r"\A(?:git|http|ssh)://", "https://", text)
