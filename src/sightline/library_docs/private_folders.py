"""Documentation of a library in a folder that a person names: for what is published nowhere.

An address is `folder:pypi/ourlib#guide/start.md`. Links that lead out of the folder are not followed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from sightline.errors import ErrorKind, NextStep, SettingsError, ToolFailure
from sightline.library_docs.documents import Document
from sightline.library_docs.installed.contained_files import FileRefused, Walk, read_inside
from sightline.library_docs.installed.shipped_documents import title_of
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.registry.entries import InvalidEntry, parse_key
from sightline.library_docs.untrusted_text import clean, label

_SCHEME = "folder:"
_FORM = re.compile(r"folder:(pypi|npm)/([^#]+)#(.+)")
_TEXT = re.compile(r"\.(?:md|mdx|markdown|rst|txt)$", re.IGNORECASE)
_MOST_DOCUMENTS = 2_000


@dataclass(frozen=True, slots=True)
class PrivateFolders:
    """The folders of the settings, by library."""

    folders: Mapping[LibraryId, Path]

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> PrivateFolders:
        """Raises `SettingsError` for a key that is no library."""
        folders: dict[LibraryId, Path] = {}
        for key, folder in settings.items():
            try:
                folders[parse_key(key)] = Path(folder).expanduser()
            except InvalidEntry as error:
                raise SettingsError(f"`docs.folders`: {error}", "write it as `pypi:name` or `npm:name`") from None
        return cls(folders)

    def documents(self, library: LibraryId) -> list[Document]:
        """All documents of a library's folder, an index or README first; blocks."""
        folder = self.folders.get(library)
        if folder is None:
            return []
        names = [name for name in Walk(folder).files() if _TEXT.search(name)]
        found = [self._read(library, folder, name) for name in sorted(names, key=_order)[:_MOST_DOCUMENTS]]
        return [each for each in found if each]

    def read(self, address: str) -> Document:
        """The document at an address; raises `ToolFailure`."""
        found = _FORM.fullmatch(address)
        library = LibraryId("npm" if found and found[1] == "npm" else "pypi", unquote(found[2])) if found else None
        folder = self.folders.get(library) if library else None
        name = unquote(found[3]) if found else ""
        is_text = bool(_TEXT.search(name))
        document = self._read(library, folder, name) if library and folder and is_text else None
        if document is None:
            step = NextStep("doc", "use an address from another answer")
            raise ToolFailure(ErrorKind.PAGE_NOT_FOUND, f"there is no document `{address[:120]}`", step)
        return document

    def _read(self, library: LibraryId, folder: Path, name: str) -> Document | None:
        try:
            text = read_inside(folder, name).text
        except FileRefused:
            return None
        if name.endswith(".rst"):
            from sightline.library_docs.pages.rst_to_markdown import convert_rst

            text = convert_rst(text)
        text = normal_text(clean(text).text)
        address = f"{_SCHEME}{library.ecosystem}/{quote(library.name, safe='/')}#{quote(name, safe='/')}"
        return Document(address, label(title_of(text, name)), text, "guide", "private", library)


def is_folder_address(text: str) -> bool:
    return text.startswith(_SCHEME)


def fingerprint(documents: list[Document]) -> str:
    whole = "\0".join(f"{each.address}\0{each.text}" for each in documents)
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()


def _order(name: str) -> tuple[int, str]:
    stem = Path(name).stem.lower()
    is_first = "/" not in name and stem in ("index", "readme")
    return (0 if is_first else 1, name)
