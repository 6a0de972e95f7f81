"""The conversation that every agent CLI has, and what Sightline itself says to the same calls.

The answers are had from the same command by a client that shows them whole. What takes time is told in each answer,
so the durations are made equal on both sides; nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.scripted_model import ToolCall
from tests.support.sample_environment import install_click
from tests.support.wire import serving

CALLS = (
    ToolCall("check_types", {"path": "."}),
    ToolCall("find_references", {"symbol": "Item", "file": "shop/catalogue.py"}),
    ToolCall("read_page", {"url": "pkg:pypi/click@8.1.0#README.md", "limit": 10_000}),
    ToolCall("sync_all"),
    ToolCall("check_types", {"path": "shop/nowhere.py"}),
)

_DURATIONS = re.compile(r'(\(\d+ ms\)|"time_ms":\d+|Wall time:? [\d.]+ seconds)')


@dataclass(frozen=True, slots=True)
class Said:
    """An answer in both of its forms."""

    text: str
    data: dict[str, Any]
    is_error: bool


@dataclass(frozen=True, slots=True)
class Direct:
    """What the server said without an agent in between."""

    instructions: str
    answers: list[Said]


def prepare(project: Path) -> None:
    """Something to sync, and a README that no answer can hold whole: three bytes a character, with quotes and tags."""
    (project / "CLAUDE.md").write_text("# The shop\n\nPrices are in cents.\n", encoding="utf-8")
    (project / ".mcp.json").write_text('{"mcpServers": {"till": {"command": "till"}}}', encoding="utf-8")
    install_click(project)
    metadata = next(project.glob(".venv/lib/python*/site-packages/click-8.1.0.dist-info/METADATA"))
    lines = [f'{each}. "{"読むための説明文" * 10}" \\ 🙂 <b>&amp;</b> {{"größe": [1]}}' for each in range(3_000)]
    metadata.write_text(metadata.read_text(encoding="utf-8") + "\n\n".join(lines), encoding="utf-8")


def direct(project: Path, home: Path, flags: Sequence[str], calls: Sequence[ToolCall]) -> Direct:
    """The same calls in the same order, by lines of JSON."""
    with serving(project, *flags, home=home) as server:
        hello = server.shake_hands()
        answers = [server.call(each.tool, **each.arguments) for each in calls]
    return Direct(hello["instructions"], [_said(each) for each in answers])


def _said(result: dict[str, Any]) -> Said:
    (block,) = result["content"]
    return Said(block["text"], result["structuredContent"], result["isError"])


def without_durations(text: str) -> str:
    """The text with every duration made the same."""
    return _DURATIONS.sub(lambda found: re.sub(r"[\d.]+", "0", found[0]), text)
