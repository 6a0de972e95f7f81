"""The readers of APIs, made when first needed and kept: griffe and the scanner are slow to load and to fill."""

from __future__ import annotations

import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.library_docs.documents import Document
from sightline.library_docs.installed.package_addresses import document_address
from sightline.library_docs.installed.packages import InstalledPackage, PartNotFound

if TYPE_CHECKING:
    from sightline.library_docs.installed.dead_branches import Running
    from sightline.library_docs.installed.passages import Passage
    from sightline.library_docs.installed.python_api import Outline, PythonApi
    from sightline.library_docs.installed.type_declarations import TypeDeclarations

_MOST_READERS = 12
_NAME = re.compile(r"[A-Za-z_$@][\w$.:/@-]*")
_TELLING = re.compile(r"[._:]|[a-z][A-Z]|^[A-Z]")
_LONGEST_EXACT = 6_000
_MENTIONED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+)+|[A-Za-z_$]*[a-z\d_$][A-Z_][\w$]*|[A-Z][a-z]\w+[A-Z]\w*")
_MOST_MENTIONED = 3
_PASSAGES_S = 5.0


class ApiReaders:
    """Readers by search path (Python) and by root (npm), for use from several threads."""

    def __init__(self, root: Path, clock: Callable[[], float], standard_library: Path | None = None) -> None:
        self._clock = clock
        self._root = root
        self._standard_library = standard_library
        self._python: OrderedDict[tuple[Path, ...], PythonApi] = OrderedDict()
        self._types: TypeDeclarations | None = None
        self._lock = threading.Lock()

    def outline(self, package: InstalledPackage) -> Outline:
        with self._lock:
            return self._reader(package).outline(package)

    def document(self, package: InstalledPackage, name: str) -> Document:
        """The page of an object; raises `PartNotFound`."""
        with self._lock:
            return self._reader(package).document(package, name)

    def outline_document(self, package: InstalledPackage) -> Document:
        """The outline as a page."""
        outline = self.outline(package)
        parts = [f"# API of `{package.name}` {package.version}", package.summary]
        parts.append("\n".join(map(str, outline.entries)) or "No public names were found.")
        if outline.modules:
            parts.append("Not looked into: " + ", ".join(f"`{name}`" for name in outline.modules[:200]))
        parts.extend(f"Note: {warning}" for warning in outline.warnings)
        return Document(
            address=document_address(package.library, package.version, "api"),
            title=f"API of {package.name}",
            text="\n\n".join(part for part in parts if part),
            kind="api",
            trust="installed",
            library=package.library,
            version=package.version,
        )

    def exact(self, package: InstalledPackage, topic: str) -> Passage | None:
        """The object whose name the topic is, as a passage."""
        from sightline.library_docs.installed.passages import Passage

        name = topic.strip().removesuffix("()")
        if not _NAME.fullmatch(name) or len(name) > 300:
            return None
        try:
            document = self._named(package, name)
        except PartNotFound:
            return None
        text = document.text
        return Passage(
            document.address, document.title, document.title, 1, text[:_LONGEST_EXACT], "api", 1_000.0,
            len(text) > _LONGEST_EXACT,
        )  # fmt: skip

    def is_found(self, package: InstalledPackage, topic: str) -> bool | None:
        """Whether the package has the name that a topic is; None if the topic is none.

        Raises `PartNotFound` with `unseen` where it cannot be told.
        """
        name = topic.strip().removesuffix("()")
        if _NAME.fullmatch(name) is None or _TELLING.search(name) is None:
            return None
        try:
            self.document(package, name)
        except PartNotFound as missing:
            if missing.unseen:
                raise
            return False if self.outline(package).entries else None
        return True

    def mentioned(self, package: InstalledPackage, topic: str) -> list[Passage]:
        """The objects that a sentence names; of a name that does not exist, what it would be part of."""
        found: list[Passage] = []
        for word in _MENTIONED.findall(topic)[:_MOST_MENTIONED]:
            passage = self.exact(package, word)
            if passage is None and "." in word:
                passage = self.exact(package, word.rpartition(".")[0])
            if passage and passage not in found:
                found.append(passage)
        return found

    def passages(self, package: InstalledPackage, topic: str) -> tuple[list[Passage], bool]:
        """Passages of the API that may fit a topic, and whether time ran out before all were seen."""
        from sightline.library_docs.installed.api_passages import declared_passages, python_passages

        with self._lock:
            if package.library.ecosystem == "npm":
                return list(declared_passages(self._type_reader(), package)), False
            until = self._clock() + _PASSAGES_S
            reader = self._python_reader(package)
            found = list(python_passages(reader, package, topic, lambda: self._clock() > until))
            return found, self._clock() > until

    def _named(self, package: InstalledPackage, name: str) -> Document:
        """A plain word is taken for a name only if the package offers it at the top."""
        if package.library.ecosystem == "npm" or _TELLING.search(name):
            return self.document(package, name)
        with self._lock:
            reader = self._python_reader(package)
            return reader.document_at_top(package, name)

    def _reader(self, package: InstalledPackage) -> PythonApi | TypeDeclarations:
        return self._type_reader() if package.library.ecosystem == "npm" else self._python_reader(package)

    def _type_reader(self) -> TypeDeclarations:
        from sightline.library_docs.installed.type_declarations import TypeDeclarations

        if self._types is None:
            self._types = TypeDeclarations(self._root)
        return self._types

    def _running(self) -> Running | None:
        """The interpreter, as the name of its standard library's folder tells; on Windows it does not."""
        from sightline.library_docs.installed.dead_branches import Running

        found = re.fullmatch(r"python(\d+)\.(\d+)", self._standard_library.name) if self._standard_library else None
        return Running((int(found[1]), int(found[2])), sys.platform) if found else None

    def _python_reader(self, package: InstalledPackage) -> PythonApi:
        from sightline.library_docs.installed.python_api import PythonApi

        path = package.search_path
        if self._standard_library and self._standard_library not in path:
            path = (*path, self._standard_library)
        reader = self._python.get(path)
        if reader is None:
            reader = self._python[path] = PythonApi(path, self._clock, self._running())
        self._python.move_to_end(path)
        if len(self._python) > _MOST_READERS:
            self._python.popitem(last=False)
        reader.begin_question()
        return reader
