"""Inline nodes of a docutils tree as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from sightline.library_docs.pages.html_code import inline_code
from sightline.library_docs.pages.html_inline import absolute_link

if TYPE_CHECKING:
    from docutils.nodes import Node

_ROLE = re.compile(r":[\w:+.-]+:`([^`]*)`(?!`)|`([^`]*)`:[\w:+.-]+:|(``?)([^`]+)\3(?:__?)?", re.DOTALL)
_TITLE_AND_TARGET = re.compile(r"(.*?)\s*<([^<>]*)>$", re.DOTALL)
_MARKS = {"strong": "**", "emphasis": "*", "title_reference": "*"}


def inline_text(node: Node) -> str:
    """Everything under a node as inline Markdown."""
    name = type(node).__name__
    if name == "Text":
        return re.sub(r"\s+", " ", node.astext())
    if name in {"literal", "math"}:
        text = " ".join(node.astext().split())
        return inline_code(text) if name == "literal" else f"${text}$"
    if name == "image":
        alt = " ".join(str(cast("Any", node).get("alt", "")).split())
        return f"[image: {alt}]" if alt else ""
    if name == "problematic":
        return without_roles(node.astext())
    return "" if name in {"system_message", "target", "raw"} else _marked(name, node)


def without_roles(source: str) -> str:
    """Inline markup that docutils did not know, as text: `:class:`~a.B`` becomes `B` in code."""
    return _ROLE.sub(lambda found: _role_text(next(filter(None, (found[1], found[2], found[4])), "")), source)


def _marked(name: str, node: Node) -> str:
    text = "".join(map(inline_text, cast("Any", node).children))
    if name in {"footnote_reference", "citation_reference"}:
        return f"[{text}]"
    if mark := _MARKS.get(name):
        return f"{mark}{text.strip()}{mark}" if text.strip() else ""
    if name == "reference":
        target = absolute_link("", str(cast("Any", node).get("refuri", "")))
        shown = re.sub(r"^\[image: (.*)\]$", r"\1", text.strip())
        return shown if target is None or not shown or shown == target else f"[{shown}]({target})"
    return text


def _role_text(content: str) -> str:
    titled = _TITLE_AND_TARGET.match(content)
    if titled and titled[1]:
        return titled[1]
    return inline_code(content.rpartition(".")[2] if content.startswith("~") else content.lstrip("!"))
