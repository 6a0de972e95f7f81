"""Locations in text, grouped by file."""

from __future__ import annotations

from collections.abc import Iterable

from sightline.code.navigation import Location


def location_lines(locations: Iterable[Location]) -> list[str]:
    lines: list[str] = []
    file = None
    for each in locations:
        if each.file != file:
            file = each.file
            lines += ["", file]
        lines.append(f"  {each.line}:{each.column} {each.preview}")
    return lines
