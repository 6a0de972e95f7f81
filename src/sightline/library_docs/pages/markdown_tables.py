"""Tables in Markdown; one that holds code or tables in its cells is written out cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WIDEST = 100
_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell as Markdown blocks, and how many columns and rows it spans."""

    blocks: list[str]
    is_header: bool = False
    columns: int = 1
    rows: int = 1


def table_of(rows: Sequence[Sequence[TableCell]]) -> list[str]:
    """The block for a table, or the content of its cells where no Markdown table can hold it."""
    if not any(cell.blocks for row in rows for cell in row):
        return []
    if max(len(row) for row in rows) == 1 or any(_is_tall(cell) for row in rows for cell in row):
        return [block for row in rows for cell in row for block in cell.blocks]
    return [_markdown(rows)]


def _is_tall(cell: TableCell) -> bool:
    return any("```" in block or block.startswith("| ") for block in cell.blocks)


def _markdown(rows: Sequence[Sequence[TableCell]]) -> str:
    numbered = [(number, line) for number, line in enumerate(_grid(rows)) if any(line)]
    width = max(len(line) for _, line in numbered)
    lines = [line + [""] * (width - len(line)) for _, line in numbered]
    if not all(cell.is_header for cell in rows[numbered[0][0]]):
        lines.insert(0, [""] * width)
    shown = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([shown[0], "|" + " --- |" * width, *shown[1:]])


def _grid(rows: Sequence[Sequence[TableCell]]) -> list[list[str]]:
    """Rows of equal columns: what spans several of them stands in the first, the others are empty."""
    taken: dict[int, int] = {}
    grid: list[list[str]] = []
    for row in rows:
        line: list[str] = []
        for cell in row:
            _skip_taken(line, taken)
            for text in [_cell_text(cell), *[""] * (cell.columns - 1)]:
                if len(line) < WIDEST:
                    taken[len(line)] = cell.rows
                    line.append(text)
        _skip_taken(line, taken)
        grid.append(line)
        taken = {column: left - 1 for column, left in taken.items() if left > 1}
    return grid


def _skip_taken(line: list[str], taken: dict[int, int]) -> None:
    while taken.get(len(line), 0) > 0 and len(line) < WIDEST:
        line.append("")


def _cell_text(cell: TableCell) -> str:
    lines = [line for block in cell.blocks for line in block.split("\n") if line.strip()]
    return _UNESCAPED_PIPE.sub(r"\\|", "<br>".join(lines))
