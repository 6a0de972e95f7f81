"""HTML tables: their captions, rows and cells, without columns of line numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sightline.library_docs.pages.html_elements import Element, children_of, element_of
from sightline.library_docs.pages.markdown_tables import WIDEST, TableCell, table_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_MOST_SPANNED_ROWS = 200

ToBlocks = Callable[["LexborNode"], list[str]]


def table_blocks(table: LexborNode, to_blocks: ToBlocks) -> list[str]:
    """A caption and one table, or the content of the cells where no Markdown table can hold it."""
    caption, rows = _read(table, to_blocks)
    return caption + table_of(rows)


def _read(table: LexborNode, to_blocks: ToBlocks) -> tuple[list[str], list[list[TableCell]]]:
    caption: list[str] = []
    rows: list[list[TableCell]] = []
    for child in children_of(table):
        if child.tag == "caption":
            caption = to_blocks(child)
        elif child.tag == "tr":
            rows.append(_row(child, to_blocks))
        elif child.tag in {"thead", "tbody", "tfoot"}:
            rows.extend(_row(row, to_blocks) for row in children_of(child) if row.tag == "tr")
    return caption, rows


def _row(row: LexborNode, to_blocks: ToBlocks) -> list[TableCell]:
    cells = [element_of(child) for child in children_of(row) if child.tag in {"td", "th"}]
    return [_cell(cell, to_blocks) for cell in cells if not _is_line_numbers(cell)]


def _is_line_numbers(cell: Element) -> bool:
    return not cell.classes.isdisjoint({"linenos", "gutter", "blob-num", "rouge-gutter", "hljs-ln-numbers"})


def _cell(cell: Element, to_blocks: ToBlocks) -> TableCell:
    columns = _span(cell.get("colspan"), WIDEST)
    return TableCell(to_blocks(cell.node), cell.tag == "th", columns, _span(cell.get("rowspan"), _MOST_SPANNED_ROWS))


def _span(value: str, most: int) -> int:
    return min(max(int(value), 1), most) if value.isascii() and value.isdigit() and len(value) < 9 else 1
