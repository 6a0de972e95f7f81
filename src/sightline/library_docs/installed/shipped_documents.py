"""Which files of a package are documentation for its users, and reading them.

README, guides under `docs`, skills, changelogs and `llms.txt` count. Licences, tests and what is addressed to
contributors do not. Everything is bounded, and what a bound left out is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sightline.library_docs.documents import Kind
from sightline.library_docs.installed.contained_files import FileRefused, FileText, Walk, read_inside, real_path_inside
from sightline.library_docs.installed.packages import InstalledPackage, Markup, PartNotFound

MOST_DOCUMENTS = 1_000
_TEXT = re.compile(r"\.(?:md|mdx|markdown|rst)$", re.IGNORECASE)
_README = re.compile(r"readme(?:\.(?:md|mdx|markdown|rst|txt))?$", re.IGNORECASE)
_CHANGES = re.compile(r"(?:changelog|history|changes|release[-_]?notes|news)(?:\.(?:md|rst|txt))?$", re.IGNORECASE)
_INDEX = re.compile(r"llms[\w.-]*\.txt$", re.IGNORECASE)
_FOR_OTHERS = re.compile(
    r"(?:agents|claude|gemini|contributing|contributors|code[-_]of[-_]conduct|security|licen[cs]e|copying|notice|authors|"
    r"governance|maintainers|funding|sponsors|project[-_]charter|support|third[-_ ]?party.*|copilot-instructions)\b.*",
    re.IGNORECASE,
)
_GUIDES = frozenset({"docs", "doc", "documentation", "guides"})
_SKILLS = frozenset({"skills"})
_NOT_ENTERED = frozenset(
    {"test", "tests", "testing", "__tests__", "node_modules", "licenses", "locale", "__pycache__", "_vendor", ".git",
     "vendor", "vendored", ".github", "i18n"}
)  # fmt: skip
_PLACES = ("docs", "doc", "documentation", "dist/docs", "skills", ".agents", "dist/skills")


@dataclass(frozen=True, slots=True)
class ShippedDocument:
    """A document by its part of the package's address; `path` is its name in the folder, None for metadata's README."""

    part: str
    kind: Kind
    markup: Markup
    path: str | None


@dataclass(frozen=True, slots=True)
class ShippedDocuments:
    """The documents of a package, the README first, and what was left out."""

    documents: tuple[ShippedDocument, ...]
    warnings: tuple[str, ...] = ()

    def find(self, part: str) -> ShippedDocument | None:
        return next((document for document in self.documents if document.part == part), None)


def list_documents(package: InstalledPackage) -> ShippedDocuments:
    """The documents that a package ships, without opening them."""
    walk = Walk(package.folder)
    names = _candidates(package, walk)
    found = {document.part: document for document in map(_document, names) if document}
    warnings = [f"only {walk.most:,} files of the package were looked at"] if walk.is_cut else []
    readme = _metadata_readme(package)
    if readme:
        found = {part: each for part, each in found.items() if not (each.kind == "readme" and "/" not in part)}
        found[readme.part] = readme
    kept, outside = _inside_only(package, sorted(found.values(), key=_order))
    if outside:
        warnings.append(f"left out: {outside} documents that are links out of the package")
    if len(kept) > MOST_DOCUMENTS:
        warnings.append(f"{len(found):,} documents; only the first {MOST_DOCUMENTS:,} are listed")
    return ShippedDocuments(tuple(kept[:MOST_DOCUMENTS]), tuple(warnings))


def read_document(package: InstalledPackage, document: ShippedDocument) -> FileText:
    """The text of a document as it was shipped; raises `PartNotFound`."""
    if document.path is None:
        return FileText(package.readme, len(package.readme))
    try:
        return read_inside(package.folder, document.path)
    except FileRefused as refusal:
        raise PartNotFound(f"a document of `{package.library}` {package.version} was not read: {refusal}") from None


def title_of(text: str, fallback: str) -> str:
    """The first heading of a text, or the name of its file."""
    for line in text[:4_000].split("\n"):
        if found := re.match(r" {0,3}# +(.+?)(?: +#+)? *$", line) or re.match(r"title: *['\"]?(.+?)['\"]? *$", line):
            plain = re.sub(r"<[^>]{0,300}>|!\[[^\]]{0,200}\]\([^)]{0,300}\)", "", found[1])
            return re.sub(r"\[\s*\]\([^)]{0,300}\)", "", plain).strip()[:200] or fallback
    return fallback


def _candidates(package: InstalledPackage, walk: Walk) -> Iterable[str]:
    """Names in the package's folder, either from the record of the installation or by looking."""
    if package.files is not None:
        return [name for name in package.files if _could_be_document(name)]
    if package.library.ecosystem == "npm" or package.is_editable:
        return [*_top_files(walk), *(name for place in _PLACES for name in walk.files(place, skipped=_NOT_ENTERED))]
    places = [name for name in package.import_names if name.isidentifier()]
    return [name for place in places for name in walk.files(place, skipped=_NOT_ENTERED) if _could_be_document(name)]


