"""Whether documentation fits a version: each ecosystem compares versions by its own rules."""

from __future__ import annotations

import re
from typing import Literal

from sightline.library_docs.libraries import Ecosystem

VersionMatch = Literal["exact", "compatible", "other", "unknown"]

_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)(.*)", re.ASCII | re.DOTALL)


def version_match(ecosystem: Ecosystem, wanted: str | None, described: str | None) -> VersionMatch:
    """How documentation of one version fits another; what is not told is `unknown`, never assumed.

    `compatible`: the same major version, or before 1.0 the same minor one; or the documentation names only the
    beginning of the version, as sites of a release line do.
    """
    if not wanted or not described:
        return "unknown"
    if _normal(ecosystem, wanted) == _normal(ecosystem, described):
        return "exact"
    one, other = _release(ecosystem, wanted), _release(ecosystem, described)
    if one is None or other is None:
        return "unknown"
    if other == one[: len(other)] or one == other[: len(one)]:
        return "compatible"
    leading = 1 if one[0] else 2
    return "compatible" if one[:leading] == other[:leading] else "other"


def _normal(ecosystem: Ecosystem, text: str) -> object:
    """What is equal for equal versions; a local part or a build is no other version."""
    if ecosystem == "npm":
        return text.strip().removeprefix("v").partition("+")[0]
    from packaging.version import InvalidVersion, Version

    try:
        return Version(Version(text).public)
    except InvalidVersion:
        return text.strip()


def _release(ecosystem: Ecosystem, text: str) -> tuple[int, ...] | None:
    if ecosystem != "npm":
        from packaging.version import InvalidVersion, Version

        try:
            return Version(text).release
        except InvalidVersion:
            pass
    found = _NUMBERS.match(text.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else None
