"""Block HTML as Markdown: each method takes an element and returns the blocks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sightline.library_docs.pages.html_admonitions import admonition_title, is_admonition, is_admonition_heading
from sightline.library_docs.pages.html_code import code_text, fenced, language_of
from sightline.library_docs.pages.html_elements import INLINE_TAGS, Element, children_of, element_of, holds_blocks
from sightline.library_docs.pages.html_inline import DEEPEST, InlineWriter, one_line, tidy
from sightline.library_docs.pages.html_math import formula_of
from sightline.library_docs.pages.html_signatures import (
    described_name,
    is_object_list,
    signature_language,
    signature_text,
)
from sightline.library_docs.pages.html_tables import table_blocks
from sightline.library_docs.pages.html_tabs import is_tab_list, is_tab_panel, tab_labels
from sightline.library_docs.pages.markdown_text import indented, quoted

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# A list is two levels to a Markdown parser, and 20 levels are usual as a limit.
_MOST_INDENTS = 8
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SIGNATURES = frozenset({"tsd-signature", "tsd-signatures"})


class BlockWriter:
    """Writes the blocks of a page; remembers the level of the last heading and the labels of open tabs."""

    def __init__(self, inline: InlineWriter) -> None:
        self._inline = inline
        self._level = 0
        self._indents = 0
        self._labels: list[deque[str]] = []
        self._by_tag: dict[str, Callable[[Element, int], list[str]]] = {
            "pre": self._code,
            "table": self._table,
            "ul": self._list,
            "ol": self._list,
            "menu": self._list,
            "dl": self._definitions,
            "blockquote": self._quotation,
            "details": self._details,
            "hr": lambda _element, _depth: ["***"],
            **dict.fromkeys(_HEADINGS, self._heading),
        }

    def children(self, node: LexborNode, depth: int) -> list[str]:
        """The blocks of everything under a node; runs of inline text become paragraphs."""
        if depth > DEEPEST:
            return _paragraph(one_line(node.text(deep=True, separator=" ")))
        return self._sequence(children_of(node), depth)

    def _sequence(self, nodes: Iterable[LexborNode], depth: int) -> list[str]:
        blocks: list[str] = []
        run: list[str] = []
        for child in nodes:
            if self._is_inline(child):
                run.append(self._inline.piece(child, depth))
                continue
            if run:
                blocks += _paragraph("".join(run))
                run.clear()
            blocks += self._block(child, depth)
        return blocks + _paragraph("".join(run)) if run else blocks

    def _is_inline(self, node: LexborNode) -> bool:
        if node.is_text_node:
            return True
        tag = node.tag or ""
        if tag not in INLINE_TAGS:
            return False
        if tag == "label":
            return "sd-tab-label" not in element_of(node).classes
        if tag == "a":
            return node.css_first("pre, table, ul, ol, dl") is None
        return not (node.child and holds_blocks(node))

    def _block(self, node: LexborNode, depth: int) -> list[str]:
        if depth > DEEPEST:
            return _paragraph(one_line(node.text(deep=True, separator=" ")))
        element = element_of(node)
        if (formula := formula_of(element)) is not None:
            return _paragraph(formula)
        if self._inline.is_left_out(element):
            return []
        if write := self._by_tag.get(element.tag):
            return write(element, depth)
        if is_admonition(element):
            return self._admonition(element, depth)
        return self._container(element, depth)

    def _container(self, element: Element, depth: int) -> list[str]:
        node, classes = element.node, element.classes
        if is_tab_list(element):
            self._labels.append(deque(tab_labels(node)))
            return []
        if is_tab_panel(element):
            return [*self._next_label(), *self.children(node, depth + 1)]
        if "sd-tab-label" in classes or element.tag == "figcaption" or "code-block-caption" in classes:
            return _bold(self._inline.children(node, depth))
        if not classes.isdisjoint(_SIGNATURES):
            return _code_block(signature_text(node), "typescript")
        if "attr" in classes and not classes.isdisjoint({"function", "class", "variable"}):
            return self._described([element], depth)
        return self.children(node, depth + 1)

    def _next_label(self) -> list[str]:
        while self._labels and not self._labels[-1]:
            self._labels.pop()
        return _bold(self._labels[-1].popleft()) if self._labels else []

    def _heading(self, element: Element, depth: int) -> list[str]:
        level = _HEADINGS[element.tag]
        text = one_line(self._inline.children(element.node, depth, in_link=True)).rstrip("#").rstrip()
        if not text:
            return []
        self._level = level
        return [f"{'#' * level} {text}"]

    def _code(self, element: Element, depth: int) -> list[str]:
        return _code_block(code_text(element.node), language_of(element.node))

    def _table(self, element: Element, depth: int) -> list[str]:
        return table_blocks(element.node, lambda cell: self.children(cell, depth + 3))

    def _quotation(self, element: Element, depth: int) -> list[str]:
        return self._indented(lambda: self.children(element.node, depth + 1), quoted)

    def _admonition(self, element: Element, depth: int) -> list[str]:
        title = admonition_title(element)

        def blocks() -> list[str]:
            inner = [child for child in children_of(element.node) if not is_admonition_heading(child)]
            body = self._sequence(inner, depth + 1)
            return [f"**{title}**", *body] if body else []

        return self._indented(blocks, quoted)

    def _any(self, node: LexborNode, depth: int) -> list[str]:
        return _paragraph(self._inline.piece(node, depth)) if self._is_inline(node) else self._block(node, depth)

    def _details(self, element: Element, depth: int) -> list[str]:
        children = list(children_of(element.node))
        summary = next((child for child in children if child.tag == "summary"), None)
        title: list[str] = []
        if summary is not None and not self._inline.is_left_out(element_of(summary)):
            is_more = holds_blocks(summary)
            title = self.children(summary, depth + 1) if is_more else _bold(self._inline.children(summary, depth))
        return title + self._sequence((child for child in children if child.tag != "summary"), depth + 1)

    def _list(self, element: Element, depth: int) -> list[str]:
        if element.get("role") == "tablist":
            return self._container(element, depth)
        number = _start(element) if element.tag == "ol" else None
        items: list[str] = []
        is_tight = True
        for child in children_of(element.node):
            blocks = self._indented(lambda child=child: self._item(child, depth), None)
            if not blocks:
                continue
            marker = "- " if number is None else f"{number}. "
            number = None if number is None else number + 1
            is_tight = is_tight and (len(blocks) == 1 or (len(blocks) == 2 and _may_follow(blocks[1])))
            items.append(self._marked(marker, ("\n" if is_tight else "\n\n").join(blocks)))
        return [("\n" if is_tight else "\n\n").join(items)] if items else []

    def _item(self, node: LexborNode, depth: int) -> list[str]:
        return self.children(node, depth + 1) if node.tag == "li" else self._any(node, depth + 1)

    def _marked(self, marker: str, text: str) -> str:
        return text if self._indents >= _MOST_INDENTS else marker + indented(text, len(marker))

    def _definitions(self, element: Element, depth: int) -> list[str]:
        if is_object_list(element):
            return self._objects(element, depth)
        items: list[str] = []
        for terms, bodies in _definition_groups(element.node):
            term = ", ".join(filter(None, (one_line(self._inline.children(one, depth + 1)) for one in terms)))
            body = self._indented(lambda bodies=bodies: self._bodies(bodies, depth), None)
            items += self._definition(term, body)
        return ["\n\n".join(items)] if items else []

    def _bodies(self, bodies: Iterable[LexborNode], depth: int) -> list[str]:
        return [block for body in bodies for block in self.children(body, depth + 2)]

    def _definition(self, term: str, body: list[str]) -> list[str]:
        title = term if term.startswith(("**", "`", "[")) or not term else f"**{term}**"
        if not title and not body:
            return []
        if title and len(body) == 1 and "\n" not in body[0] and not body[0].startswith(("#", "-", ">", "`", "|", "*")):
            return [self._marked("- ", f"{title}: {body[0]}")]
        return [self._marked("- ", "\n\n".join([title, *body] if title else body))]

    def _objects(self, element: Element, depth: int) -> list[str]:
        """Sphinx describes functions and classes in definition lists: each becomes a section of its own."""
        blocks: list[str] = []
        for terms, bodies in _definition_groups(element.node):
            level = self._level
            blocks += self._described([element_of(term) for term in terms], depth, signature_language(element))
            blocks += self._bodies(bodies, depth)
            self._level = level
        return blocks

    def _described(self, signatures: list[Element], depth: int, language: str = "python") -> list[str]:
        texts = [text for one in signatures if (text := signature_text(one.node))]
        if not texts:
            return []
        self._level = min(self._level + 1, 6)
        heading = f"{'#' * self._level} {described_name(signatures[0], texts[0])}"
        return [heading, *_code_block("\n".join(texts), language)]

    def _indented(self, write: Callable[[], list[str]], wrap: Callable[[str], str] | None) -> list[str]:
        """What is written one level further in; beyond the deepest level nothing is moved further."""
        self._indents += 1
        blocks = write()
        self._indents -= 1
        if wrap is None or not blocks or self._indents >= _MOST_INDENTS:
            return blocks
        return [wrap("\n\n".join(blocks))]


def _paragraph(text: str) -> list[str]:
    text = tidy(text)
    return [text] if text else []


def _bold(text: str) -> list[str]:
    text = one_line(text)
    return [f"**{text}**" if "**" not in text else text] if text else []


def _code_block(code: str, language: str) -> list[str]:
    return [fenced(code, language)] if code else []


def _may_follow(block: str) -> bool:
    """Whether a list may stand right under a line of text: one that starts with another number than 1 may not."""
    return block.startswith(("- ", "1. "))


def _start(element: Element) -> int:
    start = element.get("start")
    return int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1


def _definition_groups(node: LexborNode) -> list[tuple[list[LexborNode], list[LexborNode]]]:
    groups: list[tuple[list[LexborNode], list[LexborNode]]] = []
    for child in _definition_parts(node):
        if child.tag == "dt":
            if not groups or groups[-1][1]:
                groups.append(([], []))
            groups[-1][0].append(child)
        else:
            if not groups:
                groups.append(([], []))
            groups[-1][1].append(child)
    return groups


def _definition_parts(node: LexborNode) -> Iterable[LexborNode]:
    for child in children_of(node):
        if child.tag == "div":
            yield from (part for part in children_of(child) if part.tag in {"dt", "dd"})
        elif child.is_element_node:
            yield child
