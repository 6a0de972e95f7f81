"""What a library is: an ecosystem and a name, never a bare name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

Ecosystem = Literal["pypi", "npm", "python"]
ECOSYSTEMS: tuple[Ecosystem, ...] = get_args(Ecosystem)

_RUN_OF_SEPARATORS = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True, order=True)
class LibraryId:
    """A library by ecosystem and normalised name; `python` holds the modules of the standard library."""

    ecosystem: Ecosystem
    name: str

    def __str__(self) -> str:
        return f"{self.ecosystem}:{self.name}"


def python_name(name: str) -> str:
    """A Python package's name as the package index compares it (PEP 503)."""
    return _RUN_OF_SEPARATORS.sub("-", name).lower()
