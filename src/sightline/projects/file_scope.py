"""Which files a Pyright configuration lists, by its `include` and `exclude`.

Pyright is told of every change, but takes in only those to files that it lists; for the others it has to be made to
read everything anew. So this has to be right about "listed", and may err towards "not listed".
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileScope:
    """`include` is None where the configuration names none: then all files of the project are listed."""

    include: tuple[re.Pattern[str], ...] | None = None
    exclude: tuple[re.Pattern[str], ...] = ()

    @property
    def is_everything(self) -> bool:
        return self.include is None and not self.exclude

    def lists(self, path: str) -> bool:
        included = self.include is None or any(pattern.match(path) for pattern in self.include)
        return included and not any(pattern.match(path) for pattern in self.exclude)


def pattern_of(folder: Path, text: str) -> re.Pattern[str]:
    """A file or folder, with `**`, `*` and `?`, relative to the configuration's folder, as a pattern over paths."""
    parts = Path(os.path.normpath(folder / text)).parts
    written = [_part(part) for part in parts[1:]]
    return re.compile(re.escape(parts[0].rstrip(os.sep)) + "".join(written) + r"(?:[/\\].*)?\Z")


def patterns_of(folder: Path, texts: Sequence[object]) -> tuple[re.Pattern[str], ...]:
    return tuple(pattern_of(folder, text) for text in texts if isinstance(text, str))


def _part(part: str) -> str:
    if part == "**":
        return r"(?:[/\\][^/\\]+)*"
    return r"[/\\]" + re.escape(part).replace(r"\*", r"[^/\\]*").replace(r"\?", r"[^/\\]")
