"""The few forms of Markdown that the pages are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

MADE = "<!-- Made by scripts/make_docs.py from the code. Do not edit: run `make docs`. -->"


def page(title: str, *blocks: str) -> str:
    """A whole page: blocks with one empty line between them."""
    return "\n\n".join([MADE, f"# {title}", *(block.strip("\n") for block in blocks if block)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(heads), _row(["---"] * len(heads))]
    return "\n".join([*lines, *(_row(row) for row in rows)])


def code(value: str) -> str:
    return f"`{value}`"


def code_json(value: Any) -> str:
    return code(json.dumps(value, ensure_ascii=False))


def code_block(text: str, language: str = "") -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
