"""Which languages a project is written in, by the names of its files, and which language servers would serve them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.code.catalogue import catalogue
from sightline.config.schema import CodeSettings
from sightline.lsp.server_spec import ServerSpec

MOST_FILES = 50_000
_SKIPPED = frozenset({"node_modules", "__pycache__", "vendor", "target", "build", "dist"})


@dataclass(frozen=True, slots=True)
class Language:
    """Files that one server would serve."""

    spec: ServerSpec
    files: int

    @property
    def is_data(self) -> bool:
        """JSON, YAML and the like are in every project, and few miss a server for them."""
        return self.spec.role == "data"

    @property
    def label(self) -> str:
        return f"{self.spec.languages[0]} ({self.files} {'file' if self.files == 1 else 'files'})"


@dataclass(frozen=True, slots=True)
class Languages:
    """What was found, most files first; `is_complete` is false where the project is too large to look at whole."""

    found: Sequence[Language]
    is_complete: bool = True


def find_languages(root: Path, settings: CodeSettings) -> Languages:
    """Look at the names of all files but hidden ones, environments and what builds leave; raises `SettingsError`."""
    serving = catalogue(settings).serving()
    counts: Counter[str] = Counter()
    seen = 0
    for name in _file_names(root):
        seen += 1
        if seen > MOST_FILES:
            break
        spec = next((each for each in serving if each.is_source(name)), None)
        if spec:
            counts[spec.id] += 1
    by_id = {spec.id: spec for spec in serving}
    found = [Language(by_id[server_id], files) for server_id, files in counts.most_common()]
    return Languages(found, seen <= MOST_FILES)


def _file_names(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not _is_skipped(Path(folder, name))]
        yield from names


def _is_skipped(folder: Path) -> bool:
    name = folder.name
    return name.startswith(".") or name in _SKIPPED or (folder / "pyvenv.cfg").exists()
