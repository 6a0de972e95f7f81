"""What was fetched, as a document: Markdown stays, HTML and reStructuredText are converted, data is fenced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import unquote, urlsplit

from sightline.library_docs.fetching.fetched import Fetched
from sightline.library_docs.pages.html_code import fenced
from sightline.library_docs.pages.html_to_markdown import convert_html
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.pages.outline import outline_of
from sightline.library_docs.pages.rst_to_markdown import convert_rst
from sightline.library_docs.store.records import PageFinding

_LARGEST_DATA = 200_000
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown", "application/markdown", "application/x-markdown"})
_RST_TYPES = frozenset({"text/x-rst", "text/prs.fallenstein.rst", "text/restructuredtext"})
_DATA = {"json": "json", "yaml": "yaml", "x-yaml": "yaml", "toml": "toml", "xml": "xml", "csv": "csv"}
_BAD_DOUBTS = {"looks_like_not_found": "not_found", "looks_like_login": "login", "empty": "empty"}


class CleanedText(Protocol):
    """Text without hidden characters, and what was found in it; see `untrusted_text`."""

    @property
    def text(self) -> str: ...

    @property
    def findings(self) -> Sequence[CleanFinding]: ...


class CleanFinding(Protocol):
    """A finding of the cleaner."""

    @property
    def kind(self) -> str: ...

    @property
    def line(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def excerpt(self) -> str: ...


Clean = Callable[[str], CleanedText]


@dataclass(frozen=True, slots=True)
class Converted:
    """The text of a document in Markdown, its title, and what is suspicious about it."""

    text: str
    title: str
    findings: tuple[PageFinding, ...]


class NotADocument(Exception):
    """The answer is no documentation: a login, a page that says "not found", an empty shell, data.

    `verdict` is one word for it.
    """

    def __init__(self, url: str, verdict: str) -> None:
        super().__init__(f"no document at `{url}`: {verdict}")
        self.url = url
        self.verdict = verdict


def convert(fetched: Fetched, clean: Clean) -> Converted:
    """The document in an answer. Raises `NotADocument`. Takes a while for a large text."""
    markdown, title, hidden = _markdown(fetched)
    if not markdown.strip():
        raise NotADocument(fetched.url, "empty")
    cleaned = clean(markdown)
    text = normal_text(cleaned.text)
    findings = [PageFinding(str(one.kind), one.line, one.count, one.excerpt) for one in cleaned.findings]
    return Converted(text, clean(title or _title_of(text, fetched.final_url)).text, (*hidden, *findings))


def _markdown(fetched: Fetched) -> tuple[str, str, tuple[PageFinding, ...]]:
    kind = fetched.content_type.partition(";")[0].strip().lower()
    suffix = _suffix(fetched.final_url)
    if kind in {"text/html", "application/xhtml+xml"}:
        return _from_html(fetched)
    for doubt, verdict in _BAD_DOUBTS.items():
        if doubt in fetched.doubts:
            raise NotADocument(fetched.url, verdict)
    if kind in _RST_TYPES or (kind == "text/plain" and suffix == "rst"):
        return convert_rst(fetched.text), "", ()
    if kind in _MARKDOWN_TYPES or (kind == "text/plain" and suffix in {"", "md", "mdx", "markdown", "txt"}):
        return fetched.text, "", ()
    subtype = kind.partition("/")[2]
    language = _DATA.get(subtype.rpartition("+")[2] or subtype)
    if language or kind == "text/plain":
        return _data(fetched, language or suffix), "", ()
    raise NotADocument(fetched.url, f"unsupported type {kind or 'unknown'}")


def _from_html(fetched: Fetched) -> tuple[str, str, tuple[PageFinding, ...]]:
    page = convert_html(fetched.text, fetched.final_url)
    if page.verdict != "ok":
        raise NotADocument(fetched.url, page.verdict)
    sample = page.hidden_samples[0] if page.hidden_samples else ""
    hidden = (PageFinding("hidden_html", 0, page.hidden_elements, sample),) if page.hidden_elements else ()
    return page.markdown, page.title, hidden


def _data(fetched: Fetched, language: str) -> str:
    if len(fetched.text) > _LARGEST_DATA:
        raise NotADocument(fetched.url, f"{language or 'data'} of {len(fetched.text)} characters")
    return fenced(normal_text(fetched.text).rstrip("\n"), language)


def _title_of(text: str, url: str) -> str:
    headings = outline_of(text[:100_000])
    if headings:
        return min(headings[:20], key=lambda heading: heading.level).title
    return unquote(PurePosixPath(urlsplit(url).path).name) or urlsplit(url).netloc


def _suffix(url: str) -> str:
    return PurePosixPath(urlsplit(url).path).suffix.lstrip(".").lower()
