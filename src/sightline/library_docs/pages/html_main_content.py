"""Where the documentation is on a page: known generators first, then what HTML itself says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_ENOUGH = 200
_SELECTORS = (
    "article.md-content__inner",  # Material for MkDocs
    ".theme-doc-markdown",  # Docusaurus
    ".vp-doc",  # VitePress
    ".sl-markdown-content",  # Starlight
    "article.bd-article",  # PyData
    "[itemprop=articleBody]",  # Read the Docs
    "main.pdoc",  # pdoc
    "div.col-content",  # TypeDoc
    "section#main-content",  # rustdoc
    "#content > main",  # mdBook
    "article main",  # Nextra
    "[role=main]",  # Sphinx, furo, MkDocs
    "main article",
    "main",
    "article",
    "div.body",
    "#main-content",
    "#content",
    "div.content",
)
_CODE_HOSTS = "article.markdown-body"


def main_content(tree: LexborHTMLParser) -> LexborNode | None:
    """The node that holds the documentation; the body where nothing else holds text."""
    fallback: LexborNode | None = None
    for selector in (_CODE_HOSTS, *_SELECTORS):
        found = tree.css(selector)
        if len(found) != 1 and selector in {"article", "main article"}:
            continue  # a list of several: what is around them belongs to it
        if not found:
            continue
        size = len(found[0].text(deep=True).strip())
        if size >= _ENOUGH:
            return found[0]
        if size and fallback is None:
            fallback = found[0]
    return fallback or tree.body
