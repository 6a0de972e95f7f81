"""Versions in the words of many servers: `v0.23.0`, `Debian clangd version 14.0.6`, `1.95.0 (5980761 2026-04-14)`."""

from __future__ import annotations

import re

_DATE = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


def is_older(version: str | None, oldest: str) -> bool:
    """Whether a version is surely older; one that cannot be read is not."""
    pattern = _DATE if _DATE.search(oldest) else _NUMBERS
    found, wanted = pattern.search(version or ""), pattern.search(oldest)
    return found is not None and wanted is not None and _parts(found[0]) < _parts(wanted[0])


def _parts(text: str) -> tuple[int, ...]:
    """As many as count: `14` and `14.0` are one version."""
    numbers = [int(part) for part in re.split(r"[.-]", text)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
