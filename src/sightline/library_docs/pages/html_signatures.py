"""Signatures in API pages: what is described, and how it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.library_docs.pages.html_elements import Element, element_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_DOMAINS = {
    "py": "python",
    "js": "javascript",
    "c": "c",
    "cpp": "cpp",
    "php": "php",
    "rst": "rst",
    "std": "",
    "rb": "ruby",
}
_FURNITURE = "a.headerlink, .viewcode-link, .headerlink, .viewcode-back, button, label, input, .view-source-button"


def is_object_list(element: Element) -> bool:
    """Whether a definition list describes objects, as Sphinx writes them."""
    if element.classes.isdisjoint(_DOMAINS) or "glossary" in element.classes:
        return False
    first = element.node.css_first("dt")
    return first is not None and (bool(first.attributes.get("id")) or "sig" in element_of(first).classes)


def signature_language(element: Element) -> str:
    """The language of a Sphinx domain."""
    return next((_DOMAINS[name] for name in sorted(element.classes) if name in _DOMAINS), "")


def signature_text(node: LexborNode) -> str:
    """A signature on one line; takes permalinks and buttons out of the tree."""
    for furniture in node.css(_FURNITURE):
        furniture.decompose()
    return " ".join(node.text(deep=True).replace("\u2192", "->").split())


def described_name(signature: Element, text: str) -> str:
    """The qualified name of what is described: the id that links use, else the text up to its arguments."""
    anchor = signature.get("id") or _section_id(signature)
    is_name = bool(anchor) and " " not in anchor and anchor.rsplit(".", maxsplit=1)[-1] in text
    name = anchor if is_name else text.partition("(")[0]
    return " ".join(name.split())[:200] or text[:80]


def _section_id(signature: Element) -> str:
    parent = signature.node.parent
    return (parent.attributes.get("id") or "") if parent is not None else ""
