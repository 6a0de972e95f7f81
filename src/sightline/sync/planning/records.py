"""What we remember of what we wrote: digests and the ids of items, never content, so never a secret.

A path has units, each with a key: `()` for a file that is ours as a whole, the key path in a structured file, the id of
a marked block.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value, is_list, is_mapping
from sightline.sync.outputs import OutputScope

PathKind = Literal["file", "jsonc", "toml", "block"]


@frozen
class StateKey:
    """Whose state: `root` is the project, or the home folder for the user's own files."""

    root: Path
    scope: OutputScope
    target: str


@frozen
class Unit:
    """What we wrote last; without a digest it is not ours, but somebody said to keep what stands there.

    `kept` are the digests of what was wanted and of what stood there when a person said `keep`: as long as both are
    the same nobody is asked again.
    """

    digest: str | None
    sources: tuple[str, ...] = ()
    kept: tuple[str, str] | None = None


@frozen
class PathRecord:
    """Our part of one path; `made` are the tables around our keys, `is_created` tells that the file is there for us."""

    path: Path
    kind: PathKind
    units: Mapping[KeyPath, Unit]
    made: tuple[KeyPath, ...] = ()
    is_created: bool = False


@frozen
class OpenVerdict:
    """What the target's own command said last, where that was not that all is well; never with a value.

    `is_failed`: it starts, but has not understood the findings. If not, it could not be asked.
    """

    is_failed: bool
    version: str
    findings: tuple[str, ...]


@frozen
class TargetState:
    """Everything that we wrote for one target in one scope, and the folders that we made for it."""

    records: Mapping[Path, PathRecord] = field(default_factory=dict[Path, PathRecord])
    folders: frozenset[Path] = frozenset()
    applied_at: str = ""
    verdict: OpenVerdict | None = None

    @property
    def item_count(self) -> int:
        """How many items of the source have something at the target."""
        units = (unit for record in self.records.values() for unit in record.units.values())
        return len({source for unit in units if unit.digest for source in unit.sources})


def bytes_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def file_digest(content: bytes, mode: int | None) -> str:
    """Bytes, and whether the owner may run the file; the other bits are the user's own business."""
    is_run = mode is not None and bool(mode & 0o100)
    return bytes_digest(content) + ("+x" if is_run else "")


def value_digest(value: Value, *, ordered: bool) -> str:
    """Equal for values that are the same by `same_value`; but one moment with two offsets is two texts."""
    text = json.dumps(_tagged(value, ordered), ensure_ascii=True, separators=(",", ":"))
    return bytes_digest(text.encode("ascii"))


def _tagged(value: Value, ordered: bool) -> object:
    if is_mapping(value):
        names = list(value) if ordered else sorted(value)
        return {"map": [[name, _tagged(value[name], ordered)] for name in names]}
    if is_list(value):
        return [_tagged(item, ordered) for item in value]
    if isinstance(value, float):
        # 0.0 and -0.0 are equal, as they are for `same_value`
        return {"float": repr(value + 0.0)}
    return value if value is None or isinstance(value, bool | str) else {type(value).__name__: str(value)}
