"""Earlier checks to compare with: what they found, and the texts that their lines belong to.

Kept in memory, bounded, oldest out first. The texts of files without findings are not needed: whatever is found in
them later is new.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sightline.code.diagnostic_delta import Delta, delta
from sightline.code.diagnostics import Diagnostic
from sightline.code.line_mapping import LineMapping

_MOST = 40
_MOST_CHARACTERS = 30_000_000

LAST = "last"


@dataclass(frozen=True, slots=True)
class CheckedPath:
    """Whose check, of which path, and by what: two engines or Python versions are not compared."""

    client: str
    root: Path
    path: Path
    by: str

    def covers(self, other: CheckedPath) -> bool:
        return (self.root, self.by) == (other.root, other.by) and other.path.is_relative_to(self.path)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One check and what it found."""

    id: str
    of: CheckedPath
    diagnostics: Sequence[Diagnostic]
    texts: Mapping[str, str]

    def compared_with(self, now: Sequence[Diagnostic], path: Path) -> Delta:
        """What is new and what is gone at a path since then."""
        root = self.of.root
        then = [each for each in self.diagnostics if (root / each.file).is_relative_to(path)]
        mappings = {
            file: LineMapping.between(text, new)
            for file, text in self.texts.items()
            if (new := _text(root / file)) != text
        }
        return delta(then, now, mappings)

    @property
    def size(self) -> int:
        return sum(map(len, self.texts.values()))


@dataclass(slots=True)
class Checkpoints:
    """The checks of one application, of all its clients."""

    _kept: dict[str, Checkpoint] = field(default_factory=dict[str, Checkpoint])
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def keep(self, check: CheckedPath, diagnostics: Sequence[Diagnostic]) -> Checkpoint:
        texts = {file: _text(check.root / file) for file in {each.file for each in diagnostics}}
        made = Checkpoint(f"c{next(self._numbers)}", check, diagnostics, texts)
        self._kept[made.id] = made
        while len(self._kept) > _MOST or sum(each.size for each in self._kept.values()) > _MOST_CHARACTERS:
            del self._kept[next(iter(self._kept))]
        return made

    def find(self, name: str, check: CheckedPath) -> Checkpoint | None:
        """A checkpoint that covers the path: by its id, or the client's last one."""
        if name != LAST:
            found = self._kept.get(name)
            return found if found and found.of.covers(check) else None
        mine = [each for each in self._kept.values() if each.of.client == check.client and each.of.covers(check)]
        return mine[-1] if mine else None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""
