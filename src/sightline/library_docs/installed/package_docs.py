"""Everything that is known about an installed library: overview, documents, API, passages for a topic.

The one door for the rest of `library_docs`. All of it blocks on the disk, so callers run it in a worker thread; the
readers of APIs are shared between calls and guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sightline.errors import NextStep
from sightline.library_docs.documents import Document, Kind
from sightline.library_docs.installed.contained_files import FileRefused, read_inside
from sightline.library_docs.installed.installed_libraries import InstalledLibraries
from sightline.library_docs.installed.package_addresses import document_address, parse_package_address
from sightline.library_docs.installed.packages import InstalledPackage, OtherVersionInstalled, PartNotFound
from sightline.library_docs.installed.shipped_documents import (
    ShippedDocument,
    ShippedDocuments,
    list_documents,
    read_document,
    title_of,
)
from sightline.library_docs.libraries import LibraryId

if TYPE_CHECKING:
    from sightline.library_docs.installed.api_readers import ApiReaders
    from sightline.library_docs.installed.passages import Passage
    from sightline.library_docs.installed.python_api import Outline

_SHORT_README = 400
_MOST_SEARCHED = 20_000_000
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document that can be read, by its address."""

    address: str
    part: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Overview:
    """The best first page of a library, and what else there is."""

    package: InstalledPackage
    document: Document
    documents: tuple[DocumentEntry, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopicPassages:
    """Passages for a topic, the best first; `is_name_found` only if the topic is a name, and names can be read.

    `unseen` says why it cannot be told whether there is such a name.
    """

    package: InstalledPackage
    passages: tuple[Passage, ...]
    warnings: tuple[str, ...]
    is_name_found: bool | None = None
    unseen: str | None = None


class PackageDocs:
    """The documentation of the libraries that a project has installed.

    `rst_to_markdown` renders reStructuredText; without it such documents are given as they are.
    """

    def __init__(
        self,
        libraries: InstalledLibraries,
        readers: ApiReaders,
        rst_to_markdown: Callable[[str], str] | None = None,
    ) -> None:
        self._libraries = libraries
        self._readers = readers
        self._rst_to_markdown = rst_to_markdown

    def package(self, library: LibraryId) -> InstalledPackage:
        """The installed package; raises `NotInstalled`, or `ToolFailure` where nothing can be looked at."""
        return self._libraries.find(library)

    def overview(self, library: LibraryId) -> Overview:
        """The page to start from: a skill written for the library, its README, an index, or else its API."""
        package = self.package(library)
        shipped = list_documents(package)
        best = _best(package, shipped)
        document = self._document(package, best) if best else self.api_outline(library)
        return Overview(package, document, _entries(package, shipped), (*package.warnings, *shipped.warnings))

    def documents(self, library: LibraryId) -> tuple[DocumentEntry, ...]:
        """The documents that the package ships."""
        package = self.package(library)
        return _entries(package, list_documents(package))

    def outline(self, library: LibraryId) -> Outline:
        """The public names of the package."""
        return self._readers.outline(self.package(library))

    def api_outline(self, library: LibraryId) -> Document:
        """The public names of the package, as a document."""
        package = self.package(library)
        return self._readers.outline_document(package)

    def api_object(self, library: LibraryId, name: str) -> Document:
        """One object's page; raises `PartNotFound`."""
        return self._readers.document(self.package(library), name)

    def topic(self, library: LibraryId, topic: str, *, limit: int = 8) -> TopicPassages:
        """What the package says about a topic; objects that it names come first, or what they would be part of."""
        from sightline.library_docs.installed.passages import rank, split

        package = self.package(library)
        shipped = list_documents(package)
        warnings = [*package.warnings, *shipped.warnings]
        exact = self._readers.exact(package, topic)
        named = [exact] if exact else self._readers.mentioned(package, topic)
        pool = [passage for document in self._texts(package, shipped, warnings) for passage in split(document)]
        if exact is None:
            of_api, is_partial = self._readers.passages(package, topic)
            pool.extend(of_api)
            warnings.extend(["time ran out: not all of the API was searched"] if is_partial else [])
        known = {each.address for each in named}
        ranked = [each for each in rank(topic, pool, limit=limit) if each.address not in known]
        found, unseen = (True, None) if exact else self._is_found(package, topic)
        return TopicPassages(package, tuple([*named, *ranked][:limit]), tuple(warnings), found, unseen)

    def _is_found(self, package: InstalledPackage, topic: str) -> tuple[bool | None, str | None]:
        try:
            return self._readers.is_found(package, topic), None
        except PartNotFound as missing:
            return None, missing.unseen

    def texts(self, library: LibraryId) -> list[Document]:
        """All documents that the package ships; those that cannot be read are left out."""
        package = self.package(library)
        return list(self._texts(package, list_documents(package), []))

    def read(self, address: str) -> Document:
        """The document or object at a package address.

        Raises `OtherVersionInstalled` for an address of another version, `PartNotFound` where there is no such part.
        """
        asked = parse_package_address(address)
        package = self.package(asked.library)
        if asked.version != package.version:
            current = str(replace(asked, version=package.version))
            raise OtherVersionInstalled(asked.version, package.version, current)
        if shipped := list_documents(package).find(asked.part):
            return self._document(package, shipped)
        if asked.part == "api":
            return self._readers.outline_document(package)
        if name := asked.api_name:
            return self._readers.document(package, name)
        if package.library.ecosystem == "npm" and asked.part.endswith(_DECLARATIONS):
            return _declarations(package, asked.part)
        raise PartNotFound(f"`{package.library}` {package.version} ships no document `{asked.part}`", _see(package))

    def _texts(self, package: InstalledPackage, shipped: ShippedDocuments, warnings: list[str]) -> Iterator[Document]:
        left = _MOST_SEARCHED
        for each in shipped.documents:
            try:
                document = self._document(package, each)
            except PartNotFound as failure:
                warnings.append(failure.message)
                continue
            left -= len(document.text)
            if left < 0:
                warnings.append(f"only {_MOST_SEARCHED:,} characters of documents were searched")
                return
            yield document

    def _document(self, package: InstalledPackage, shipped: ShippedDocument) -> Document:
        read = read_document(package, shipped)
        text = read.text
        if shipped.markup == "rst" and self._rst_to_markdown:
            text = self._rst_to_markdown(text)
        if read.is_cut:
            text += f"\n\n(cut here: the file has {read.size:,} bytes)"
        fallback = package.name if shipped.kind == "readme" else shipped.part
        return Document(
            address=document_address(package.library, package.version, shipped.part),
            title=title_of(text, fallback),
            text=text,
            kind=shipped.kind,
            trust="installed",
            library=package.library,
            version=package.version,
        )


def _see(package: InstalledPackage) -> NextStep:
    arguments = {"library_id": str(package.library)}
    return NextStep("tool", "see which documents there are", "get_library_docs", arguments)


def _best(package: InstalledPackage, shipped: ShippedDocuments) -> ShippedDocument | None:
    skills = [each for each in shipped.documents if each.kind == "skill"]
    if len(skills) == 1:
        return skills[0]
    readme = next((each for each in shipped.documents if each.kind == "readme"), None)
    size = len(read_document(package, readme).text) if readme else 0
    if readme and size >= _SHORT_README:
        return readme
    indexes = [each for each in shipped.documents if each.kind == "index" or _is_index(each.part)]
    first = next(iter([*indexes, *skills]), None)
    return first or (readme if readme and size >= 80 else None)


def _is_index(part: str) -> bool:
    return part.lower() in ("docs/readme.md", "docs/index.md", "docs/index.mdx", "dist/docs/index.md", "docs/index.rst")


def _entries(package: InstalledPackage, shipped: ShippedDocuments) -> tuple[DocumentEntry, ...]:
    return tuple(
        DocumentEntry(document_address(package.library, package.version, each.part), each.part, each.kind)
        for each in shipped.documents
    )


def _declarations(package: InstalledPackage, part: str) -> Document:
    try:
        read = read_inside(package.folder, part)
    except FileRefused as refusal:
        raise PartNotFound(f"a file of `{package.library}` {package.version} was not read: {refusal}") from None
    cut = f"\n(cut here: the file has {read.size:,} bytes)" if read.is_cut else ""
    return Document(
        address=document_address(package.library, package.version, part),
        title=part,
        text=f"````ts\n{read.text}\n````{cut}",
        kind="api",
        trust="installed",
        library=package.library,
        version=package.version,
    )
