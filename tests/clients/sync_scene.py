"""The hard project, synced by the service as a user would do it, and the commands that then judge the result.

The home has target files of the person's own, with comments, in every place that is shared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio

from sightline.children import Children
from sightline.config.schema import Target
from sightline.sync.formats import toml_tables
from sightline.sync.formats.three_way import Choice
from sightline.sync.model import SourceTree
from sightline.sync.service import DoneSync
from sightline.sync.source import read_source_tree
from tests.clients.programs import Program, installed
from tests.sync.hard_project import HardProject, make_hard_project
from tests.sync.targets.life import Life


@dataclass(frozen=True, slots=True)
class Scene:
    """The project after a sync, with the CLI of its target."""

    hard: HardProject
    tree: SourceTree
    done: DoneSync
    program: Program

    def json(self, *arguments: str, **variables: str) -> Any:
        """The answer of a command that must work."""
        ended = self.program.run(*arguments, folder=self.hard.project, **variables)
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    def said(self, *arguments: str) -> str:
        ended = self.program.run(*arguments, folder=self.hard.project)
        assert ended.code == 0, ended.err
        return ended.all


def synced(root: Path, target: Target, **kinds: bool) -> Scene:
    """Write the hard project below a folder, and sync it for one target, which verifies the plan."""
    hard = make_hard_project(root, **kinds)
    program = installed(target, hard.home)

    async def sync() -> DoneSync:
        path = program.environment()["PATH"]
        life = Life((target,), hard.home, root / "own", lambda _root: hard.places, Children(), path=path)
        with life.children:
            return await life.sync(hard.project, {"*": Choice.KEEP})

    done = anyio.run(sync)
    return Scene(hard, read_source_tree(hard.places), done, program)


def trust_for_codex(scene: Scene) -> None:
    """What a person answers when Codex asks."""
    trust_project_for_codex(scene.hard.home, scene.hard.project)


def trust_project_for_codex(home: Path, project: Path) -> None:
    config = home / ".codex/config.toml"
    key = ("projects", project.as_posix(), "trust_level")
    config.write_bytes(toml_tables.set_value(config.read_bytes() if config.exists() else b"", key, "trusted"))


def strings(value: Any) -> Iterator[str]:
    """Every text in an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inner = cast("dict[str, Any] | list[Any]", value)
        for each in inner.values() if isinstance(inner, dict) else inner:
            yield from strings(each)
