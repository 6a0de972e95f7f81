"""What an untrusted project file may do: make the tool do less, never more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sightline.config.keys import Key

Judge = Callable[[Any, Any, Path], bool]


def is_narrowing(key: Key, current: Any, proposed: Any, root: Path) -> bool:
    """Whether an untrusted project file may replace the current value by the proposed one."""
    judge = _JUDGES.get(key.rules.get("project", ""))
    return judge is not None and judge(current, proposed, root)


def resolved_root(root: Path, text: str) -> Path:
    """An allowed root as a real path: relative to the project, `~` for the home folder."""
    return (root / Path(text).expanduser()).resolve()


def _lower(current: Any, proposed: Any, _root: Path) -> bool:
    return proposed <= current


def _switched_on(_current: Any, proposed: Any, _root: Path) -> bool:
    return proposed is True


def _subset(current: Any, proposed: Any, _root: Path) -> bool:
    return bool(proposed) and set(proposed) <= set(current)


def _choice(current: Any, proposed: Any, _root: Path) -> bool:
    """Of a list where empty stands for all."""
    return bool(proposed) and (not current or set(proposed) <= set(current))


def _superset(current: Any, proposed: Any, _root: Path) -> bool:
    return set(proposed) >= set(current)


def _inside_root(current: Any, proposed: Any, root: Path) -> bool:
    try:
        allowed = [resolved_root(root, each) for each in current] or [root]
        places = [resolved_root(root, each) for each in proposed]
    except RuntimeError:  # `~somebody` who does not exist
        return False
    return bool(places) and all(any(place.is_relative_to(base) for base in allowed) for place in places)


def _anything(_current: Any, _proposed: Any, _root: Path) -> bool:
    return True


_JUDGES: Mapping[str, Judge] = {
    "lower": _lower,
    "true": _switched_on,
    "subset": _subset,
    "choice": _choice,
    "extend": _superset,
    "inside": _inside_root,
    "any": _anything,
}
