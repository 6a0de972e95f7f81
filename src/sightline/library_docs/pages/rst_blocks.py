"""A docutils tree as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from sightline.library_docs.pages.html_code import fenced
from sightline.library_docs.pages.html_inline import tidy
from sightline.library_docs.pages.markdown_tables import TableCell, table_of
from sightline.library_docs.pages.markdown_text import indented, quoted
from sightline.library_docs.pages.rst_directives import unknown_directive
from sightline.library_docs.pages.rst_inline import inline_text

if TYPE_CHECKING:
    from docutils.nodes import Node

_ADMONITIONS = frozenset(["attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"])
_TRANSPARENT = frozenset(
    {"document", "compound", "container", "block_quote_body", "decoration", "topic", "sidebar", "figure"}
)
_DROPPED = frozenset(
    {"comment", "target", "substitution_definition", "pending", "meta", "footer", "header", "transition_mark", "raw"}
)
_UNSAFE_LANGUAGE = re.compile(r"[^\w+#.-]")


class RstWriter:
    """Writes the blocks of a tree; `convert` turns the text inside an unknown directive into Markdown."""

    def __init__(self, convert: Callable[[str], str | None]) -> None:
        self._convert = convert

    def document(self, document: Node) -> str:
        """The whole tree."""
        return "\n\n".join(self._children(document, 0))

    def _children(self, node: Node, level: int) -> list[str]:
        return [block for child in _children(node) for block in self._block(child, level)]

    def _block(self, node: Node, level: int) -> list[str]:
        name = type(node).__name__
        if name in _DROPPED or "contents" in _classes(node):
            return []
        if name in _ADMONITIONS or name == "admonition":
            return self._admonition(node, name, level)
        write = getattr(self, f"_{name}", None)
        if write is not None:
            return cast("list[str]", write(node, level))
        if name in _TRANSPARENT or _has_blocks(node):
            return self._children(node, level)
        text = tidy(inline_text(node))
        return [text] if text else []

    def _section(self, node: Node, level: int) -> list[str]:
        return self._children(node, level + 1)

    def _title(self, node: Node, level: int) -> list[str]:
        text = " ".join(inline_text(node).split())
        return [f"{'#' * min(max(level, 1), 6)} {text}"] if text else []

    def _subtitle(self, node: Node, level: int) -> list[str]:
        return self._rubric(node, level)

    def _rubric(self, node: Node, _level: int) -> list[str]:
        text = " ".join(inline_text(node).split())
        return [f"**{text}**"] if text else []

    def _literal_block(self, node: Node, _level: int) -> list[str]:
        classes = [name for name in _classes(node) if name not in {"code", "literal-block"}]
        language = str(cast("Any", node).get("language") or (classes[0] if classes else ""))
        return [fenced(node.astext().rstrip("\n"), _UNSAFE_LANGUAGE.sub("", language))]

    def _doctest_block(self, node: Node, _level: int) -> list[str]:
        return [fenced(node.astext().rstrip("\n"), "pycon")]

    def _math_block(self, node: Node, _level: int) -> list[str]:
        return [f"$$\n{node.astext().strip()}\n$$"]

    def _transition(self, _node: Node, _level: int) -> list[str]:
        return ["***"]

    def _bullet_list(self, node: Node, level: int) -> list[str]:
        return self._items(node, level, lambda _number: "- ")

    def _enumerated_list(self, node: Node, level: int) -> list[str]:
        start = int(cast("Any", node).get("start", 1))
        return self._items(node, level, lambda number: f"{start + number}. ")

    def _items(self, node: Node, level: int, marker: Callable[[int], str]) -> list[str]:
        items = [self._children(item, level) for item in _children(node)]
        is_tight = all(len(blocks) <= 1 for blocks in items)
        shown = [
            marker(number) + indented("\n\n".join(blocks), len(marker(number)))
            for number, blocks in enumerate(items)
            if blocks
        ]
        return [("\n" if is_tight else "\n\n").join(shown)] if shown else []

    def _definition_list(self, node: Node, level: int) -> list[str]:
        return _entries(self._definition(item, level) for item in _children(node))

    def _definition(self, item: Node, level: int) -> tuple[str, list[str]]:
        parts = list(_children(item))
        terms = [inline_text(part) for part in parts if type(part).__name__ in {"term", "classifier"}]
        bodies = [
            block for part in parts if type(part).__name__ == "definition" for block in self._children(part, level)
        ]
        return " : ".join(terms), bodies

    def _field_list(self, node: Node, level: int) -> list[str]:
        return _entries(self._field(item, level) for item in _children(node))

    def _field(self, item: Node, level: int) -> tuple[str, list[str]]:
        parts = list(_children(item))
        return inline_text(parts[0]) if parts else "", [
            block for part in parts[1:] for block in self._children(part, level)
        ]

    def _option_list(self, node: Node, level: int) -> list[str]:
        entries: list[tuple[str, list[str]]] = []
        for item in _children(node):
            parts = list(_children(item))
            options = ", ".join(f"`{' '.join(option.astext().split())}`" for option in _children(parts[0]))
            entries.append((options, [block for part in parts[1:] for block in self._children(part, level)]))
        return _entries(entries)

    def _block_quote(self, node: Node, level: int) -> list[str]:
        blocks = self._children(node, level)
        return [quoted("\n\n".join(blocks))] if blocks else []

    def _line_block(self, node: Node, _level: int) -> list[str]:
        lines = [tidy(inline_text(line)) for line in _lines(node)]
        return ["\n".join(filter(None, lines))] if any(lines) else []

    def _admonition(self, node: Node, name: str, level: int) -> list[str]:
        title = name.capitalize()
        blocks: list[str] = []
        for child in _children(node):
            if type(child).__name__ == "title":
                title = " ".join(inline_text(child).split())
            else:
                blocks += self._block(child, level)
        return [quoted("\n\n".join([f"**{title}**", *blocks]))]

    def _image(self, node: Node, _level: int) -> list[str]:
        text = tidy(inline_text(node))
        return [text] if text else []

    def _footnote(self, node: Node, level: int) -> list[str]:
        parts = list(_children(node))
        label = parts[0].astext() if parts and type(parts[0]).__name__ == "label" else ""
        body = [block for part in parts if type(part).__name__ != "label" for block in self._block(part, level)]
        return _entries([(f"[{label}]", body)])

    _citation = _footnote

    def _table(self, node: Node, level: int) -> list[str]:
        title = [
            block for child in _children(node) if type(child).__name__ == "title" for block in self._rubric(child, 0)
        ]
        rows = [
            [self._cell(entry, level, is_header) for entry in _children(row)] for row, is_header in _rows(node, False)
        ]
        return title + table_of(rows)

    def _cell(self, entry: Node, level: int, is_header: bool) -> TableCell:
        columns, rows = (1 + int(cast("Any", entry).get(name, 0)) for name in ("morecols", "morerows"))
        return TableCell(self._children(entry, level), is_header, columns, rows)

    def _system_message(self, node: Node, _level: int) -> list[str]:
        """An unknown directive comes as an error with its text; other errors say nothing to readers."""
        source = next((child for child in _children(node) if type(child).__name__ == "literal_block"), None)
        return [] if source is None else unknown_directive(source.astext(), self._convert)


def _entries(entries: Iterable[tuple[str, list[str]]]) -> list[str]:
    shown: list[str] = []
    for term, body in entries:
        title = " ".join(term.split())
        title = title if title.startswith(("`", "**", "[")) or not title else f"**{title}**"
        if len(body) == 1 and "\n" not in body[0] and not body[0].startswith(("#", "-", ">", "`", "|", "*")):
            shown.append(f"- {title}: {body[0]}")
        elif title or body:
            shown.append("- " + indented("\n\n".join([title, *body]), 2))
    return ["\n".join(shown) if all("\n" not in one for one in shown) else "\n\n".join(shown)] if shown else []


def _rows(node: Node, is_header: bool) -> Iterator[tuple[Node, bool]]:
    for child in _children(node):
        name = type(child).__name__
        if name == "row":
            yield child, is_header
        else:
            yield from _rows(child, is_header or name == "thead")


def _lines(node: Node) -> Iterator[Node]:
    for child in _children(node):
        if type(child).__name__ == "line_block":
            yield from _lines(child)
        else:
            yield child


def _has_blocks(node: Node) -> bool:
    return any(
        type(child).__name__ in {"paragraph", "bullet_list", "literal_block", "section"} for child in _children(node)
    )


def _children(node: Node) -> list[Node]:
    return list(cast("Any", node).children)


def _classes(node: Node) -> list[str]:
    get = getattr(node, "get", None)
    return list(get("classes", [])) if get else []
