"""A small source to write and read: a home, a project, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.sync.model import Problem, SourceTree
from sightline.sync.source import SourcePlaces, read_source_tree


@dataclass(frozen=True, slots=True)
class SmallSource:
    """Writes files by their place and reads the tree that they make."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "work" / "shop"

    @property
    def config(self) -> Path:
        return self.home / ".claude"

    def write(self, file: Path, content: str | bytes | dict[str, Any]) -> Path:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, indent=1) if isinstance(content, dict) else content
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def places(self, start: Path | None = None) -> SourcePlaces:
        state = self.home / ".claude.json"
        return SourcePlaces(self.home, self.config, state, self.project, start or self.project, self.root / "managed")

    def read(self, start: Path | None = None) -> SourceTree:
        self.project.mkdir(parents=True, exist_ok=True)
        return read_source_tree(self.places(start), pause=lambda: None)


def only_problem(tree: SourceTree) -> Problem:
    """The one problem of a tree."""
    (problem,) = tree.problems
    return problem
