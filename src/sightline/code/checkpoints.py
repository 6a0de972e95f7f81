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
class Checkpoint:
    """One check: whose it was, of which path, and what it found."""

    id: str
    client: str
    root: Path
    path: Path
    diagnostics: Sequence[Diagnostic]
    texts: Mapping[str, str]

    def covers(self, root: Path, path: Path) -> bool:
        return self.root == root and path.is_relative_to(self.path)

    def compared_with(self, now: Sequence[Diagnostic], path: Path) -> Delta:
        """What is new and what is gone at a path since then."""
        then = [each for each in self.diagnostics if (self.root / each.file).is_relative_to(path)]
        mappings = {
            file: LineMapping.between(text, new)
            for file, text in self.texts.items()
            if (new := _text(self.root / file)) != text
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

    def keep(self, client: str, root: Path, path: Path, diagnostics: Sequence[Diagnostic]) -> Checkpoint:
        texts = {file: _text(root / file) for file in {each.file for each in diagnostics}}
        made = Checkpoint(f"c{next(self._numbers)}", client, root, path, diagnostics, texts)
        self._kept[made.id] = made
        while len(self._kept) > _MOST or sum(each.size for each in self._kept.values()) > _MOST_CHARACTERS:
            del self._kept[next(iter(self._kept))]
        return made

    def find(self, name: str, client: str, root: Path, path: Path) -> Checkpoint | None:
        """A checkpoint that covers the path: by its id, or the client's last one."""
        if name != LAST:
            found = self._kept.get(name)
            return found if found and found.covers(root, path) else None
        mine = [each for each in self._kept.values() if each.client == client and each.covers(root, path)]
        return mine[-1] if mine else None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return ""
