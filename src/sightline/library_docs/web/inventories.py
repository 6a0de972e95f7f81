"""Sphinx inventories (`objects.inv`): the version that a site describes, and where each name is explained."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from urllib.parse import urljoin

MAX_INFLATED = 20_000_000
_HEADER = re.compile(rb"# Sphinx inventory version 2\n# Project: (.*)\n# Version: (.*)\n#.*zlib.*\n")
_LINE = re.compile(r"(?P<name>.+?)\s+(?P<kind>[\w-]+:[\w-]+)\s+-?\d+\s+(?P<where>\S+)\s+(?P<shown>.*)")
_MOST_NAMES = 200_000


class InventoryUnreadable(ValueError):
    """Not an inventory, or a broken one."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a site is about; `places` are addresses by name, those of the objects of a language before labels."""

    project: str
    version: str | None
    places: dict[str, str]

    def find(self, topic: str) -> list[tuple[str, str]]:
        """Names that a topic means, the exact one first, and their addresses."""
        wanted = topic.strip().removesuffix("()").casefold()
        if not wanted:
            return []
        exact: list[tuple[str, str]] = []
        ending: list[tuple[str, str]] = []
        containing: list[tuple[str, str]] = []
        for name, place in self.places.items():
            low = name.casefold()
            if low == wanted:
                exact.append((name, place))
            elif low.endswith(f".{wanted}"):
                ending.append((name, place))
            elif len(wanted) > 3 and wanted in low.rpartition(".")[2]:
                containing.append((name, place))
        return [*exact, *sorted(ending, key=_by_length), *sorted(containing, key=_by_length)]


def _by_length(found: tuple[str, str]) -> tuple[int, str]:
    return len(found[0]), found[0]


def parse_inventory(data: bytes, base: str) -> Inventory:
    """The inventory found at `base`; raises `InventoryUnreadable`."""
    header = _HEADER.match(data)
    if header is None:
        raise InventoryUnreadable("it does not begin as an inventory does")
    text = _inflated(data[header.end() :])
    project, version = (part.decode("utf-8", errors="replace").strip() for part in header.groups())
    places: dict[str, str] = {}
    labels: dict[str, str] = {}
    for line in text.splitlines()[:_MOST_NAMES]:
        found = _LINE.match(line)
        if found is None:
            continue
        name = found["name"]
        where = found["where"].removesuffix("$") + (name if found["where"].endswith("$") else "")
        (labels if found["kind"].startswith("std:") else places).setdefault(name, urljoin(base, where))
    return Inventory(project, version or None, {**labels, **places})


def _inflated(data: bytes) -> str:
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, MAX_INFLATED)
    except zlib.error as error:
        raise InventoryUnreadable(f"it cannot be decompressed: {error}") from None
    if inflater.unconsumed_tail:
        raise InventoryUnreadable(f"it holds more than {MAX_INFLATED:,} bytes")
    if not inflater.eof:
        raise InventoryUnreadable("it is cut off")
    return text.decode("utf-8", errors="replace")
