"""HTML pages of documentation as Markdown, without the furniture around it.

The text is written for readers who see it as it stands. What the page hides is left out and reported, and a page that
is no documentation (a login, a soft 404, an empty shell) gets a verdict that says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from sightline.library_docs.pages.html_blocks import BlockWriter
from sightline.library_docs.pages.html_inline import InlineWriter, one_line
from sightline.library_docs.pages.html_main_content import main_content
from sightline.library_docs.pages.html_parsing import HtmlTooTangled, parse_html
from sightline.library_docs.pages.html_verdicts import Verdict, judge

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_TITLE_TAIL = re.compile("\\s+[|·•\u2014\u2013-]\\s+[^|·•\u2014\u2013]*$|\\s*¶$")
_TOP_HEADING = re.compile(r"^# ", re.MULTILINE)
_LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class ConvertedPage:
    """A page as Markdown; `hidden_elements` counts what readers of the page could not see and is left out here."""

    markdown: str
    title: str
    verdict: Verdict
    hidden_elements: int = 0
    hidden_samples: tuple[str, ...] = ()


def convert_html(html: str, base_url: str = "") -> ConvertedPage:
    """The page as Markdown with links made absolute; never raises."""
    try:
        tree = parse_html(html)
    except HtmlTooTangled:
        return ConvertedPage("", "", "malformed")
    inline = InlineWriter(_base_of(tree, base_url))
    whole_title = _title_of(tree)
    title = (_TITLE_TAIL.sub("", whole_title) or whole_title)[:_LONGEST_TITLE]
    main = main_content(tree)
    heading = None if main is None else _heading_outside(tree, main)
    blocks = [] if main is None else BlockWriter(inline).children(main, 0)
    markdown = "\n\n".join(blocks)
    if heading and not _TOP_HEADING.search(markdown):
        markdown = f"# {heading}\n\n{markdown}"
    hidden = inline.hidden
    return ConvertedPage(
        f"{markdown}\n" if markdown else "",
        title or heading or _first_heading(markdown),
        judge(tree, whole_title, markdown),
        hidden.count,
        tuple(hidden.samples),
    )


def _base_of(tree: LexborHTMLParser, base_url: str) -> str:
    base = tree.css_first("base[href]")
    try:
        return urljoin(base_url, base.attributes.get("href") or "") if base else base_url
    except ValueError:
        return base_url


def _title_of(tree: LexborHTMLParser) -> str:
    node = tree.css_first("head title") or tree.css_first("title")
    title = one_line(node.text(deep=True)) if node else ""
    return title[: 2 * _LONGEST_TITLE]


def _heading_outside(tree: LexborHTMLParser, main: LexborNode) -> str | None:
    """The page's only first heading, which some themes put beside the content."""
    headings = tree.css("h1")
    if len(headings) != 1 or main.css_first("h1"):
        return None
    return one_line(headings[0].text(deep=True)).rstrip("¶#").strip() or None


def _first_heading(markdown: str) -> str:
    first = markdown.split("\n", 1)[0]
    return first.lstrip("# ")[:_LONGEST_TITLE] if first.startswith("#") else ""
