"""The folders that calls may reach, as real paths at the time of each call: a link may lead elsewhere by then.

Nothing is remembered between calls. A folder whose way has no link on it is its own real path, which costs a look at
each part of the way, once for all folders that share it; only the others are followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import SettingsError


@dataclass(frozen=True, slots=True)
class _Listed:
    """A folder as the settings name it, and every part of the way to it; none where the way must be followed."""

    path: Path
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllowedRoots:
    """The allowed roots of one application; the project's own where none is listed."""

    root: Path
    listed: tuple[_Listed, ...]

    @classmethod
    def of(cls, root: Path, names: Sequence[str]) -> AllowedRoots:
        """Relative names are taken from the project, `~` is the home folder; raises `SettingsError`."""
        return cls(root, tuple(_listed(root / _expanded(name)) for name in names))

    def now(self) -> tuple[Path, ...]:
        """The real paths by what is on disk."""
        seen: dict[str, bool] = {}
        return tuple(self._real(each, seen) for each in self.listed) or (self.root,)

    def _real(self, each: _Listed, seen: dict[str, bool]) -> Path:
        for part in each.parts:
            if part not in seen:
                seen[part] = _is_link(part)
            if seen[part]:
                return each.path.resolve()
        return each.path if each.parts else each.path.resolve()


def _expanded(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise SettingsError(f"`server.allowed_roots` names nobody's home: {name}", "take it out") from None


def _listed(path: Path) -> _Listed:
    # `..` goes up from where a link leads; Windows has short names and junctions besides.
    is_plain = os.name == "posix" and path.is_absolute() and ".." not in path.parts
    return _Listed(path, tuple(str(part) for part in (*reversed(path.parents), path)[1:]) if is_plain else ())


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:  # missing, or not for our eyes: following it goes no further either
        return False