def _top_files(walk: Walk) -> Iterator[str]:
    for name in walk.top_files():
        if _could_be_document(name):
            yield name


def _could_be_document(name: str) -> bool:
    file = name.rpartition("/")[2]
    return bool(_TEXT.search(file) or _INDEX.match(file) or _README.match(file) or _CHANGES.match(file))


def _document(name: str) -> ShippedDocument | None:
    *folders, file = name.split("/")
    if any(folder in _NOT_ENTERED or folder.endswith((".dist-info", ".egg-info")) for folder in folders):
        return None
    if any(folder.startswith(".") and folder != ".agents" for folder in folders) or _FOR_OTHERS.fullmatch(file):
        return None
    kind = _kind(folders, file)
    if kind is None:
        return None
    return ShippedDocument(name, kind, "rst" if file.lower().endswith(".rst") else "markdown", name)


def _kind(folders: list[str], file: str) -> Kind | None:
    if _INDEX.match(file):
        return "index"
    lowered = [folder.lower() for folder in folders]
    if _SKILLS.intersection(lowered) and _TEXT.search(file):
        return "skill" if file.upper() == "SKILL.MD" else "guide"
    if _GUIDES.intersection(lowered) and _TEXT.search(file):
        return "guide"
    return _kind_at_top(folders, file) if len(folders) <= 1 else None


def _kind_at_top(folders: list[str], file: str) -> Kind | None:
    if _README.match(file):
        return "readme"
    if _CHANGES.match(file):
        return "changelog"
    return "guide" if not folders and _TEXT.search(file) else None


def _metadata_readme(package: InstalledPackage) -> ShippedDocument | None:
    if not package.readme.strip():
        return None
    ending = {"markdown": "md", "rst": "rst", "plain": "txt"}[package.readme_markup]
    return ShippedDocument(f"README.{ending}", "readme", package.readme_markup, None)


def _inside_only(package: InstalledPackage, documents: list[ShippedDocument]) -> tuple[list[ShippedDocument], int]:
    """The documents that really lie in the package, and how many do not."""
    kept: list[ShippedDocument] = []
    outside = 0
    for document in documents:
        try:
            if document.path is not None:
                real_path_inside(package.folder, document.path)
        except FileRefused:
            outside += 1
        else:
            kept.append(document)
        if len(kept) > MOST_DOCUMENTS:  # one more than is listed tells that some are left out
            break
    return kept, outside


_RANKS: dict[Kind, int] = {"readme": 0, "index": 1, "skill": 2, "guide": 3, "page": 4, "api": 5, "changelog": 6}


def _order(document: ShippedDocument) -> tuple[int, int, str]:
    return _RANKS[document.kind], document.part.count("/") if document.kind == "readme" else 0, document.part
