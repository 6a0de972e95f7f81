"""A document: one text that can be read and searched, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sightline.library_docs.libraries import LibraryId

Kind = Literal["readme", "guide", "skill", "api", "changelog", "index", "page"]
Trust = Literal["installed", "registered", "allowed", "private"]


@dataclass(frozen=True, slots=True)
class Document:
    """A text in Markdown under an address that `read_page` takes.

    An address is a web address, or for a part of an installed package a package address with the part after the
    `#`: `pkg:pypi/click@8.3.0#README.md`, `pkg:npm/%40scope/x@1.0.0#docs/a.md`,
    `pkg:pypi/click@8.3.0#api/click.Command`.
    """

    address: str
    title: str
    text: str
    kind: Kind
    trust: Trust
    library: LibraryId | None = None
    version: str | None = None
