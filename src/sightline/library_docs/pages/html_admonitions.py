"""Notes and warnings as the documentation generators write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sightline.library_docs.pages.html_elements import Element, children_of, element_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_BOXES_WORDS = "admonition theme-admonition custom-block starlight-aside markdown-alert callout nextra-callout tip-box"
_BOXES = frozenset(_BOXES_WORDS.split())
_TITLES_WORDS = "admonition-title custom-block-title starlight-aside__title markdown-alert-title callout-title"
_TITLES = frozenset(_TITLES_WORDS.split())
_KINDS_WORDS = (
    "note tip hint info important warning caution danger error attention seealso todo success failure bug example "
    "abstract question quote deprecated"
)
_KINDS = frozenset(_KINDS_WORDS.split())
_KIND_IN_NAME = re.compile(r"(?:^|[-_])(" + "|".join(sorted(_KINDS)) + r")(?:$|[-_])")


def is_admonition(element: Element) -> bool:
    """Whether an element is a box with a note."""
    return not element.classes.isdisjoint(_BOXES) and element.tag in {"div", "aside", "section"}


def is_admonition_heading(node: LexborNode) -> bool:
    """Whether a child of the box is its title."""
    if not node.is_element_node:
        return False
    element = element_of(node)
    return not element.classes.isdisjoint(_TITLES) or any(
        name.startswith("admonitionHeading") for name in element.classes
    )


def admonition_title(element: Element) -> str:
    """The box's own title, else its kind."""
    for child in children_of(element.node):
        if is_admonition_heading(child) and (title := " ".join(child.text(deep=True, separator=" ").split())):
            return title.replace("*", "")
    for name in sorted(element.classes):
        if found := _KIND_IN_NAME.search(name):
            return found[1].capitalize()
    return "Note"
