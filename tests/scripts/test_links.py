"""The links between the documents lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def test_every_relative_link_leads_to_a_file_and_to_a_heading_in_it() -> None:
    documents = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]

    broken = [f"{path.relative_to(REPOSITORY)}: {link}" for path in documents for link in broken_links(path)]

    assert len(documents) > 10
    assert broken == []


def broken_links(document: Path) -> Iterator[str]:
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        if not target.is_file() or (anchor and anchor not in anchors(target)):
            yield link


def anchors(document: Path) -> set[str]:
    headings = _HEADING.findall(document.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
