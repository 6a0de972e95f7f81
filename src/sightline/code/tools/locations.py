"""Locations in text, grouped by file."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent

from sightline.code.navigation import Location
from sightline.tool import param


def context_lines_param() -> int:
    """How much source a location is shown with."""
    return param("Lines around each", default=0, ge=0, le=20)


def location_lines(locations: Iterable[Location]) -> list[str]:
    lines: list[str] = []
    file = None
    for each in locations:
        if each.file != file:
            file = each.file
            lines += ["", file]
        place = f"  {each.line}:{each.column}"
        lines += [place, indent(each.preview, "    ")] if "\n" in each.preview else [f"{place} {each.preview}"]
    return lines
