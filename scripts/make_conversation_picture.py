"""The picture of a conversation in the README: real calls to the real server on the sample project, drawn as SVG.

Run it by hand when answers change: `python scripts/make_conversation_picture.py`. The words of the agent are ours, what
the tools say is not.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "conversation.svg"
WIDTH, LINE, MARGIN = 1080, 21, 28
MOST_CHARS = 118
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

_COLOURS = {
    "person": "#e8edf2",
    "agent": "#9fb3c8",
    "call": "#5cc8d7",
    "answer": "#c3ccd6",
    "+": "#7bd88f",
    "-": "#f28b82",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What the agent says, what it calls, and how many lines of the answer are shown."""

    says: str
    tool: str
    arguments: dict[str, Any]
    lines: slice


TURNS = (
    Turn("First, who uses it:", "find_references", {"symbol": "Catalogue.find"}, slice(0, 8)),
    Turn(
        "The rename, proved before anything is written:",
        "rename_symbol",
        {"symbol": "Catalogue.find", "new_name": "look_up"},
        slice(0, 16),
    ),
)


async def answers(folder: Path) -> list[str]:
    project = folder / "shop"
    shutil.copytree(ROOT / "examples" / "shop", project)
    venv.create(project / ".venv", with_pip=False, symlinks=os.name != "nt")
    command = str(Path(sys.executable).with_name("sightline"))
    async with Client(StdioServerParameters(command=command, args=["serve", "--project", str(project)])) as client:
        return [await _text(client, turn) for turn in TURNS]


async def _text(client: Client, turn: Turn) -> str:
    result = await client.call_tool(turn.tool, turn.arguments)
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def drawn_lines(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Every line of the picture with its kind."""
    yield "person", "> Rename Catalogue.find to look_up."
    for turn, text in zip(TURNS, texts, strict=True):
        yield "", ""
        yield "agent", turn.says
        shown = ", ".join(f"{name}={value}" for name, value in turn.arguments.items())
        yield "call", f"▸ {turn.tool}  {shown}"
        for line in [each for each in text.splitlines() if each.strip()][turn.lines]:
            is_change = line[:1] in ("+", "-") and not line.startswith(("+++", "---"))
            yield line[0] if is_change else "answer", f"  {line}"


def picture(lines: list[tuple[str, str]]) -> str:
    height = 2 * MARGIN + LINE * len(lines)
    rows = "\n".join(_row(number, kind, text) for number, (kind, text) in enumerate(lines) if text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="An agent finds references and plans a rename with Sightline">\n'
        f'<rect width="{WIDTH}" height="{height}" rx="14" fill="#12181f"/>\n'
        f'<g font-family="{FONTS}" font-size="14">\n{rows}\n</g>\n</svg>\n'
    )


def _row(number: int, kind: str, text: str) -> str:
    cut = text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1] + "…"
    weight = ' font-weight="600"' if kind in ("person", "call") else ""
    y = MARGIN + LINE * number + 14
    return f'<text x="{MARGIN}" y="{y}" fill="{_COLOURS[kind]}"{weight} xml:space="preserve">{escape(cut)}</text>'


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PICTURE.write_text(picture(list(drawn_lines(anyio.run(answers, Path(made).resolve())))), encoding="utf-8")
