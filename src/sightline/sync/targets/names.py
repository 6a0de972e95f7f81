"""Names made valid for a target; where two would become one, whatever their case, the second gets a mark."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_NAME_CHARS = 57
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)


@dataclass(slots=True)
class Names:
    """The names that were given out, by place."""

    lower: bool = False
    taken: dict[str, str] = field(default_factory=dict[str, str])

    def give(self, name: str, owner: str, place: str = "") -> str:
        """A valid name that no other item has in this place."""
        valid = self.valid(name)
        is_free = self.taken.setdefault(f"{place}/{valid.casefold()}", owner) == owner
        return valid if is_free else f"{valid}-{_digest(owner)}"

    def give_path(self, segments: Sequence[str], owner: str, place: str = "") -> list[str]:
        """Valid folders and a valid name in them."""
        *folders, last = (self.valid(segment) for segment in segments)
        return [*folders, self.give(last, owner, "/".join((place, *folders)).casefold())]

    def valid(self, name: str) -> str:
        cleaned = _NOT_IN_NAMES.sub("-", name)
        if self.lower:
            cleaned = cleaned.lower()
        cleaned = cleaned.strip("-_")[:MAX_NAME_CHARS].strip("-_") or f"item-{_digest(name)}"
        return f"{cleaned}-item" if _DEVICES.fullmatch(cleaned) else cleaned


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
