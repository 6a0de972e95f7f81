"""Tabs as the documentation generators write them: a list of labels, and a panel for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.library_docs.pages.html_elements import Element, element_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LISTS = frozenset({"tabbed-labels", "sphinx-tabs-list"})
_PANELS = frozenset({"tabbed-block", "sphinx-tabs-panel"})


def is_tab_list(element: Element) -> bool:
    """Whether an element holds the labels of tabs."""
    if element.get("role") == "tablist" or not element.classes.isdisjoint(_LISTS):
        return True
    return "tabs" in element.classes and _parent_has(element.node, "vp-code-group")


def is_tab_panel(element: Element) -> bool:
    """Whether an element is the content of one tab."""
    if element.get("role") == "tabpanel" or not element.classes.isdisjoint(_PANELS):
        return True
    parent = element.node.parent
    return bool(parent and _parent_has(parent, "vp-code-group") and "blocks" in element_of(parent).classes)


def tab_labels(node: LexborNode) -> list[str]:
    """The labels in a list of tabs."""
    labels = node.css("[role=tab], label")
    return [" ".join(label.text(deep=True, separator=" ").split()) for label in labels]


def _parent_has(node: LexborNode, name: str) -> bool:
    parent = node.parent
    return parent is not None and name in (parent.attributes.get("class") or "").split()
