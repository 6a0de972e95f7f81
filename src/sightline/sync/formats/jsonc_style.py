"""How a JSON file is written: line ends, indents, colons. Read off its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.sync.formats.json_text import JsonStyle
from sightline.sync.formats.jsonc_scanner import Document, Node
from sightline.sync.formats.splices import indent_of, line_ending, own_line_indent

_PLAIN_COLON = re.compile(r"[ \t]*:[ \t]*")


def style_of(document: Document, node: Node) -> JsonStyle:
    """The style of the members around a value, with defaults for what the text does not show."""
    colon = next((colon for colon in _colons(document, node)), ": ")
    comma = "," if colon == ":" else ", "
    unit = next(_units(document), "  ")
    return JsonStyle(line_ending(document.text), unit, colon, comma)


def _colons(document: Document, node: Node) -> Iterator[str]:
    """The last member's colon of this object, else of the root."""
    for each in (node, document.root):
        if each is not None and each.box is not None and each.keys:
            element, item = each.box.elements[-1], each.items[-1]
            key_end = element.start + len(_key_text(document.text, element.start))
            if _PLAIN_COLON.fullmatch(between := document.text[key_end : item.start]):
                yield between


def _key_text(text: str, start: int) -> str:
    at = start + 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return text[start : at + 1]


def _units(document: Document) -> Iterator[str]:
    """Each step of indentation that the text shows, outermost first."""
    waiting = [document.root] if document.root else []
    while waiting:
        node = waiting.pop(0)
        if node.box and node.items:
            outer = indent_of(document.text, node.start)
            inner = own_line_indent(document.text, node.box.elements[0].start)
            if inner and inner.startswith(outer) and len(inner) > len(outer):
                yield inner[len(outer) :]
        waiting += [item for item in node.items if item.box]
