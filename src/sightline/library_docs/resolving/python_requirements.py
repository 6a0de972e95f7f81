"""One requirement of a Python package, taken apart; `packaging` does the work, and its errors stay here."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LOOSE = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[(?P<extras>[^\]]*)\])?\s*"
    r"(?P<rest>(?:[<>=!~(@;].*)?)\Z",
    re.S,
)
_OPTIONS = re.compile(r"\s--?\w[\w-]*[\s=].*\Z", re.S)


@dataclass(frozen=True, slots=True)
class PythonRequirement:
    """Name, extras, version request (a specifier or an address) and marker, as they were written."""

    name: str
    extras: tuple[str, ...] = ()
    version: str | None = None
    marker: str | None = None

    @property
    def has_more_than_a_name(self) -> bool:
        return bool(self.extras or self.version or self.marker)


def read_requirement(text: str) -> PythonRequirement | None:
    """The requirement in `text`, also where the version request is not a standard one; None if there is no name."""
    from packaging.requirements import InvalidRequirement, Requirement

    text = _OPTIONS.sub("", text.strip().rstrip("\\").strip())
    try:
        found = Requirement(text)
    except InvalidRequirement:
        return _read_loosely(text)
    version = found.url or str(found.specifier) or None
    marker = str(found.marker) if found.marker else None
    return PythonRequirement(found.name, tuple(sorted(found.extras)), version, marker)


def _read_loosely(text: str) -> PythonRequirement | None:
    match = _LOOSE.match(text)
    if not match:
        return None
    extras = tuple(sorted(part.strip() for part in (match["extras"] or "").split(",") if part.strip()))
    version, _, marker = match["rest"].lstrip("@ ").partition(";")
    return PythonRequirement(match["name"], extras, version.strip(" ()") or None, marker.strip() or None)
