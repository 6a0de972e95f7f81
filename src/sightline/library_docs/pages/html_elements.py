"""An element as the converter looks at it: tag, attributes and classes, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INLINE_TAGS_WORDS = (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark math mjx-container "
    "nobr output picture q rp rt ruby s samp small span strike strong sub sup time tt u var wbr"
)
INLINE_TAGS = frozenset(_INLINE_TAGS_WORDS.split())
_ALWAYS_BLOCKS_WORDS = (
    "address article aside blockquote details div dl figure h1 h2 h3 h4 h5 h6 hr main ol p pre section table ul"
)
_ALWAYS_BLOCKS = frozenset(_ALWAYS_BLOCKS_WORDS.split())
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Element:
    """A node of the tree with what is asked for again and again."""

    node: LexborNode
    tag: str
    attributes: dict[str, str | None]
    classes: frozenset[str]

    def get(self, name: str) -> str:
        return self.attributes.get(name) or ""


def element_of(node: LexborNode) -> Element:
    """The element at a node."""
    attributes = node.attributes
    classes = attributes.get("class")
    return Element(node, node.tag or "", attributes, frozenset(classes.split()) if classes else _NOTHING)


def children_of(node: LexborNode) -> Iterator[LexborNode]:
    """Elements and texts directly under a node, without comments."""
    child = node.child
    while child is not None:
        if child.is_element_node or child.is_text_node:
            yield child
        child = child.next


def holds_blocks(node: LexborNode, depth: int = 3) -> bool:
    """Whether an inline element wraps what stands on lines of its own."""
    for child in children_of(node):
        tag = child.tag
        if tag in _ALWAYS_BLOCKS or (depth and tag in INLINE_TAGS and child.child and holds_blocks(child, depth - 1)):
            return True
    return False
